package strictyaml

import "strings"

// oneCharEscape is what a backslash and r stand for in double quotes, "" where
// the two are no escape.
func oneCharEscape(r rune) string {
	switch r {
	case '0':
		return "\x00"
	case 'a':
		return "\a"
	case 'b':
		return "\b"
	case 't', '\t':
		return "\t"
	case 'n':
		return "\n"
	case 'v':
		return "\v"
	case 'f':
		return "\f"
	case 'r':
		return "\r"
	case 'e':
		return "\x1b"
	case ' ', '"', '/', '\\':
		return string(r)
	case 'N':
		return "\u0085"
	case '_':
		return "\u00a0"
	case 'L':
		return "\u2028"
	case 'P':
		return "\u2029"
	}
	return ""
}

// hexDigits is how many digits follow \x, \u and \U, 0 for other letters.
func hexDigits(r rune) int {
	switch r {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// escape scans a backslash and what it stands for.
func (s *scanner) escape(text *strings.Builder, start mark) error {
	c := s.cur
	at := c.at
	c.advance(1)
	r := c.peek(0)
	if e := oneCharEscape(r); e != "" {
		c.advance(1)
		text.WriteString(e)
		return nil
	}
	if isBreak(r) {
		c.lineBreak()
		breaks, err := s.quotedBreaks(start)
		text.WriteString(breaks)
		return err
	}
	digits := hexDigits(r)
	if digits == 0 {
		return refuse(at, Syntax, "unknown escape in double quotes; write \\\\ for a backslash")
	}
	c.advance(1)
	var code int64
	for n := range digits {
		d := strings.IndexRune("0123456789abcdef", lower(c.peek(n)))
		if d < 0 {
			return refuse(at, Syntax, "escape needs more hexadecimal digits")
		}
		code = code<<4 | int64(d)
	}
	if code > 0x10FFFF {
		return refuse(at, Failure, codePointMessage)
	}
	c.advance(digits)
	writeCode(text, rune(code))
	return nil
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'F' {
		return r + 'a' - 'A'
	}
	return r
}

// writeCode writes r. A surrogate gets the three bytes that UTF-8 would give
// it, so that two of them stay different keys; see [clean].
func writeCode(text *strings.Builder, r rune) {
	if r < 0xD800 || r >= 0xE000 {
		text.WriteRune(r)
		return
	}
	text.Write([]byte{0xED, byte(0x80 | r>>6&0x3F), byte(0x80 | r&0x3F)})
}

// clean replaces each surrogate that writeCode left by U+FFFD.
func clean(s string) string {
	if !strings.Contains(s, "\xED") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		// Of the three bytes of a surrogate only the first counts.
		if r != '\uFFFD' || s[i] == 0xED || strings.HasPrefix(s[i:], "\uFFFD") {
			b.WriteRune(r)
		}
	}
	return b.String()
}
