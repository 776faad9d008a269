package cmd

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/doctor"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/script"
)

func (a *app) doctorCommand() *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check that what the skills need is here",
		Long: `Checks what the skills under the paths, by default those that run finds, need of this
machine: interpreters for their scripts (by shebang line, extension and PEP 723 metadata)
and the programs that their compatibility field names, with a version where one is
named. It also says what confines scripts here, and which server a model would be asked at.

Nothing is installed, nothing of a skill is run and no network is used: of the programs on
PATH a few that are known to be harmless are asked for their version, and none that lies in
a skill or below the working folder. The compatibility field is free text, so what it may
mean as well is a warning (!), which is no failure.`,
		Example: `  skills doctor
  skills doctor ./my-skill
  skills doctor --format json .agents/skills | jq '.skills[] | select(.ok | not)'`,
		Annotations: exits("0  everything that the skills need is here", "1  something is missing",
			"2  wrong usage, or a path (any of them) that does not exist or holds no skill"),
		RunE: func(c *cobra.Command, args []string) error { return a.doctor(c.Context(), format, args) },
	}
	c.Flags().StringVar(&format, "format", format, "output `NAME`: text or json")
	return a.command(c)
}

// diagnosis is what doctor tells, as JSON.
type diagnosis struct {
	SchemaVersion int            `json:"schema_version"`
	OK            bool           `json:"ok"` // nothing is missing
	Skills        []doctor.Skill `json:"skills"`
	Sandbox       sandboxTold    `json:"sandbox"`
	Model         modelTold      `json:"model"`
}

// sandboxTold says what confines scripts here.
type sandboxTold struct {
	Name string   `json:"name"` // "none" for none
	Gaps []string `json:"gaps"` // what it does not hold; of none, why there is none
	Hint string   `json:"hint"` // what to do for more, "" for nothing
}

// modelTold says which model would be asked. It never holds a key.
type modelTold struct {
	BaseURL     string  `json:"base_url"`
	Model       string  `json:"model"`
	KeyVariable string  `json:"key_variable"` // the variable that holds the key, "" where none does
	Error       *string `json:"error"`        // why no model can be asked, null where one can
	Hint        string  `json:"hint"`
}

func (a *app) doctor(ctx context.Context, format string, args []string) error {
	if format != "text" && format != "json" {
		return wrongUsage("choose text or json", "unknown format %q", format)
	}
	f := runFlags{skills: args, sandbox: string(script.SandboxAuto), scriptTimeout: script.DefaultTimeout}
	a.mask = a.masker(ctx, f)
	found, err := a.patients(ctx, f)
	if err != nil {
		return err
	}
	out := diagnosis{SchemaVersion: 1, OK: true, Skills: []doctor.Skill{}, Sandbox: a.sandboxTold(ctx, f), Model: a.modelTold(ctx, f)}
	// Which interpreter there is does not depend on confinement.
	d := &doctor.Doctor{Runner: &script.Runner{Dir: a.Dir, Env: a.Environ, Sandbox: script.SandboxOff}}
	for _, s := range found {
		one, err := d.Examine(ctx, s)
		if err != nil {
			return err
		}
		out.Skills = append(out.Skills, one)
		out.OK = out.OK && one.OK
	}
	if format == "json" {
		err = printable.WriteJSON(a.mask.Lines(printable.EscapeJSON(a.Stdout)), out)
	} else {
		err = a.printDiagnosis(out)
	}
	if err == nil && !out.OK {
		return errReported(exitProblems)
	}
	return err
}

// patients are the skills that are examined.
func (a *app) patients(ctx context.Context, f runFlags) ([]*loader.Skill, error) {
	for _, path := range f.skills {
		if _, err := os.Stat(a.absolute(path)); err != nil {
			return nil, wrongUsage("check the spelling, and the folder this was started in", "%s does not exist", path)
		}
	}
	p := &plan{}
	defer p.close()
	f.noBuiltin = true // they need nothing
	if err := a.planSkills(ctx, f, nil, p); err != nil {
		return nil, err
	}
	for _, path := range f.skills {
		// Each by itself: what another path holds makes up for nothing.
		found, err := loader.Files([]string{path}, loader.FilesOptions{}).Skills(ctx)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, wrongUsage("a skill is a folder with a file SKILL.md in it; skills validate says what is wrong with one",
				"no skill that can be used in %s", path)
		}
	}
	return p.source.Skills(ctx)
}

// modelTold finds the server as run does, and asks it nothing.
func (a *app) modelTold(ctx context.Context, f runFlags) modelTold {
	s, err := a.server(ctx, f)
	told := modelTold{BaseURL: publicURL(s.baseURL), Model: s.model, KeyVariable: s.keyName}
	if err != nil {
		said := a.mask.Text(err.Error())
		told.Error = &said
		var h interface{ Hint() string }
		if errors.As(err, &h) {
			told.Hint = h.Hint()
		}
	}
	return told
}

// sandboxTold says what stands around scripts.
func (a *app) sandboxTold(ctx context.Context, f runFlags) sandboxTold {
	var c script.Confinement
	r, err := a.runner(f)
	if err == nil {
		defer r.Close()
		c, err = r.Confinement(ctx)
	}
	switch {
	case err != nil:
		return sandboxTold{Name: "none", Gaps: []string{err.Error()}}
	case c.Name == "none":
		return sandboxTold{c.Name, c.Gaps, moreConfinement(c.Gaps)}
	}
	gaps := append([]string{}, c.Gaps...)
	for _, why := range c.Tried {
		gaps = append(gaps, "stronger, but not to be had: "+why)
	}
	return sandboxTold{c.Name, gaps, moreConfinement(gaps)}
}

// moreConfinement says what would help against gaps.
func moreConfinement(gaps []string) string {
	if slices.ContainsFunc(gaps, func(gap string) bool { return strings.Contains(gap, "bwrap is not on PATH") }) {
		return "install bubblewrap (your package manager): it leaves the least open"
	}
	return ""
}
