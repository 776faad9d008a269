package frontmatter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPlainFields limits the comparison of every key with all others.
const maxPlainFields = 20

// DecodePlain is Decode for YAML in which each line is key: value and every value a
// string on that line. It does not need the parser, which takes much longer. It changes
// nothing and returns false for any other text.
func (d *Content) DecodePlain(yamlText []byte) bool {
	if len(yamlText) > MaxSize {
		return false
	}
	fields, ok := plainFields(string(yamlText), d.block.Line)
	if ok {
		d.Mapping, d.Fields, d.Style = true, fields, Indented
	}
	return ok
}

// plainFields reads the fields for DecodePlain; line is the first line's number in the
// file.
func plainFields(text string, line int) (fields []Field, ok bool) {
	text = strings.TrimSuffix(text, "\n")
	fields = make([]Field, 0, min(strings.Count(text, "\n")+1, maxPlainFields))
	for each := range strings.SplitSeq(text, "\n") {
		key, value, found := strings.Cut(each, ": ")
		if !found || !isPlainKey(key) || len(fields) == maxPlainFields {
			return nil, false
		}
		if slices.ContainsFunc(fields, func(f Field) bool { return f.Key == key }) {
			return nil, false
		}
		start := len(key) + 3
		v := Value{Kind: String, Span: Span{Pos{line, start}, Pos{line, start + utf8.RuneCountInString(value)}}}
		v.Style, v.Text, ok = plainValue(value)
		if !ok {
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
