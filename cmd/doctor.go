package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"skills/internal/doctor"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/runner"
	"skills/internal/script"
	"skills/internal/terminal"
)

func (a *app) doctorCommand() *cobra.Command {
	format := ""
	c := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check that the tools your skills need are installed",
		Long: `Check that the tools your skills need are installed.

It checks the interpreters of scripts (by shebang line, extension and PEP 723 metadata) and
the programs that compatibility fields name, with the minimum versions given there. It also
checks known programs that commands and shell scripts start. It reports the sandbox for
scripts, and the server and model that run would use. The skills are those under the paths,
by default those that run finds.

Nothing is installed or changed, no script is run and no network is used. Well-known programs
on PATH are run for their version, except those in a skill or below the working folder. The
compatibility field is free text: what may be optional is a warning (!), not a failure. So is
a program that only a command starts.`,
		Example: `  skills doctor
  skills doctor ./my-skill
  skills doctor --format json .agents/skills`,
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
	Program       doctor.Program `json:"program"`
	Sandbox       doctor.Sandbox `json:"sandbox"`
	Model         modelStatus    `json:"model"`
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
		return runner.AsUsageErrorIfHinted(err)
	}
	scripts, err := r.ScriptRunner()
	if err != nil {
		return err
	}
	defer scripts.Close()
	// Interpreters are needed even without a sandbox.
	d := &doctor.Doctor{Runner: &script.Runner{Dir: a.Dir, Env: a.Environ, Sandbox: script.SandboxOff}}
	out := diagnosis{
		SchemaVersion: 1, OK: true, Skills: []doctor.Skill{}, Program: doctor.FindProgram(d.Runner, "skills", a.Self),
		Sandbox: doctor.FindSandbox(ctx, scripts),
	}
	server, err := r.FindServer(ctx) // like run, without a request
	out.Model = modelStatus{BaseURL: runner.PublicURL(server.BaseURL), Model: server.Model, KeyVariable: server.KeyVariable}
	if err != nil {
		message := a.mask.Text(err.Error())
		out.Model.Error, out.Model.Hint = &message, runner.HintOf(err)
	}
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
	return cmp.Or(err, reported(!out.OK))
}

// maxShownScripts is how many scripts a line lists.
const maxShownScripts = 3

// checkList is the text format.
type checkList struct {
	strings.Builder
	marks     map[doctor.State]string
	bold, dim lipgloss.Style
	mask      *redact.Masker
	width     int // columns of the terminal, 0 for none
}

// printDiagnosis prints a checklist: what is installed, what is missing, and how to fix
// it.
func (a *app) printDiagnosis(d diagnosis) error {
	r := terminal.Styles(a.Stdout, a.colours(a.Stdout))
	colour := func(c, mark string) string { return r.NewStyle().Foreground(lipgloss.Color(c)).Render(mark) }
	l := &checkList{
		marks: map[doctor.State]string{doctor.OK: colour("2", "✓"), doctor.Missing: colour("1", "✗"), doctor.Unsure: colour("3", "!")},
		bold:  r.NewStyle().Bold(true), dim: r.NewStyle().Faint(true), mask: a.mask, width: terminal.Width(a.Stdout),
	}
	missing := []string{}
	for _, s := range d.Skills {
		l.skill(s)
		if !s.OK {
			missing = append(missing, l.safe(s.Name))
		}
	}
	if len(d.Skills) == 0 {
		l.WriteString("no skills found\n\n")
	}
	if p := d.Program; p.Hint != "" {
		l.title("program", p.Path)
		text := "skills is not on PATH"
		if p.OnPath != "" {
			text = "PATH finds another program called skills: " + p.OnPath
		}
		l.line(doctor.Unsure, text, p.Hint)
		l.WriteByte('\n')
	}
	l.title("sandbox", "")
	if d.Sandbox.Name == "none" {
		l.line(doctor.Unsure, "no sandbox: "+strings.Join(d.Sandbox.NotEnforced, "; "), d.Sandbox.Hint)
	} else {
		l.line(doctor.OK, d.Sandbox.Name, "")
		for _, gap := range d.Sandbox.NotEnforced {
			l.line(doctor.Unsure, gap, "")
		}
		l.hint(d.Sandbox.Hint)
	}
	l.WriteByte('\n')
	l.model(d.Model)
	text := ""
	switch {
	case len(missing) > 0:
		text = fmt.Sprintf("%d of %d skills need something that is missing: %s", len(missing), len(d.Skills), strings.Join(missing, ", "))
	case len(d.Skills) == 1:
		text = "the skill has everything it needs"
	case len(d.Skills) > 1:
		text = fmt.Sprintf("%d skills have everything they need", len(d.Skills))
	}
	if text != "" {
		l.WriteString("\n" + printable.Fold(text, 0, l.width, "  ") + "\n")
	}
	_, err := io.WriteString(a.Stdout, l.String())
	return err
}

// safe returns a text on one line, without keys and control characters.
func (l *checkList) safe(text string) string { return printable.Line(l.mask.Text(text)) }

func (l *checkList) title(name, path string) {
	text := l.bold.Render(l.safe(name))
	if path != "" {
		text += " " + l.dim.Render("("+l.safe(path)+")")
	}
	l.WriteString(printable.Fold(text, 0, l.width, "  ") + "\n")
}

// line writes one check, followed by its hint.
func (l *checkList) line(state doctor.State, text, hint string) {
	l.WriteString("  " + l.marks[state] + " " + l.fold(printable.TruncateMiddle(l.safe(text), 300)) + "\n")
	l.hint(hint)
}

func (l *checkList) hint(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(l.fold(l.safe(text)), "\n") {
		l.WriteString("    " + l.dim.Render(strings.TrimLeft(line, " ")) + "\n")
	}
}

// fold breaks a text that starts in the fifth column.
func (l *checkList) fold(text string) string { return printable.Fold(text, 4, l.width, "    ") }

func (l *checkList) skill(s doctor.Skill) {
	l.title(s.Name, s.Path)
	if len(s.Checks) == 0 {
		l.line(doctor.OK, "no requirements", "")
	}
	for _, c := range s.Checks {
		text := c.Name
		switch {
		case c.Kind == "skill" || c.Kind == "script":
			text = c.Message
		case c.Message != "":
			text += ": " + c.Message
		}
		if c.Version != "" && c.State == doctor.OK {
			text += " " + c.Version
		}
		switch {
		case c.Kind == "command" && len(c.For) == 0:
			text += ", named by compatibility"
		case c.Kind != "script" && len(c.For) > 0:
			text += ", for " + printable.List(c.For, maxShownScripts)
		}
		if c.Path != "" {
			text += " (" + c.Path + ")"
		}
		l.line(c.State, text, c.Hint)
	}
	l.WriteByte('\n')
}

func (l *checkList) model(m modelStatus) {
	l.title("model", "")
	if m.Error != nil {
		l.line(doctor.Unsure, *m.Error, m.Hint)
		return
	}
	key := "no API key"
	if m.KeyVariable != "" {
		key = "API key from " + m.KeyVariable
	}
	l.line(doctor.OK, m.Model+" at "+m.BaseURL+", "+key, "")
}
