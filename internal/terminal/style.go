package terminal

// Markdown is styled while it is streamed. A mark is removed only if it is unambiguous, so
// that no character of a path or a program is lost.

import (
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

// styler styles the Markdown of a terminal line by line, also while a line is streamed:
// headings, emphasis, code and lists. It is not a Markdown parser: it removes marks only
// if they are unambiguous. Tables, quotations and links are not changed.
type styler struct {
	fence  string // the marks that opened the current code block, or ""
	indent int    // of that fence
	list   bool   // whether indented lines may belong to a list

	// The current line.
	base   Style // of its text
	before rune  // the previous character, 0 at the start
}

// maxSpan limits the bytes of a span.
const maxSpan = 500

var (
	heading      = lazyregexp.New(`^#{1,6}[ \t]+[^ \t]`)
	itemMark     = lazyregexp.New(`^(?:[-*+]|[0-9]{1,9}[.)])[ \t]+`)
	openingFence = lazyregexp.New("^(?:`{3,}[^`]*|~{3,}.*)$")
	// rule is a line between paragraphs, or under a heading.
	rule = lazyregexp.New(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)$`)
)

// line returns a styled line; an incomplete one up to the first mark that depends on
// later text, so that the result is the start of that of the complete line.
func (s *styler) line(raw string, end bool) string {
	if !end && s.undecided(raw) {
		return ""
	}
	next := *s
	next.base, next.before = Plain, 0
	mark, text, prose := next.kind(raw)
	if !prose {
		text = next.base.Render(text)
	} else {
		if word := strings.LastIndexAny(text, " \t") + 1; !end { // the last word may be incomplete
			if i := strings.IndexAny(text[word:], "`*_\\"); i >= 0 {
				text = text[:word+i]
			}
		}
		text = next.scan(text, next.base, end)
	}
	if end {
		*s = next
		return mark + text
	}
	return mark + strings.TrimSuffix(text, reset)
}

// undecided reports whether the kind of a line depends on later text.
func (s *styler) undecided(raw string) bool {
	rest := strings.TrimLeft(raw, " \t")
	if s.fence != "" {
		return rest == "" || rest[0] == s.fence[0]
	}
	rest = rest[len(itemMark().FindString(rest)):]
	return strings.Trim(rest, "-*_=`~# \t") == "" || strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") ||
		strings.IndexByte("-+*#0123456789", rest[0]) >= 0 && !strings.ContainsAny(rest, " \t")
}

// kind determines the kind of a line. It returns the styled mark at its start, the text
// after it, and whether that has marks; other text is not changed.
func (s *styler) kind(raw string) (mark, text string, prose bool) {
	rest := strings.TrimLeft(raw, " \t")
	space := raw[:len(raw)-len(rest)]
	indent, item, run := len(strings.ReplaceAll(space, "\t", "    ")), itemMark().FindString(rest), runLength(rest)
	switch {
	case s.fence != "":
		s.base = Cyan
		if indent <= s.indent+3 && strings.HasPrefix(rest, s.fence) && strings.TrimRight(rest[run:], " \t") == "" {
			s.base, s.fence = Faint, ""
		}
	case rest == "":
	case indent < 4 && rule().MatchString(rest):
		s.base, s.list = Faint, s.list && indent > 0
	case item != "" && (indent < 4 || s.list):
		s.list, text = true, rest[len(item):]
		return space + Blue.Render(item), text, !s.opensFence(text, indent+len(item))
	case indent >= 4 || s.opensFence(rest, indent):
	case heading().MatchString(rest):
		s.base, s.list = Strong, false
		if run == 1 {
			s.base += Underline
		}
		return space, strings.TrimLeft(rest[run:], " \t"), true
	default:
		s.list = s.list && indent > 0
		return "", raw, rest[0] != '|' && rest[0] != '>'
	}
	return "", raw, false
}

// opensFence reports whether the line opens a code block.
func (s *styler) opensFence(rest string, indent int) bool {
	opens := openingFence().MatchString(rest)
	if opens {
		s.fence, s.indent, s.base = rest[:runLength(rest)], indent, Faint
	}
	return opens
}

// scan returns text in a style with its spans styled, up to the first mark that depends
// on later text.
func (s *styler) scan(text string, st Style, end bool) string {
	var b strings.Builder
	from := 0 // start of what is not written yet
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if strings.IndexByte("`*_\\", text[i]) >= 0 {
			b.WriteString(st.Render(text[from:i]))
			from = i
			var shown string
			n, shown = s.span(text[i:], st, end)
			if n == 0 {
				return b.String()
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
	return b.String() + st.Render(text[from:])
}

// span styles the mark at the start of text. It returns the number of bytes processed,
// 0 if more text is needed, and their styled form, or "" if unchanged.
func (s *styler) span(text string, st Style, end bool) (n int, shown string) {
	run, c := runLength(text), text[0]
	tooLong := run > 3 || c == '_' && run > 2
	switch {
	case c == '\\':
		_, size := utf8.DecodeRuneInString(text[1:])
		return 1 + size, ""
	case c == '`': // opens code anywhere
	case tooLong, !opens(s.before, text[run:]):
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
		return to + run, (st + Cyan).Render(text[run:to])
	}
	s.before = rune(c)
	shown = s.scan(text[run:to], st+[]Style{Emphasis, Strong, Emphasis + Strong}[run-1], true)
	return to + run, shown
}

// closing returns the position where n marks end the span at the start of text, or -1.
func closing(text string, n int, end bool) int {
	code := text[0] == '`'
	for i := n; i < min(len(text), maxSpan); {
		run := runLength(text[i:])
		same := text[i] == text[0] && run == n
		switch c := text[i]; {
		case c == '\\' && !code:
			run = 2
		case c == '`' && !code: // marks in code are text
			to := closing(text[i:], run, end)
			if to < 0 && !end {
				return -1
			}
			run += max(0, to)
		case same && (code || closes(text[i-1], text[i+run:])):
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

// Style is a list of SGR parameters, each after ';', combined by concatenation.
type Style string

// The styles use the sixteen colours that every theme has.
const (
	Plain                              Style = ""
	Strong, Faint, Emphasis, Underline Style = ";1", ";2", ";3", ";4"
	Red, Green, Yellow, Blue, Cyan     Style = ";31", ";32", ";33", ";34", ";36"
)

const reset = "\x1b[0m"

// Render returns text in the style.
func (st Style) Render(text string) string {
	if st == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(st[1:]) + "m" + text + reset
}
