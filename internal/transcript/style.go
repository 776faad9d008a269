package transcript

import "strings"

// styler shows Markdown at a terminal: headings, emphasis, code, lists and
// links, line by line as they come. It is no parser of Markdown. It takes the
// marks off only what it is sure of, and leaves every other character as it
// is: code and what may be code above all. A construct that goes over several
// lines stays as it was written, but for fenced code and quotations; the marks in
// a table stay too, for its columns.
//
// What is decided is shown at once; from the first mark that may still become
// something, the line is held back until it has.
type styler struct {
	fence  string // the marks that opened the code we are in, "" outside
	indent int    // of the fence
	within int    // how many quotations the fence stands in
	list   bool   // whether indented lines may belong to a list
	quotes int    // how many quotations the last line stood in

	raw   string // what of the line has come and is not shown
	kind  lineKind
	base  style // of the line's text
	shown bool  // whether something of the line has been shown
	depth int   // how many marks of quotations it has begun with
	keep  bool  // whether marks stay, for a table's columns
	inline
}

type lineKind int

const (
	unknown  lineKind = iota
	prose             // text with marks in it
	verbatim          // shown as it is, in the line's style
)

// style is a set of SGR parameters that begin with ';', "" for none: they add
// up by being put together.
type style string

// The styles use the sixteen colours that every theme has.
const (
	plainText style = ""
	strong    style = ";1"
	faint     style = ";2"
	emphasis  style = ";3"
	underline style = ";4"
	codeText  style = ";36"
	mark      style = ";34"
)

// put returns text in a style, at the start of a line guarded against looking
// like one of ours.
func (s *styler) put(st style, text string) string {
	if text == "" {
		return ""
	}
	if !s.shown && strings.HasPrefix(text, ruleMark) {
		text = " " + text
	}
	s.shown = true
	if st == plainText {
		return text
	}
	return "\x1b[" + string(st[1:]) + "m" + text + "\x1b[0m"
}

// add takes more of the current line.
func (s *styler) add(text string) string {
	s.raw += text
	return s.flush(false)
}

// endLine takes the line as ended.
func (s *styler) endLine() string {
	out := s.flush(true)
	s.raw, s.kind, s.base, s.shown, s.inline = "", unknown, plainText, false, inline{}
	s.quotes, s.depth, s.keep = s.depth, 0, false
	return out
}

// flush shows what is decided, everything where the line is at its end.
func (s *styler) flush(end bool) string {
	out := ""
	if s.kind == unknown {
		out = s.begin(end)
	}
	switch s.kind {
	case verbatim:
		out += s.put(s.base, s.raw)
		s.raw = ""
	case prose:
		out += s.text(end)
	}
	return out
}

// begin finds out what kind of line it is, and shows the marks at its
// beginning. The kind stays unknown where more has to come first.
func (s *styler) begin(end bool) string {
	rest := strings.TrimLeft(s.raw, " \t")
	indent := width(s.raw[:len(s.raw)-len(rest)])
	switch {
	case rest == "" && !end && len(s.raw) <= maxSpan:
		return ""
	case s.quoted(rest, indent):
		return s.quote(rest) + s.begin(end)
	case s.fence != "" && s.depth < s.within:
		s.fence = "" // it ends with the quotation
	}
	if s.depth != s.quotes {
		s.quotes, s.list = s.depth, false
	}
	switch {
	case s.fence != "":
		return s.code(rest, indent, end)
	case rest == "" || indent >= 4 && !s.list || indent > maxSpan:
		s.kind = verbatim
		return ""
	}
	if s.rule(rest, end) {
		s.list = s.list && indent > 0
		return ""
	}
	if out, is := s.opening(rest, indent, end); is {
		return out
	}
	if out, is := s.item(rest, end); is {
		return out
	}
	if out, is := s.heading(rest, end); is {
		return out
	}
	if indent == 0 {
		s.list = false
	}
	s.kind = prose
	s.keep = rest[0] == '|'
	if indent >= 4 { // code in a list
		s.kind = verbatim
	}
	return ""
}

// width counts the columns of white space, a tab as a full stop of four.
func width(space string) int {
	n := 0
	for _, c := range space {
		if n++; c == '\t' {
			n += (4 - n%4) % 4
		}
	}
	return n
}

// runLength is how often the first byte is repeated at the beginning.
func runLength(text string) int {
	n := 0
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}
