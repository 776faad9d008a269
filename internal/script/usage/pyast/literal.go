package pyast

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal returns the expression of a string literal. Bytes are [Other].
func (p *exprParser) literal(written string) Expr {
	prefix := strings.ToLower(written[:stringStart(written)])
	body := written[len(prefix):]
	quote := 1
	if len(body) >= 6 && body[0] == body[1] && body[1] == body[2] {
		quote = 3
	}
	body = body[quote : len(body)-quote]
	raw := strings.Contains(prefix, "r")
	switch {
	case strings.Contains(prefix, "b"):
		return Other{}
	case strings.Contains(prefix, "f"):
		return p.format(body, raw)
	case raw:
		return Const{body}
	}
	return Const{unescape(body)}
}

// simpleEscapes are the escapes of one letter.
var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape replaces the escape sequences of a string.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if plain, ok := simpleEscapes[s[i]]; ok {
			b.WriteString(plain)
			continue
		}
		digits, base := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]], 16
		start := i + 1
		if s[i] >= '0' && s[i] <= '7' {
			digits, base, start = 3, 8, i
		}
		stop := start
		for stop < len(s) && stop < start+digits && strings.IndexByte("0123456789abcdefABCDEF"[:min(22, base+base/16*6)], s[stop]) >= 0 {
			stop++
		}
		n, err := strconv.ParseUint(s[start:stop], base, 32)
		if digits == 0 || err != nil || n > utf8.MaxRune { // an unknown escape stays as it is
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		b.WriteRune(rune(n))
		i = stop - 1
	}
	return b.String()
}

// format returns the parts of an f-string.
func (p *exprParser) format(body string, raw bool) Expr {
	var f Format
	plain := func(s string) {
		if !raw {
			s = unescape(s)
		}
		if s != "" {
			f.Parts = append(f.Parts, Const{s})
		}
	}
	for body != "" {
		at := strings.IndexAny(body, "{}")
		if at < 0 {
			plain(body)
			break
		}
		if at+1 < len(body) && body[at+1] == body[at] {
			plain(body[:at+1])
			body = body[at+2:]
			continue
		}
		plain(body[:at])
		inner, rest, ok := replacement(body[at+1:])
		if body[at] == '}' || !ok {
			f.Parts = append(f.Parts, Other{})
			break
		}
		f.Parts = append(f.Parts, p.nested(inner))
		body = rest
	}
	return f
}

// replacement splits the text after an opening brace at its closing one.
func replacement(s string) (inner, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth == 0 {
				return s[:i], s[i+1:], true
			}
			depth--
		}
	}
	return "", "", false
}

// nested parses the expression of a replacement field. With a conversion or a format its
// value is not known.
func (p *exprParser) nested(inner string) Expr {
	inner = strings.TrimSpace(inner)
	if p.nesting >= maxNesting {
		return Other{}
	}
	q := &exprParser{reader{tokens: lex(inner), nesting: p.nesting + 20}}
	x, err := q.catch(func() Expr { return q.expression() })
	if err != nil || q.peek().kind != newline {
		return Other{}
	}
	return x
}

// numeral returns the value of a number; beyond 64 bits or complex it is [Other].
func numeral(s string) Expr {
	s = strings.ReplaceAll(s, "_", "")
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return Const{n}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return Const{f}
	}
	return Other{}
}
