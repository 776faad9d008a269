package pyast

// Python's tokens. Lines inside brackets are one logical line, and a change of the
// indentation is a token. A character that begins no token is a bad one.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind byte

const (
	end     kind = iota // of the text
	newline             // end of a logical line
	indent
	dedent
	name
	number
	text // a string literal
	operator
	bad
)

// token is a piece of the text. For a string, text is the literal as written.
type token struct {
	kind kind
	text string
}

// lexer splits the text into tokens.
type lexer struct {
	src     string
	at      int
	depth   int   // of brackets
	indents []int // widths of the open blocks
	tokens  []token
}

// lex returns the tokens of a text; the last is end.
func lex(src string) []token {
	l := &lexer{src: strings.TrimPrefix(src, "\ufeff"), indents: []int{0}}
	l.lineStart()
	for l.at < len(l.src) {
		l.next()
	}
	l.add(newline, "")
	for range l.indents[1:] {
		l.add(dedent, "")
	}
	l.add(end, "")
	return l.tokens
}

func (l *lexer) add(k kind, s string) { l.tokens = append(l.tokens, token{k, s}) }

// lineStart skips blank lines and comments and emits changes of the indentation.
func (l *lexer) lineStart() {
	for {
		width := 0
		for ; l.at < len(l.src); l.at++ {
			switch l.src[l.at] {
			case ' ':
				width++
				continue
			case '\t':
				width = width/8*8 + 8
				continue
			case '\f':
				width = 0
				continue
			}
			break
		}
		rest := l.src[l.at:]
		switch {
		case rest == "":
			return
		case rest[0] == '\n' || rest[0] == '\r' || rest[0] == '#':
			line := strings.IndexByte(rest, '\n')
			if line < 0 {
				l.at = len(l.src)
				return
			}
			l.at += line + 1
			continue
		}
		l.indentTo(width)
		return
	}
}

func (l *lexer) indentTo(width int) {
	top := l.indents[len(l.indents)-1]
	if width > top {
		l.indents = append(l.indents, width)
		l.add(indent, "")
		return
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedent, "")
	}
}

// next reads one token, or white space.
func (l *lexer) next() {
	c := l.src[l.at]
	rest := l.src[l.at:]
	switch {
	case c == '\n':
		l.at++
		if l.depth == 0 {
			l.add(newline, "")
			l.lineStart()
		}
	case strings.IndexByte(" \t\r\f", c) >= 0:
		l.at++
	case c == '\\' && (strings.HasPrefix(rest, "\\\n") || strings.HasPrefix(rest, "\\\r\n")):
		l.at += strings.IndexByte(rest, '\n') + 1
	case c == '#':
		line := strings.IndexByte(rest, '\n')
		if line < 0 {
			line = len(rest)
		}
		l.at += line
	case stringStart(rest) >= 0:
		l.string(stringStart(rest))
	case isDigit(strings.TrimPrefix(rest, ".")):
		n := numberLength(rest)
		l.add(number, rest[:n])
		l.at += n
	case c == '_' || c >= utf8.RuneSelf || unicode.IsLetter(rune(c)):
		n := nameLength(rest)
		if n == 0 {
			l.add(bad, rest[:1])
			l.at++
			return
		}
		l.add(name, rest[:n])
		l.at += n
	default:
		l.operator(rest)
	}
}

// operators with more than one byte, the longest first.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...", "->", ":=", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
}

func (l *lexer) operator(rest string) {
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.add(operator, op)
			l.at += len(op)
			return
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(0, l.depth-1)
	}
	k := operator
	if !strings.ContainsRune("()[]{}+-*/%@&|^~<>=.,:;!", rune(rest[0])) {
		k = bad
	}
	l.add(k, rest[:1])
	l.at++
}

// stringStart returns the length of a string's prefix, or -1 if no string begins here.
func stringStart(s string) int {
	for i := 0; i < len(s) && i <= 2; i++ {
		switch s[i] {
		case '"', '\'':
			return i
		case 'r', 'R', 'b', 'B', 'u', 'U', 'f', 'F':
		default:
			return -1
		}
	}
	return -1
}

// string reads a string literal with its prefix. An unterminated one is bad, up to the
// end of its line.
func (l *lexer) string(prefix int) {
	rest := l.src[l.at:]
	quote := rest[prefix : prefix+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(rest[prefix:], triple) {
		quote = triple
	}
	for i := prefix + len(quote); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[i] == '\n' && len(quote) == 1:
			l.add(bad, rest[:i])
			l.at += i
			return
		case strings.HasPrefix(rest[i:], quote):
			n := i + len(quote)
			l.add(text, rest[:n])
			l.at += n
			return
		}
	}
	l.add(bad, "")
	l.at = len(l.src)
}

// isDigit reports whether a text begins with a digit.
func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func numberLength(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		afterE := i > 0 && strings.IndexByte("eE", s[i-1]) >= 0 && !strings.HasPrefix(strings.ToLower(s), "0x")
		exponent := strings.IndexByte("+-", c) >= 0 && afterE
		part := strings.IndexByte("_.", c) >= 0 || isDigit(s[i:]) || unicode.IsLetter(rune(c))
		if !exponent && !part {
			break
		}
		i++
	}
	return i
}

func nameLength(s string) int {
	for i, r := range s {
		inside := i > 0 && (unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
		if r != '_' && !unicode.IsLetter(r) && !inside {
			return i
		}
	}
	return len(s)
}
