package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/doctor"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/terminal"
)

// maxShownScripts is how many scripts a line names.
const maxShownScripts = 3

// checkList is the text format.
type checkList struct {
	strings.Builder
	good, bad, unsure, bold, dim lipgloss.Style

	mask *redact.Masker
}

// printDiagnosis prints a check list: what is there, what is not, and what to
// do about it.
func (a *app) printDiagnosis(d diagnosis) error {
	r := terminal.Styles(a.Stdout, a.colours(a.Stdout))
	colour := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	l := &checkList{good: colour("2"), bad: colour("1"), unsure: colour("3"), bold: r.NewStyle().Bold(true), dim: r.NewStyle().Faint(true), mask: a.mask}
	lacking := []string{}
	for _, s := range d.Skills {
		l.skill(s)
		if !s.OK {
			lacking = append(lacking, l.harmless(s.Name))
		}
	}
	if len(d.Skills) == 0 {
		l.WriteString("no skills found\n\n")
	}
	l.title("sandbox", "")
	if d.Sandbox.Name == "none" {
		l.line(doctor.Unsure, "scripts run unconfined: "+strings.Join(d.Sandbox.Gaps, "; "), d.Sandbox.Hint)
	} else {
		l.line(doctor.OK, d.Sandbox.Name, "")
		for i, gap := range d.Sandbox.Gaps {
			hint := ""
			if i == len(d.Sandbox.Gaps)-1 {
				hint = d.Sandbox.Hint
			}
			l.line(doctor.Unsure, gap, hint)
		}
	}
	l.WriteByte('\n')
	l.model(d.Model)
	switch {
	case len(lacking) > 0:
		fmt.Fprintf(l, "\n%d of %d skills lack something: %s\n", len(lacking), len(d.Skills), strings.Join(lacking, ", "))
	case len(d.Skills) == 1:
		l.WriteString("\nthe skill has what it needs\n")
	case len(d.Skills) > 1:
		fmt.Fprintf(l, "\n%d skills have what they need\n", len(d.Skills))
	}
	_, err := io.WriteString(a.Stdout, l.String())
	return err
}

// harmless is a text without keys, on one line, that moves no cursor.
func (l *checkList) harmless(text string) string { return printable.Line(l.mask.Text(text)) }

func (l *checkList) title(name, path string) {
	l.WriteString(l.bold.Render(l.harmless(name)))
	if path != "" {
		l.WriteString(l.dim.Render(" (" + l.harmless(path) + ")"))
	}
	l.WriteByte('\n')
}

// line is one check, with what to do about it below.
func (l *checkList) line(state doctor.State, text, hint string) {
	mark := l.good.Render("✓")
	switch state {
	case doctor.Missing:
		mark = l.bad.Render("✗")
	case doctor.Unsure:
		mark = l.unsure.Render("!")
	}
	l.WriteString("  " + mark + " " + printable.TruncateMiddle(l.harmless(text), 300) + "\n")
	if hint != "" {
		l.WriteString("    " + l.dim.Render(l.harmless(hint)) + "\n")
	}
}

func (l *checkList) skill(s doctor.Skill) {
	l.title(s.Name, s.Path)
	if len(s.Checks) == 0 {
		l.line(doctor.OK, "needs nothing", "")
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
		case c.Kind == "command":
			text += ", named by compatibility"
		case c.Kind != "script" && len(c.For) > 0:
			text += ", for " + scripts(c.For)
		}
		if c.Path != "" {
			text += " (" + c.Path + ")"
		}
		l.line(c.State, text, c.Hint)
	}
	l.WriteByte('\n')
}

func scripts(names []string) string {
	if more := len(names) - maxShownScripts; more > 0 {
		return strings.Join(names[:maxShownScripts], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

func (l *checkList) model(m modelTold) {
	l.title("model", "")
	if m.Error != nil {
		l.line(doctor.Unsure, *m.Error, m.Hint)
		return
	}
	key := "without a key"
	if m.KeyVariable != "" {
		key = "with the key in " + m.KeyVariable
	}
	l.line(doctor.OK, m.Model+" at "+m.BaseURL+", "+key, "")
}
