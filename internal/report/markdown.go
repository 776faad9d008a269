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
// skill that has any.
type markdown struct {
	Options
	text       strings.Builder
	rows, more int // listed and omitted rows
}

func newMarkdown(opt Options) writer { return &markdown{Options: opt} }

func (m *markdown) skill(_ *bytes.Buffer, s Skill) {
	full := func() bool { return m.rows == maxRows || m.text.Len() > maxBytes }
	ds := slices.DeleteFunc(slices.Clone(s.Diagnostics), func(d spec.Diagnostic) bool { return !shown(d.Level, m.Options) })
	if len(ds) > 0 && !full() {
		fmt.Fprintf(&m.text, "\n### %s\n\n| Place | Level | Finding | Rule |\n|---|---|---|---|\n", MarkdownText(s.Path))
	}
	for _, d := range ds {
		if full() {
			m.more++
			continue
		}
		m.rows++
		m.row(s, d)
	}
}

func (m *markdown) finish(w *bytes.Buffer, c Counts) {
	verdict := "passed"
	if c.Fail(m.Options) {
		verdict = "failed"
	}
	fmt.Fprintf(w, "## Skills check %s: %s\n%s", verdict, c.verdict(m.Options), m.text.String())
	if m.more > 0 {
		fmt.Fprintf(w, "\n… and %d more.\n", m.more)
	}
	if c.fixable > 0 {
		fmt.Fprintf(w, "\n%d fixable with `skills validate --fix`.\n", c.fixable)
	}
}

func (m *markdown) row(s Skill, d spec.Diagnostic) {
	place := d.Place()
	if rel, err := filepath.Rel(s.Path, d.Path); err == nil && filepath.IsLocal(rel) && rel != "." {
		place = rel + strings.TrimPrefix(place, d.Path)
	}
	text := MarkdownText(d.Message)
	if d.Help != "" {
		text += "<br>help: " + MarkdownText(d.Help)
	}
	fmt.Fprintf(&m.text, "| %s | %s | %s | %s |\n", MarkdownText(place), d.Level, text, MarkdownText(d.Rule))
}

// MarkdownText escapes text for one line, also in a table cell, so that it
// contains no Markdown or HTML. Long text is truncated.
func MarkdownText(s string) string {
	s = printable.Truncate(printable.Line(s), maxCell)
	return markdownEscapes.Replace(s)
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`,
	"[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "!", `\!`, "#", `\#`, "@", `\@`)
