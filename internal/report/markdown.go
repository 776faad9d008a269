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
	rows, bytes, more int // listed rows, their size, and omitted rows
}

func newMarkdown(opt Options) writer { return &markdown{Options: opt} }

func (m *markdown) skill(w *bytes.Buffer, s Skill) {
	full := func() bool { return m.rows == maxRows || m.bytes+w.Len() > maxBytes }
	ds := slices.DeleteFunc(slices.Clone(s.Diagnostics), func(d spec.Diagnostic) bool { return !shown(d.Level, m.Options) })
	if len(ds) > 0 && !full() {
		fmt.Fprintf(w, "\n### %s\n\n| Place | Level | Finding | Rule |\n|---|---|---|---|\n", MarkdownText(s.Path))
	}
	for _, d := range ds {
		if full() {
			m.more++
			continue
		}
		m.rows++
		writeRow(w, s, d)
	}
	m.bytes += w.Len()
}

func (m *markdown) frame(c Counts) (head, tail string) {
	verdict := "passed"
	if c.Fail(m.Options) {
		verdict = "failed"
	}
	if m.more > 0 {
		tail = fmt.Sprintf("\n… and %d more.\n", m.more)
	}
	if c.fixable > 0 {
		tail += fmt.Sprintf("\n%d fixable with `skills validate --fix`.\n", c.fixable)
	}
	return fmt.Sprintf("## Skills check %s: %s\n", verdict, c.verdict(m.Options)), tail
}

func writeRow(w *bytes.Buffer, s Skill, d spec.Diagnostic) {
	place := d.Place()
	if rel, err := filepath.Rel(s.Path, d.Path); err == nil && filepath.IsLocal(rel) && rel != "." {
		place = rel + strings.TrimPrefix(place, d.Path)
	}
	text := MarkdownText(d.Message)
	if d.Help != "" {
		text += "<br>help: " + MarkdownText(d.Help)
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s |\n", MarkdownText(place), d.Level, text, MarkdownText(d.Rule))
}

// MarkdownText escapes text for one line, also in a table cell, so that it
// contains no Markdown or HTML. Long text is truncated.
func MarkdownText(s string) string {
	s = printable.Truncate(printable.Line(s), maxCell)
	return markdownEscapes.Replace(s)
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`,
	"[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "!", `\!`, "#", `\#`, "@", `\@`)
