package doctor

// The text format: a checklist with the hint for each line that is not fine.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/printable"
	"skills/internal/redact"
)

// maxShownScripts is how many scripts a line lists.
const maxShownScripts = 3

// checkList is the text format.
type checkList struct {
	strings.Builder
	marks     map[State]string
	bold, dim lipgloss.Style
	mask      *redact.Masker
	width     int // columns of the terminal, 0 for none
}

func newCheckList(styles *lipgloss.Renderer, width int, mask *redact.Masker) *checkList {
	colour := func(c, mark string) string {
		return styles.NewStyle().Foreground(lipgloss.Color(c)).Render(mark)
	}
	return &checkList{
		marks: map[State]string{OK: colour("2", "✓"), Missing: colour("1", "✗"), Unsure: colour("3", "!")},
		bold:  styles.NewStyle().Bold(true), dim: styles.NewStyle().Faint(true), mask: mask, width: width,
	}
}

// Text returns a checklist: what is installed, what is missing, and how to fix it.
func (d Diagnosis) Text(styles *lipgloss.Renderer, width int, mask *redact.Masker) string {
	l := newCheckList(styles, width, mask)
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
		l.line(Unsure, text, p.Hint)
		l.WriteByte('\n')
	}
	l.title("sandbox", "")
	if d.Sandbox.Name == "none" {
		l.line(Unsure, "no sandbox: "+strings.Join(d.Sandbox.Gaps, "; "), d.Sandbox.Hint)
	} else {
		l.line(OK, d.Sandbox.Name, "")
		for _, gap := range d.Sandbox.Gaps {
			l.line(Unsure, gap, "")
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
	return l.String()
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
func (l *checkList) line(state State, text, hint string) {
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

func (l *checkList) skill(s Skill) {
	l.title(s.Name, s.Path)
	if len(s.Checks) == 0 {
		l.line(OK, "no requirements", "")
	}
	for _, c := range s.Checks {
		text := c.Name
		switch {
		case c.Kind == "skill" || c.Kind == "script":
			text = c.Message
		case c.Message != "":
			text += ": " + c.Message
		}
		if c.Version != "" && c.State == OK {
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

func (l *checkList) model(m Model) {
	l.title("model", "")
	if m.Error != nil {
		l.line(Unsure, *m.Error, m.Hint)
		return
	}
	key := "no API key"
	if m.KeyVariable != "" {
		key = "API key from " + m.KeyVariable
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		key += ", header " + name + ": " + m.Headers[name]
	}
	model := m.Model
	if m.Server != "" {
		model = m.Server + "/" + m.Model
	}
	l.line(OK, model+" at "+m.BaseURL+", "+key, "")
}
