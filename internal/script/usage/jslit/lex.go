// Package jslit splits JavaScript and TypeScript into tokens and reads literals: objects,
// arrays, strings, numbers. It is no parser: whatever is not a literal is an [Unknown].
package jslit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind byte

// The kinds of tokens.
const (
	End Kind = iota
	Name
	Number
	String   // Text is the value
	Template // a template with expressions, which Text has as {}
	Regexp
	Punct // one of the operators and brackets
)

// Token is a piece of the text.
type Token struct {
	Kind Kind
	Text string
	Code string // of a template: its expressions
}

// Is reports whether a token is a name or a punctuation mark with this text.
func (t Token) Is(text string) bool { return (t.Kind == Name || t.Kind == Punct) && t.Text == text }

type lexer struct {
	src    string
	at     int
	tokens []Token
}

// Lex returns the tokens of a text without its comments; the last is End.
func Lex(src string) []Token {
	l := &lexer{src: src}
	if strings.HasPrefix(src, "#!") {
		l.skipLine()
	}
	for l.at < len(l.src) {
		l.next()
	}
	return append(l.tokens, Token{Kind: End})
}

func (l *lexer) add(k Kind, text string) { l.tokens = append(l.tokens, Token{Kind: k, Text: text}) }

func (l *lexer) skipLine() {
	end := strings.IndexByte(l.src[l.at:], '\n')
	if end < 0 {
		l.at = len(l.src)
		return
	}
	l.at += end + 1
}

// puncts are the longer marks that must not be read as several.
var puncts = []string{"===", "!==", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-="}

func (l *lexer) next() {
	rest := l.src[l.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		l.at += size
	case strings.HasPrefix(rest, "//"):
		l.skipLine()
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			l.at = len(l.src)
			return
		}
		l.at += end + 4
	case r == '"' || r == '\'':
		l.quoted(r)
	case r == '`':
		l.template()
	case strings.ContainsRune("_$#", r) || unicode.IsLetter(r):
		l.word(Name)
	case r >= '0' && r <= '9':
		l.word(Number)
	case r == '/' && l.beginsRegexp():
		l.regexp()
	default:
		for _, p := range puncts {
			if strings.HasPrefix(rest, p) {
				l.add(Punct, p)
				l.at += len(p)
				return
			}
		}
		l.add(Punct, rest[:size])
		l.at += size
	}
}

// word reads a name or a number.
func (l *lexer) word(kind Kind) {
	start := l.at
	for l.at < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.at:])
		part := r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || kind == Number && r == '.' || l.at == start
		if !part {
			break
		}
		l.at += size
	}
	l.add(kind, l.src[start:l.at])
}

// quoted reads a string.
func (l *lexer) quoted(quote rune) {
	var b strings.Builder
	l.at++
	for l.at < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.at:])
		l.at += size
		switch r {
		case quote, '\n':
			l.add(String, b.String())
			return
		case '\\':
			b.WriteString(l.escape())
		default:
			b.WriteRune(r)
		}
	}
	l.add(String, b.String())
}

// escape reads what follows a backslash.
func (l *lexer) escape() string {
	r, size := utf8.DecodeRuneInString(l.src[l.at:])
	if size == 0 {
		return ""
	}
	l.at += size
	switch r {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '\n':
		return ""
	}
	return string(r)
}

// template reads a template with its expressions.
func (l *lexer) template() {
	var b, code strings.Builder
	kind := String
	l.at++
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '`':
			l.at++
			l.tokens = append(l.tokens, Token{Kind: kind, Text: b.String(), Code: code.String()})
			return
		case strings.HasPrefix(rest, "${"):
			start := l.at
			l.expression()
			code.WriteString(l.src[start:l.at])
			b.WriteString("{}")
			kind = Template
		case r == '\\':
			l.at++
			b.WriteString(l.escape())
		default:
			b.WriteRune(r)
			l.at += size
		}
	}
	l.tokens = append(l.tokens, Token{Kind: kind, Text: b.String(), Code: code.String()})
}

// expression skips an expression of a template. Templates in it are skipped as text up to
// their end, without a stack.
func (l *lexer) expression() {
	depth := 0
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				l.at++
				return
			}
		}
		l.at++
	}
}

// beginsRegexp reports whether a slash after the last token begins a regular expression.
func (l *lexer) beginsRegexp() bool {
	if len(l.tokens) == 0 {
		return true
	}
	last := l.tokens[len(l.tokens)-1]
	switch last.Kind {
	case Punct:
		return last.Text != ")" && last.Text != "]" && last.Text != "}"
	case Name:
		return last.Text == "return" || last.Text == "typeof" || last.Text == "case"
	}
	return false
}

// regexp reads a regular expression, which ends on its line.
func (l *lexer) regexp() {
	start, class := l.at, false
	for l.at++; l.at < len(l.src); l.at++ {
		switch c := l.src[l.at]; {
		case c == '\\':
			l.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class, c == '\n':
			l.at++
			l.add(Regexp, l.src[start:min(l.at, len(l.src))])
			return
		}
	}
	l.at = len(l.src)
	l.add(Regexp, l.src[start:])
}
