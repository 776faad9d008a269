package report

// The report for people. A finding says where it is, what is wrong and what to do; a hint or
// the name of a page that was printed once for a rule is not printed again. It starts with
// its place as path:line:col, which editors and terminals recognise.

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// text writes each finding as path:line:col: level: message [rule], the
// underlined source line, the help and the rule's page, with a blank line
// between findings, then a summary in one line.
type text struct {
	Options
	styles
	clients clientTable
	said    map[string]bool // hints, and rules whose page is named
	written bool
}

func newText(opt Options) writer {
	return &text{Options: opt, styles: newStyles(opt.Colour), clients: clientTable{counts: map[string]map[clients.Outcome]int{}}, said: map[string]bool{}}
}

func (t *text) skill(w *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		t.finding(w, d)
		w.WriteByte('\n')
		t.written = true
	}
	t.clients.add(s, t.Options)
}

func (t *text) frame(c Counts) (head, tail string) {
	tail = t.clients.text()
	if !t.Quiet || t.written {
		tail += t.summary(c, t.Options)
	}
	return "", tail
}

// finding writes one finding.
func (t *text) finding(w io.Writer, d spec.Diagnostic) {
	st, opt := t.styles, t.Options
	writeHeader(w, st, d, opt.Width)
	if !d.Sensitive { // logs are more often public than skills
		show := printable.Text
		if d.Rule == "hidden-text" {
			show = printable.Strict
		}
		writeSnippet(w, st, show, d.Snippet, d.Span, opt.Width)
	}
	help := d.Help
	if d.Fix != nil && help == "" {
		help = d.Fix.Description
	}
	if help != "" && !t.repeated(d.Rule+" "+help) {
		const mark = "[--fix]"
		help = printable.Line(help)
		if d.Fix != nil {
			help += " " + mark
		}
		help = printable.Fold(help, len("  help: "), opt.Width, "        ")
		if d.Fix != nil {
			help = strings.TrimSuffix(help, mark) + st.dim.Render(mark)
		}
		fmt.Fprintf(w, "  %s %s\n", st.help.Render("help:"), help)
	}
	if also := otherPlaces(d); also != "" {
		fmt.Fprintf(w, "  %s %s\n", st.help.Render("also:"), printable.Fold(also, len("  also: "), opt.Width, "        "))
	}
	if !t.repeated(d.Rule) {
		more := st.dim.Render("skills rules " + printable.Line(d.Rule))
		if page := opt.Page(d.Rule); opt.Links && page != "" {
			more = "\x1b]8;;" + page + "\x1b\\" + more + "\x1b]8;;\x1b\\"
		}
		fmt.Fprintf(w, "  %s %s\n", st.help.Render("more:"), more)
	}
}

// repeated reports whether a text was printed before, and remembers it.
func (t *text) repeated(text string) bool {
	said := t.said[text]
	t.said[text] = true
	return said
}

// writeHeader writes the line with the place, level, message and rule of a finding.
func writeHeader(w io.Writer, st styles, d spec.Diagnostic, width int) {
	place, level, id := printable.Line(d.Place()), d.Level.String(), "["+printable.Line(d.Rule)+"]"
	rest := printable.Fold(" "+level+": "+printable.Line(d.Message)+" "+id, printable.Width(place)+1, width, "    ")
	rest = strings.Replace(strings.TrimSuffix(rest, id), level, st.level(d.Level), 1)
	fmt.Fprintf(w, "%s:%s%s\n", st.place.Render(place), rest, st.dim.Render(id))
}

// concise writes the first line of each finding, whatever its length, and a summary.
type concise struct {
	*text
}

func newConcise(opt Options) writer {
	opt.Width = 0
	return concise{newText(opt).(*text)}
}

func (c concise) skill(w *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		writeHeader(w, c.styles, d, 0)
		c.written = true
	}
	c.clients.add(s, c.Options)
}

// writeSnippet writes the source line as show returns it, with the span
// underlined. Long lines are truncated around it.
func writeSnippet(w io.Writer, st styles, show func(string) string, line string, span spec.Span, width int) {
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
	number := strconv.Itoa(span.Start.Line)
	most := 110
	if room := width - len(number) - 7; width > 0 && most > room { // columns of ellipses, marks and spaces
		most = max(room, 20)
	}
	before := min(50, most/2)
	if from > before+before/5 && len(runes) > most {
		runes, from, to, lead = runes[from-before:], before, to-(from-before), "…"
	}
	if len(runes) > most {
		runes, to, tail = runes[:most], min(to, most), "…"
	}
	for width > 0 && lipgloss.Width(string(runes)) > most { // wide characters need two columns
		if to < len(runes) {
			runes, tail = runes[:len(runes)-1], "…"
		} else if from > 0 {
			runes, from, to, lead = runes[1:], from-1, to-1, "…"
		} else {
			break
		}
	}
	// Tabs are expanded so that the caret is below its character.
	clean := func(r []rune) string {
		return strings.ReplaceAll(show(string(r)), "\t", "    ")
	}
	head, culprit := lead+clean(runes[:min(from, len(runes))]), ""
	if from < to {
		culprit = clean(runes[from:to])
	}
	bar := st.dim.Render("|")
	fmt.Fprintf(w, "  %s %s %s%s%s\n", st.dim.Render(number), bar, head, culprit, clean(runes[min(max(from, to), len(runes)):])+tail)
	fmt.Fprintf(w, "  %s %s %s%s\n", strings.Repeat(" ", len(number)), bar, strings.Repeat(" ", lipgloss.Width(head)),
		st.caret.Render(strings.Repeat("^", max(lipgloss.Width(culprit), 1))))
}

// styles holds the colours of the text format.
type styles struct {
	place, dim, help, caret, good lipgloss.Style
	levels                        map[spec.Level]lipgloss.Style
}

func newStyles(colour bool) styles {
	if !colour {
		return styles{} // the zero styles do not change text
	}
	r := terminal.Styles(io.Discard, true)
	style := func(colour string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(colour)) }
	return styles{
		place: r.NewStyle().Bold(true),
		dim:   r.NewStyle().Faint(true),
		help:  style("6"),
		caret: style("1").Bold(true),
		good:  style("2"),
		levels: map[spec.Level]lipgloss.Style{
			spec.Error: style("1").Bold(true), spec.Warning: style("3").Bold(true), spec.Info: style("4"),
		},
	}
}

func (s styles) level(l spec.Level) string { return s.levels[l].Render(l.String()) }

func (s styles) summary(c Counts, opt Options) string {
	style := s.good
	switch {
	case c.Errors > 0:
		style = s.levels[spec.Error]
	case c.Warnings > 0:
		style = s.levels[spec.Warning]
	}
	var b strings.Builder
	for line := range strings.SplitSeq(printable.Fold(c.Summary(opt), 0, opt.Width, "  "), "\n") {
		b.WriteString(style.Render(line) + "\n")
	}
	return b.String()
}
