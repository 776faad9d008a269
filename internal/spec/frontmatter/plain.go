package frontmatter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPlainFields limits the comparison of every key with all others.
const maxPlainFields = 20

// plainFields reads a frontmatter in which each line is key: value, and which YAML
// reads no differently. It takes a tenth of the parser's time. ok is false for any
// other text. line is the number of the first line in the file.
func plainFields(text string, line int) (fields []Field, ok bool) {
	for each := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		key, value, found := strings.Cut(each, ": ")
		known := func(f Field) bool { return f.Key == key }
		if !found || !isPlainKey(key) || len(fields) == maxPlainFields || slices.ContainsFunc(fields, known) {
			return nil, false
		}
		start := len(key) + 3
		v := Value{Kind: String, Text: value, Span: Span{Pos{line, start}, Pos{line, start + utf8.RuneCountInString(value)}}}
		if v.Style, v.Text, ok = plainValue(value); !ok {
			return nil, false
		}
		fields = append(fields, Field{Key: key, KeySpan: Span{Pos{line, 1}, Pos{line, len(key) + 1}}, Value: v})
		line++
	}
	return fields, true
}

func isPlainKey(key string) bool {
	return key != "" && len(key) < 100 && key[0] != '-' && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// notStrings are the words that a parser may read as another kind of value.
var notStrings = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

// plainValue reads a string on one line: quoted without escapes, or one that starts with
// a letter and contains nothing that ends it.
func plainValue(value string) (style Style, text string, ok bool) {
	if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Plain, "", false
	}
	switch {
	case value == "":
		return Plain, "", false
	case value[0] == '"' || value[0] == '\'':
		quote := value[:1]
		style = SingleQuoted
		if quote == `"` {
			style = DoubleQuoted
		}
		text, ok = strings.CutSuffix(value[1:], quote)
		return style, text, ok && !strings.ContainsAny(text, `\`+quote)
	}
	first, _ := utf8.DecodeRuneInString(value)
	return Plain, value, unicode.IsLetter(first) && !strings.Contains(value, ": ") && !strings.Contains(value, " #") &&
		!strings.HasSuffix(value, ":") && !strings.HasSuffix(value, " ") && !slices.Contains(notStrings, strings.ToLower(value))
}
