package transcript

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// styler styles Markdown for a terminal while it is streamed: headings, emphasis, code
// and lists. It is not a Markdown parser: it removes marks only if they are
// unambiguous. Tables, quotations and links are not changed.
//
// Text is shown at once, up to the first mark that depends on later text.
type styler struct {
	fence  string // the marks that opened the current code block, or ""
	indent int    // of that fence
	list   bool   // whether indented lines may belong to a list

	// The current line.
	raw    string // received and not shown yet
	begun  bool   // whether the kind of line is known
	prose  bool   // whether it has marks; other lines are not changed
	base   style  // of its text
	before rune   // the previous character, 0 at the start
}

// maxSpan limits the bytes of a span, and how much of a line is held back.
const maxSpan = 500

// patterns are compiled on first use, because most commands print no Markdown.
var patterns = sync.OnceValue(func() (p struct{ heading, item, fence, rule *regexp.Regexp }) {
	p.heading = regexp.MustCompile(`^#{1,6}[ \t]+[^ \t]`)
	p.item = regexp.MustCompile(`^(?:[-*+]|[0-9]{1,9}[.)])[ \t]+`)
	p.fence = regexp.MustCompile("^(?:`{3,}[^`]*|~{3,}.*)$")
	// A line between paragraphs, or under a heading.
	p.rule = regexp.MustCompile(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)$`)
	return p
})

// endLine ends the current line and returns the rest of it.
func (s *styler) endLine() string {
	out := s.add("", true)
	*s = styler{fence: s.fence, indent: s.indent, list: s.list}
	return out
}

// add adds a part of the current line and returns what can be shown.
func (s *styler) add(text string, end bool) (out string) {
	s.raw += text
	if !s.begun {
		if !end && len(s.raw) <= maxSpan && s.undecided() {
			return ""
		}
		out = s.begin()
	}
	if !s.prose {
		out += s.base.render(s.raw)
		s.raw = ""
		return out
	}
	ready := len(s.raw)
	if !end && ready <= maxSpan { // the last word may be incomplete
		word := strings.LastIndexAny(s.raw, " \t") + 1
		if i := strings.IndexAny(s.raw[word:], "`*_\\"); i >= 0 {
			ready = word + i
		}
	}
	text, left := s.scan(s.raw[:ready], s.base, end)
	s.raw = left + s.raw[ready:]
	return out + text
}

// undecided reports whether the kind of the line depends on later text.
func (s *styler) undecided() bool {
	rest := strings.TrimLeft(s.raw, " \t")
	if s.fence != "" {
		return rest == "" || rest[0] == s.fence[0]
	}
	rest = rest[len(patterns().item.FindString(rest)):]
	return strings.Trim(rest, "-*_=`~# \t") == "" || strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") ||
		strings.IndexByte("-+*#0123456789", rest[0]) >= 0 && !strings.ContainsAny(rest, " \t")
}

// begin determines the kind of the line and returns the mark at its start.
func (s *styler) begin() string {
	rest := strings.TrimLeft(s.raw, " \t")
	space := s.raw[:len(s.raw)-len(rest)]
	indent, item, run := len(strings.ReplaceAll(space, "\t", "    ")), patterns().item.FindString(rest), runLength(rest)
	s.begun = true
	switch {
	case s.fence != "":
		s.base = cyan
		if indent <= s.indent+3 && strings.HasPrefix(rest, s.fence) && strings.TrimRight(rest[run:], " \t") == "" {
			s.base, s.fence = faint, ""
		}
	case rest == "":
	case indent < 4 && patterns().rule.MatchString(rest):
		s.base, s.list = faint, s.list && indent > 0
	case item != "" && (indent < 4 || s.list):
		s.list, s.raw = true, rest[len(item):]
		s.prose = !s.opensFence(s.raw, indent+len(item))
		return plain.render(space) + blue.render(item)
	case indent >= 4 || s.opensFence(rest, indent):
	case patterns().heading.MatchString(rest):
		s.prose, s.base, s.list = true, strong, false
		if run == 1 {
			s.base += underline
		}
		s.raw = strings.TrimLeft(rest[run:], " \t")
		return plain.render(space)
	default:
		s.list, s.prose = s.list && indent > 0, rest[0] != '|' && rest[0] != '>'
	}
	return ""
}

