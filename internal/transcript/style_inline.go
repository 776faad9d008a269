package transcript

import (
	"strings"
	"unicode/utf8"
)

// maxSpan is how far a mark is searched for the one that ends it, in bytes:
// so much of a line is held back at most.
const maxSpan = 500

// maxLine is how much of a line is looked at, in bytes; the rest is shown as
// it is.
const maxLine = 16 << 10

// maxRun is the most marks in a row that can be one mark.
const maxRun = 16

// inline is where the scanner of a line is.
type inline struct {
	before rune // the last character shown, 0 at the start
	url    bool // inside an address, whose marks are its own
	taken  int  // bytes of the line that are shown
}

// verdict says what a mark turned out to be.
type verdict int

const (
	literal verdict = iota // a character as any other
	span                   // the beginning of a span
	wait                   // more of the line has to come
)

// text shows what is decided of the line's text.
func (s *styler) text(end bool) string {
	out, left := s.scan(s.raw, s.base, end)
	s.raw = left
	return out
}

// scan shows text up to the first mark that more text may decide on, and
// returns what is left.
func (s *styler) scan(text string, st style, end bool) (out, left string) {
	var b strings.Builder
	from := 0 // of what is taken and not put yet
	put := func(to int) { b.WriteString(s.put(st, text[from:to])); from = to }
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if s.url {
			s.url = strings.IndexByte(" \t<>\"`|", text[i]) < 0
		}
		n, what := size, literal
		shown := ""
		if !s.url && s.taken < maxLine {
			if strings.IndexByte("`*_[", text[i]) >= 0 {
				put(i) // it comes before what the span shows
			}
			n, what, shown = s.mark(text[i:], st, end)
		}
		switch what {
		case wait:
			put(i)
			return b.String(), text[i:]
		case span:
			put(i)
			b.WriteString(shown)
			from = i + n
		case literal:
			r, _ = utf8.DecodeLastRuneInString(text[i : i+n])
		}
		s.before, s.taken = r, s.taken+n
		i += n
	}
	put(len(text))
	return b.String(), ""
}

// mark looks at the character at the beginning of text, and returns how many
// bytes its verdict is about.
func (s *styler) mark(text string, st style, end bool) (n int, what verdict, shown string) {
	switch text[0] {
	case '\\':
		return escape(text, end)
	case '`':
		return s.codeSpan(text, st, end)
	case '*', '_':
		return s.emphasis(text, st, end)
	case '[':
		return s.link(text, st, end)
	case 'h':
		return s.address(text, end)
	}
	_, n = utf8.DecodeRuneInString(text)
	return n, literal, ""
}

// escape leaves a backslash and what it is before as they are.
func escape(text string, end bool) (int, verdict, string) {
	switch {
	case len(text) == 1 && !end:
		return 0, wait, ""
	case len(text) == 1:
		return 1, literal, ""
	}
	_, n := utf8.DecodeRuneInString(text[1:])
	return 1 + n, literal, ""
}

// codeSpan is text between equal runs of backticks.
func (s *styler) codeSpan(text string, st style, end bool) (int, verdict, string) {
	n := markRun(text)
	switch {
	case n > maxRun:
		return maxRun, literal, ""
	case n == len(text) && !end:
		return 0, wait, ""
	}
	to, what := closingTicks(text, n, end)
	if what != span {
		return n, what, ""
	}
	return to + n, span, s.around(text[:n], st, func() string { return s.put(st+codeText, text[n:to]) })
}

// closingTicks returns where the run of n backticks is that ends the code at
// the beginning of text.
func closingTicks(text string, n int, end bool) (int, verdict) {
	for i := n; i < len(text) && i < n+maxSpan; {
		if text[i] != '`' {
			i++
			continue
		}
		run := markRun(text[i:])
		switch {
		case i+run == len(text) && !end && run <= maxRun:
			return 0, wait
		case run == n:
			return i, span
		}
		i += run
	}
	if len(text) < n+maxSpan && !end {
		return 0, wait
	}
	return 0, literal
}

// emphasis is text between equal runs of asterisks, or of one or two
// underscores. More is asked of what is around them than Markdown asks: a path with
// asterisks, a product or a name with underscores must not lose any.
func (s *styler) emphasis(text string, st style, end bool) (int, verdict, string) {
	n := markRun(text)
	switch {
	case n > maxRun:
		return maxRun, literal, ""
	case n == len(text) && !end:
		return 0, wait, ""
	}
	if n > 3 || text[0] == '_' && n > 2 || n == len(text) || !opens(s.before, text[n:]) {
		return n, literal, ""
	}
	to, what := closingRun(text, n, end)
	switch {
	case what != span:
		return n, what, ""
	case text[:n] == "__" && isName(text[n:to]):
		return to + n, literal, ""
	}
	outer := st
	if n != 2 {
		st += emphasis
	}
	if n != 1 {
		st += strong
	}
	return to + n, span, s.around(text[:n], outer, func() string {
		before := s.inline
		s.inline = inline{before: rune(text[0]), taken: s.taken}
		out, _ := s.scan(text[n:to], st, true)
		s.inline = before
		return out
	})
}

// isName reports text that is a name between two underscores each, such as
// __init__ or __FILE__: a word, and not written as one is in a sentence.
func isName(text string) bool {
	upper, lower := false, false
	for i, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			upper = upper || i == 0
		case r >= 'a' && r <= 'z':
			lower = true
		case r != '_' && (r < '0' || r > '9'):
			return false
		}
	}
	return !upper || !lower
}

// opens reports whether marks between these may begin something.
func opens(before rune, after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	return (before == 0 || before >= utf8.RuneSelf || strings.ContainsRune(" \t([{\"'>|-~*_:", before)) &&
		!strings.ContainsRune(" \t*_.,;:!?)]}/\\", r)
}

// closingRun returns where the run of n marks is that ends what begins with n
// of them.
func closingRun(text string, n int, end bool) (int, verdict) {
	for i := n; i < len(text) && i < n+maxSpan; {
		switch text[i] {
		case '\\':
			i += 2
			continue
		case '`': // marks in code are none
			ticks := markRun(text[i:])
			if ticks > maxRun {
				i += ticks
				continue
			}
			to, what := closingTicks(text[i:], ticks, end)
			if what == wait {
				return 0, wait
			}
			i += to + ticks
			continue
		case text[0]:
		default:
			i++
			continue
		}
		run := markRun(text[i:])
		if i+run == len(text) && !end && run <= maxRun {
			return 0, wait
		}
		if run == n && closes(text[i-1], text[i+run:]) {
			return i, span
		}
		i += run
	}
	if len(text) < n+maxSpan && !end {
		return 0, wait
	}
	return 0, literal
}

// closes reports whether marks between these may end something.
func closes(before byte, after string) bool {
	if strings.IndexByte(" \t/*_([{\\=", before) >= 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(after)
	return after == "" || r >= utf8.RuneSelf || strings.ContainsRune(" \t.,;:!?)]}\"'-|<*_~", r)
}

// markRun is runLength, as far as it matters.
func markRun(text string) int { return runLength(text[:min(len(text), maxRun+1)]) }

// isWord reports letters and digits of ASCII: other scripts have no spaces
// between words.
func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
