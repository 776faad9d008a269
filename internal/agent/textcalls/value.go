package textcalls

// Models write arguments as JSON, or as Python literals: 'x', True, None, a comma before
// the closing bracket, a line feed inside a string. One parser reads both and returns
// JSON. Nothing is repaired beyond that: a value that is cut off is none.

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
)

// maxDepth is how deep values may be nested.
const maxDepth = 64

// value is a parsed value: its JSON, and the fields of an object or the items of an array.
type value struct {
	json   string
	kind   byte // of the JSON: { [ " or 0 for all others
	text   string
	fields []field
	items  []value
}

type field struct {
	name  string
	value value
}

// field returns the value of a field.
func (v value) field(name string) (value, bool) {
	for _, f := range v.fields {
		if f.name == name {
			return f.value, true
		}
	}
	return value{}, false
}

// parseValue parses the value at the start of s, and returns the rest.
func parseValue(s string, depth int) (v value, rest string, ok bool) {
	s = trimLeft(s)
	if s == "" || depth > maxDepth {
		return v, s, false
	}
	switch c := s[0]; {
	case c == '{':
		return parseObject(s[1:], depth)
	case c == '[':
		return parseArray(s[1:], depth)
	case c == '"' || c == '\'':
		text, rest, ok := parseString(s)
		return value{json: printable.JSONText(text), kind: '"', text: text}, rest, ok
	}
	return parseWord(s)
}

func parseObject(s string, depth int) (v value, rest string, ok bool) {
	v.kind = '{'
	var b strings.Builder
	b.WriteByte('{')
	for {
		s = trimLeft(s)
		if after, ends := strings.CutPrefix(s, "}"); ends {
			b.WriteByte('}')
			v.json = b.String()
			return v, after, true
		}
		name, after, found := parseString(s)
		if !found {
			return v, s, false
		}
		after, found = strings.CutPrefix(trimLeft(after), ":")
		if !found {
			return v, s, false
		}
		var item value
		item, s, found = parseValue(after, depth+1)
		if !found {
			return v, s, false
		}
		if len(v.fields) > 0 {
			b.WriteByte(',')
		}
		b.WriteString(printable.JSONText(name) + ":" + item.json)
		v.fields = append(v.fields, field{name, item})
		s, found = separator(s, '}')
		if !found {
			return v, s, false
		}
	}
}

func parseArray(s string, depth int) (v value, rest string, ok bool) {
	v.kind = '['
	var b strings.Builder
	b.WriteByte('[')
	for {
		s = trimLeft(s)
		if after, ends := strings.CutPrefix(s, "]"); ends {
			b.WriteByte(']')
			v.json = b.String()
			return v, after, true
		}
		item, after, found := parseValue(s, depth+1)
		if !found {
			return v, s, false
		}
		if len(v.items) > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item.json)
		v.items = append(v.items, item)
		s, found = separator(after, ']')
		if !found {
			return v, s, false
		}
	}
}

// separator skips a comma, which must be there unless the end follows.
func separator(s string, end byte) (rest string, ok bool) {
	s = trimLeft(s)
	if after, found := strings.CutPrefix(s, ","); found {
		return after, true
	}
	return s, s != "" && s[0] == end
}

// parseString parses a string in either kind of quotes.
func parseString(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			text, ok = unquote(s[1:i], quote)
			return text, s[i+1:], ok
		}
	}
	return "", s, false
}

// unquote resolves the escapes of a string. Control characters are kept, and \' is one
// that only Python knows.
func unquote(inner string, quote byte) (string, bool) {
	if !strings.ContainsRune(inner, '\\') {
		return inner, utf8.ValidString(inner)
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '\\' && i+1 < len(inner) && inner[i+1] == '\'':
			i++
			b.WriteByte('\'')
		case c == '\\' && i+1 < len(inner):
			b.WriteString(inner[i : i+2])
			i++
		case c == '"' && quote == '\'':
			b.WriteString(`\"`)
		case c < 0x20:
			b.WriteString(`\u00` + strconv.FormatInt(int64(c)+0x100, 16)[1:])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	var text string
	err := json.Unmarshal([]byte(b.String()), &text)
	return text, err == nil
}

// words are the literals without quotes.
var words = []struct{ word, json string }{
	{"true", "true"}, {"True", "true"}, {"false", "false"}, {"False", "false"}, {"null", "null"}, {"None", "null"},
}

func parseWord(s string) (v value, rest string, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '+' && r != '-' && r != '.' && !isWord(r)
	})
	if end < 0 {
		end = len(s)
	}
	word := s[:end]
	for _, w := range words {
		if word == w.word {
			return value{json: w.json}, s[end:], true
		}
	}
	isNumber := word != "" && word[0] != 'n' && json.Valid([]byte(word))
	return value{json: word}, s[end:], isNumber
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func trimLeft(s string) string { return strings.TrimLeft(s, " \t\r\n\ufeff") }