// opensFence reports whether the line opens a code block.
func (s *styler) opensFence(rest string, indent int) bool {
	opens := patterns().fence.MatchString(rest)
	if opens {
		s.fence, s.indent, s.base = rest[:runLength(rest)], indent, faint
	}
	return opens
}

// scan returns text in a style with its spans styled, up to the first mark that depends
// on later text, and the rest.
func (s *styler) scan(text string, st style, end bool) (out, left string) {
	var b strings.Builder
	from := 0 // start of what is not written yet
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if strings.IndexByte("`*_\\", text[i]) >= 0 {
			b.WriteString(st.render(text[from:i]))
			from = i
			var shown string
			if n, shown = s.span(text[i:], st, end); n == 0 {
				return b.String(), text[i:]
			}
			if shown != "" {
				b.WriteString(shown)
				from = i + n
			}
			r, _ = utf8.DecodeLastRuneInString(text[i : i+n])
		}
		s.before = r
		i += n
	}
	return b.String() + st.render(text[from:]), ""
}

// span styles the mark at the start of text. It returns the number of bytes processed,
// 0 if more text is needed, and their styled form, or "" if unchanged.
func (s *styler) span(text string, st style, end bool) (n int, shown string) {
	run, c := runLength(text), text[0]
	switch {
	case c == '\\':
		_, size := utf8.DecodeRuneInString(text[1:])
		return 1 + size, ""
	case c != '`' && (run > 3 || c == '_' && run > 2 || !opens(s.before, text[run:])):
		return run, ""
	}
	to := closing(text, run, end)
	switch {
	case to < 0 && !end && len(text) < maxSpan:
		return 0, ""
	case to < 0:
		return run, ""
	case c == '_' && run == 2 && !strings.ContainsAny(text[2:to], " .,:;!?"): // __init__
		return to + run, ""
	case c == '`':
		return to + run, (st + cyan).render(text[run:to])
	}
	s.before = rune(c)
	shown, _ = s.scan(text[run:to], st+[]style{emphasis, strong, emphasis + strong}[run-1], true)
	return to + run, shown
}

// closing returns the position where n marks end the span at the start of text, or -1.
func closing(text string, n int, end bool) int {
	code := text[0] == '`'
	for i := n; i < min(len(text), maxSpan); {
		run := runLength(text[i:])
		switch c := text[i]; {
		case c == '\\' && !code:
			run = 2
		case c == '`' && !code: // marks in code are text
			to := closing(text[i:], run, end)
			if to < 0 && !end {
				return -1
			}
			run += max(0, to)
		case c == text[0] && run == n && (code || closes(text[i-1], text[i+run:])):
			return i
		}
		i += run
	}
	return -1
}

// opens reports whether a mark between before and after may open a span. This is
// stricter than Markdown: a path with asterisks or a name with underscores must not
// lose any.
func opens(before rune, after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return after != "" && (before == 0 || before >= utf8.RuneSelf || strings.ContainsRune(" \t([{\"'>|-~*_:", before)) &&
		!strings.ContainsRune(" \t*_.,;:!?)]}/\\", r)
}

// closes reports whether a mark between before and after may close a span.
func closes(before byte, after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return strings.IndexByte(" \t/*_([{\\=", before) < 0 &&
		(after == "" || r >= utf8.RuneSelf || strings.ContainsRune(" \t.,;:!?)]}\"'-|<*_~", r))
}

// runLength returns how often the first byte is repeated at the start, at most maxSpan.
func runLength(text string) int {
	n := 0
	for n < min(len(text), maxSpan) && text[n] == text[0] {
		n++
	}
	return n
}

// style is a list of SGR parameters, each after ';', combined by concatenation.
type style string

// The styles use the sixteen colours that every theme has.
const (
	plain                              style = ""
	strong, faint, emphasis, underline style = ";1", ";2", ";3", ";4"
	red, green, yellow, blue, cyan     style = ";31", ";32", ";33", ";34", ";36"
)

func (st style) render(text string) string {
	if st == plain || text == "" {
		return text
	}
	return "\x1b[" + string(st[1:]) + "m" + text + "\x1b[0m"
}
