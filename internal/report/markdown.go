package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// GitHub limits a step's job summary to 1 MiB, which is more than anyone reads.
const (
	maxRows  = 300       // listed findings
	maxCell  = 400       // code points per cell
	maxBytes = 512 << 10 // no more findings are listed beyond this size
)

// markdown writes a heading with the verdict and a table of findings for each
// skill that has any. If there are too many, it lists errors first.
type markdown struct {
	Options
	rows  map[spec.Level][]row // at most maxRows of each level
	found int                  // including those that are not listed
}

// row is a finding in the table of its skill.
type row struct {
	number      int // in the report
	skill, text string
}

func newMarkdown(opt Options) writer { return &markdown{Options: opt, rows: map[spec.Level][]row{}} }

func (m *markdown) skill(_ *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		m.found++
		if len(m.rows[d.Level]) < maxRows {
			m.rows[d.Level] = append(m.rows[d.Level], row{m.found, s.Path, rowOf(s, d)})
		}
	}
}

func (m *markdown) frame(c Counts) (head, tail string) {
	verdict := "passed"
	if c.Fail(m.Options) {
		verdict = "failed"
	}
	list, bytes := slices.Concat(m.rows[spec.Error], m.rows[spec.Warning], m.rows[spec.Info]), 0
	for i, r := range list {
		bytes += len(r.text)
		if i == maxRows || bytes > maxBytes {
			list = list[:i]
			break
		}
	}
	slices.SortFunc(list, func(a, b row) int { return a.number - b.number })
	var w strings.Builder
	skill := ""
	for i, r := range list {
		if i == 0 || r.skill != skill {
			skill = r.skill
			fmt.Fprintf(&w, "\n### %s\n\n| Place | Level | Finding | Rule |\n|---|---|---|---|\n", MarkdownText(skill))
		}
		w.WriteString(r.text)
	}
	if more := m.found - len(list); more > 0 {
		fmt.Fprintf(&w, "\n… and %d more.\n", more)
	}
	if c.fixable > 0 {
		fmt.Fprintf(&w, "\n%d fixable with `skills validate --fix`.\n", c.fixable)
	}
	return fmt.Sprintf("## Skills check %s\n\n%s\n", verdict, c.verdict(m.Options)), w.String()
}

func rowOf(s Skill, d spec.Diagnostic) string {
	place := d.Place()
	if rel, err := filepath.Rel(s.Path, d.Path); err == nil && filepath.IsLocal(rel) && rel != "." {
		place = rel + strings.TrimPrefix(place, d.Path)
	}
	text := MarkdownText(d.Message)
	if d.Help != "" {
		text += "<br>help: " + MarkdownText(d.Help)
	}
	if also := otherPlaces(d); also != "" {
		text += "<br>also: " + MarkdownText(also)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", MarkdownText(place), d.Level, text, MarkdownText(d.Rule))
}

// MarkdownText escapes text for one line, also in a table cell, so that it
// contains no Markdown or HTML. Long text is truncated.
func MarkdownText(s string) string {
	s = printable.Truncate(printable.Line(s), maxCell)
	return markdownEscapes.Replace(s)
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`,
	"[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "!", `\!`, "#", `\#`, "@", `\@`)
