package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// writeText writes each finding as path:line:col: level: message [rule], the
// underlined source line, and the help; then a summary in one line.
func writeText(w io.Writer, r Report, opt Options) error {
	out := bufio.NewWriter(w)
	st := newStyles(w, opt.Colour)
	for _, s := range r.Skills {
		for _, d := range s.Diagnostics {
			if shown(d.Level, opt) {
				writeFinding(out, st, d)
			}
		}
	}
	if !opt.Quiet {
		writeSummary(out, st, r, opt)
	}
	return out.Flush()
}

func shown(l spec.Level, opt Options) bool {
	switch {
	case l == spec.Error:
		return true
	case opt.Quiet:
		return l == spec.Warning && opt.Strict
	}
	return l == spec.Warning || opt.Verbose
}

func writeFinding(w io.Writer, st styles, d spec.Diagnostic) {
	fmt.Fprintf(w, "%s: %s: %s %s\n", st.place.Render(printable.Line(d.Place())), st.level(d.Level),
		st.message.Render(printable.Line(d.Message)), st.dim.Render("["+printable.Line(d.Rule)+"]"))
	if !d.Sensitive { // logs are public more often than skills
		writeSnippet(w, st, d.Snippet, d.Span)
	}
	help := d.Help
	if d.Fix != nil && help == "" {
		help = d.Fix.Description
	}
	if help == "" {
		return
	}
	fmt.Fprintf(w, "  %s %s", st.help.Render("help:"), printable.Line(help))
	if d.Fix != nil {
		fmt.Fprint(w, " ", st.dim.Render("[--fix]"))
	}
	fmt.Fprintln(w)
}

// writeSnippet shows the source line with the span underlined. Long lines are
// truncated around it.
func writeSnippet(w io.Writer, st styles, line string, span spec.Span) {
	if strings.TrimSpace(line) == "" {
		return
	}
	runes := []rune(line)
	from := min(max(span.Start.Column-1, 0), len(runes))
	to := len(runes)
	if span.End.Line == span.Start.Line {
		to = min(max(span.End.Column-1, from+1), len(runes))
	}
	lead, tail := "", ""
	const before, most = 50, 110
	if from > before+10 && len(runes) > most {
		runes, from, to, lead = runes[from-before:], before, to-(from-before), "…"
	}
	if len(runes) > most {
		runes, to, tail = runes[:most], min(to, most), "…"
	}
	// Tabs are expanded so that the caret is below its character.
	clean := func(r []rune) string {
		return strings.ReplaceAll(printable.Text(string(r)), "\t", "    ")
	}
	head, culprit := lead+clean(runes[:min(from, len(runes))]), ""
	if from < to {
		culprit = clean(runes[from:to])
	}
	number := strconv.Itoa(span.Start.Line)
	bar := st.dim.Render("|")
	fmt.Fprintf(w, "  %s %s %s%s%s\n", st.dim.Render(number), bar, head, culprit, clean(runes[min(max(from, to), len(runes)):])+tail)
	fmt.Fprintf(w, "  %s %s %s%s\n", strings.Repeat(" ", len(number)), bar, strings.Repeat(" ", lipgloss.Width(head)),
		st.caret.Render(strings.Repeat("^", max(lipgloss.Width(culprit), 1))))
}

// writeSummary ends the report: the reference library's line for a single valid
// skill, otherwise the counts.
func writeSummary(w io.Writer, st styles, r Report, opt Options) {
	c := r.Count()
	if c.Skills == 1 && c.Valid == 1 && !(opt.Strict && c.Warnings > 0) {
		fmt.Fprintf(w, "%s %s\n", st.good.Render("Valid skill:"), printable.Line(r.Skills[0].Path))
		return
	}
	text := r.verdict()
	if n := r.fixable(opt); n > 0 {
		text += fmt.Sprintf(" (%d fixable with --fix)", n)
	}
	fmt.Fprintln(w, st.summary(c).Render(text))
}

// styles are the colours of the text format.
type styles struct {
	place, message, dim, help, caret, good lipgloss.Style
	levels                                 map[spec.Level]lipgloss.Style
}

func newStyles(w io.Writer, colour bool) styles {
	r := terminal.Styles(w, colour)
	style := func(colour string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(colour)) }
	return styles{
		place:   r.NewStyle().Bold(true),
		message: r.NewStyle(),
		dim:     r.NewStyle().Faint(true),
		help:    style("6"),
		caret:   style("1").Bold(true),
		good:    style("2"),
		levels: map[spec.Level]lipgloss.Style{
			spec.Error: style("1").Bold(true), spec.Warning: style("3").Bold(true), spec.Info: style("4"),
		},
	}
}

func (s styles) level(l spec.Level) string { return s.levels[l].Render(l.String()) }

func (s styles) summary(c Counts) lipgloss.Style {
	switch {
	case c.Errors > 0:
		return s.levels[spec.Error]
	case c.Warnings > 0:
		return s.levels[spec.Warning]
	}
	return s.good
}
