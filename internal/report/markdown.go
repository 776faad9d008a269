package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// A job summary may have up to 1 MiB for a step, which is more than anyone reads.
const (
	maxRows  = 300       // findings that are listed
	maxCell  = 400       // code points of one cell
	maxBytes = 512 << 10 // after which nothing more is listed
)

// writeMarkdown writes a heading with the verdict and a table of findings for
// each skill that has any.
func writeMarkdown(w io.Writer, r Report, opt Options) error {
	var out strings.Builder
	c := r.Count()
	verdict := "passed"
	if c.Errors > 0 || opt.Strict && c.Warnings > 0 {
		verdict = "failed"
	}
	fmt.Fprintf(&out, "## Skills check %s: %s\n", verdict, r.verdict(opt))
	left, more := maxRows, 0
	for _, s := range r.Skills {
		failures, rest := s.split(opt)
		n := len(failures) + len(rest)
		if n == 0 {
			continue
		}
		if out.Len() > maxBytes {
			left = 0
		}
		if left > 0 {
			fmt.Fprintf(&out, "\n### %s\n\n| Place | Level | Finding | Rule |\n|---|---|---|---|\n", markdownText(s.Path))
		}
		for _, d := range s.Diagnostics {
			switch {
			case !shown(d.Level, opt):
			case left > 0 && out.Len() < maxBytes:
				left--
				writeRow(&out, s, d)
			default:
				more++
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(&out, "\n… and %d more.\n", more)
	}
	if n := r.fixable(opt); n > 0 {
		fmt.Fprintf(&out, "\n%d fixable with `skills validate --fix`.\n", n)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeRow(w io.Writer, s Skill, d spec.Diagnostic) {
	place := d.Place()
	if rel, err := filepath.Rel(s.Path, d.Path); err == nil && filepath.IsLocal(rel) && rel != "." {
		place = rel + strings.TrimPrefix(place, d.Path)
	}
	text := markdownText(d.Message)
	if d.Help != "" {
		text += "<br>help: " + markdownText(d.Help)
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s |\n", markdownText(place), d.Level, text, markdownText(d.Rule))
}

// markdownText escapes text for one line, also in a table cell: nothing in it is
// Markdown or HTML. Long text is truncated.
func markdownText(s string) string {
	s = printable.Truncate(printable.Line(s), maxCell)
	return markdownEscapes.Replace(s)
}

var markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`,
	"[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "!", `\!`, "#", `\#`, "@", `\@`)
