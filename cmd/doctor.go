package cmd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/doctor"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

func (a *app) doctorCommand() *cobra.Command {
	format := ""
	c := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check that the tools your skills need are installed",
		Long: `Check that the tools your skills need are installed.

These are the interpreters of scripts (by shebang line, extension and PEP 723 metadata), the
programs that compatibility fields name, with their versions, and known programs that commands
and shell scripts start. The skills are those under the paths, by default those that run finds. The sandbox for scripts, and the server and model
that run would use, are reported too.

Nothing is installed or changed, no script is run and no network is used. Well-known programs
on PATH are run for their version, except those in a skill or below the working folder. The
compatibility field is free text: what may be optional is a warning (!), not a failure. So is
a program that only a command starts.`,
		Example: `  skills doctor
  skills doctor ./my-skill
  skills doctor --format json .agents/skills`,
		GroupID: groupSetUp,
		Annotations: note("", "0  everything that the skills need is installed", "1  something is missing",
			"2  usage error, or a path that does not exist or holds no usable skill"),
		RunE: func(c *cobra.Command, args []string) error { return a.doctor(c.Context(), format, args) },
	}
	return a.formatted(c, &format, "text", "json")
}

// diagnosis is the result in JSON.
type diagnosis struct {
	SchemaVersion int            `json:"schema_version"`
	OK            bool           `json:"ok"` // nothing is missing
	Skills        []doctor.Skill `json:"skills"`
	Program       programStatus  `json:"program"`
	Sandbox       sandboxStatus  `json:"sandbox"`
	Model         modelStatus    `json:"model"`
}

// programStatus compares this program with the one that its name starts.
type programStatus struct {
	Path   string `json:"path"`
	OnPath string `json:"on_path"` // the first program named skills on PATH, or ""
	Hint   string `json:"hint"`    // what to do if that is another program, or ""
}

// sandboxStatus describes the sandbox for scripts.
type sandboxStatus struct {
	Name string   `json:"name"` // or "none"
	Gaps []string `json:"gaps"` // what it does not enforce, or why there is none
	Hint string   `json:"hint"` // how to get a stronger one, or ""
}

// modelStatus describes the model that a run would use. It never contains a key.
type modelStatus struct {
	BaseURL     string  `json:"base_url"`
	Model       string  `json:"model"`
	KeyVariable string  `json:"key_variable"` // the variable that contains the key, or ""
	Error       *string `json:"error"`        // why no model is available, or null
	Hint        string  `json:"hint"`
}

func (a *app) doctor(ctx context.Context, format string, args []string) error {
	r := a.newRunner(runner.Options{Skills: args, Sandbox: string(script.SandboxAuto), ScriptTimeout: script.DefaultTimeout})
	r.ReadKeys(ctx)
	found, err := doctor.Find(ctx, args, loader.DefaultRoots(a.Dir, a.Home), a.notice)
	if err != nil {
		return runner.Hinted(err)
	}
	out := diagnosis{SchemaVersion: 1, OK: true, Skills: []doctor.Skill{}, Program: a.findProgram(), Sandbox: findSandbox(ctx, r), Model: a.findModel(ctx, r)}
	// Interpreters are needed even without a sandbox.
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
		return reported()
	}
	return err
}

// findProgram finds this program on PATH.
func (a *app) findProgram() programStatus {
	p := programStatus{Path: sandbox.Real(a.Self)}
	p.OnPath, _ = (&script.Runner{Env: a.Environ}).Find("skills")
	found, ours := sandbox.Real(p.OnPath), filepath.Dir(p.Path)
	switch {
	case p.OnPath == "":
		p.Hint = "add " + ours + " to PATH"
	case found != p.Path && filepath.Join(filepath.Dir(found), "bin") != ours: // location in the npm package
		p.Hint = "put " + ours + " first on PATH, or rename the other program"
	}
	return p
}

// findModel finds the server like run, without sending a request.
func (a *app) findModel(ctx context.Context, r *runner.Runner) modelStatus {
	s, err := r.FindServer(ctx)
	status := modelStatus{BaseURL: runner.PublicURL(s.BaseURL), Model: s.Model, KeyVariable: s.KeyVariable}
	if err != nil {
		message := a.mask.Text(err.Error())
		status.Error, status.Hint = &message, runner.HintOf(err)
	}
	return status
}

// findSandbox finds the sandbox that run would use.
func findSandbox(ctx context.Context, r *runner.Runner) sandboxStatus {
	var c sandbox.Status
	scripts, err := r.ScriptRunner()
	if err == nil {
		defer scripts.Close()
		c, err = scripts.TrySandbox(ctx)
	}
	switch {
	case err != nil:
		return sandboxStatus{Name: "none", Gaps: []string{err.Error()}}
	case c.Name == "none":
		return sandboxStatus{c.Name, c.NotEnforced, strongerSandbox(c.NotEnforced)}
	}
	gaps := append([]string{}, c.NotEnforced...)
	for _, why := range c.Tried {
		gaps = append(gaps, "a stronger sandbox is not available: "+why)
	}
	return sandboxStatus{c.Name, gaps, strongerSandbox(gaps)}
}

// strongerSandbox returns how to get a sandbox with fewer gaps.
func strongerSandbox(gaps []string) string {
	if slices.ContainsFunc(gaps, func(gap string) bool { return strings.Contains(gap, "bwrap is not on PATH") }) {
		return "install bubblewrap (your package manager), the strongest sandbox"
	}
	return ""
}
