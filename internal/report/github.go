package report

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// github writes a workflow command for each finding, which GitHub Actions shows
// next to the line. Paths are relative to the root of the repository, as GitHub
// requires. GitHub shows only the first ten errors and warnings of a step; the
// log contains all.
type github struct{ Options }

func newGitHub(opt Options) writer { return github{opt} }

func (g github) skill(w *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		w.WriteString(githubCommand(d, g.Rooted(d.Path)))
	}
}

func (github) frame(Counts) (head, tail string) { return "", "" }

func githubCommand(d spec.Diagnostic, file string) string {
	command := map[spec.Level]string{spec.Error: "error", spec.Warning: "warning"}[d.Level]
	if command == "" {
		command = "notice"
	}
	properties := []string{"file=" + githubProperty(filepath.ToSlash(file))}
	number := func(name string, n int) { properties = append(properties, name+"="+strconv.Itoa(n)) }
	if start, end := d.Span.Start, d.Span.End; start.Line > 0 {
		number("line", start.Line)
		switch {
		case end.Line > start.Line:
			number("endLine", end.Line) // columns require a single line
		default:
			number("col", max(start.Column, 1))
			number("endLine", start.Line)
			number("endColumn", max(end.Column, start.Column, 1))
		}
	}
	properties = append(properties, "title="+githubProperty(d.Rule))
	text := d.Message
	if d.Help != "" {
		text += "\nhelp: " + d.Help
	}
	if also := otherPlaces(d); also != "" {
		text += "\nalso: " + also
	}
	return "::" + command + " " + strings.Join(properties, ",") + "::" + githubData(text) + "\n"
}

// githubData escapes the text of a command.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(printable.Text(s))
}

// githubProperty escapes a property's value, in which commas and colons are
// special.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
