package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// pattern is one encoding of a known value.
type pattern struct{ text, mark string }

// least is the length of the shortest value, and of its shortest encoding, that is
// masked: shorter ones occur in ordinary text as well.
const least = 8

// patterns returns every encoding of the values, the longest first.
func patterns(values []Value) []pattern {
	var out []pattern
	seen := map[string]bool{}
	for _, v := range values {
		if Plain(v.Text) {
			continue
		}
		for _, form := range forms(v.Text) {
			if len(form) < least || seen[form] {
				continue
			}
			seen[form] = true
			out = append(out, pattern{form, "[masked: " + v.Name + "]"})
		}
	}
	slices.SortStableFunc(out, func(a, b pattern) int { return cmp.Compare(len(b.text), len(a.text)) })
	return out
}

// forms returns the encodings in which programs print a value.
func forms(value string) []string {
	out := []string{value, html.EscapeString(value), hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for _, escaped := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		out = append(out, escaped, lowerEscapes(escaped))
	}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, strings.Trim(string(quoted), `"`))
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			out = append(out, core(encoding, value, shift))
		}
	}
	return out
}

// core returns the part of the base64 of a longer text, such as "user:key", that
// depends on the value alone. shift is the number of bytes before the value modulo
// three.
func core(encoding *base64.Encoding, value string, shift int) string {
	text := encoding.EncodeToString(append(make([]byte, shift), value...))
	first, last := (8*shift+5)/6, 8*(shift+len(value))/6
	return text[first:last]
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// folding is the length of the part of a pattern after which it may continue in
// the next line, as in the lines of base64.
const folding = 4

// at returns the end of the pattern that starts at a place, 0 if there is none.
// more tells that the text ended before the pattern did.
func (p pattern) at(text string, i int) (end int, more bool) {
	for j := 0; j < len(p.text); {
		switch {
		case i == len(text):
			return 0, true
		case text[i] == p.text[j]:
			i++
			j++
		case j >= folding && (text[i] == '\n' || text[i] == '\r'):
			for i < len(text) && strings.IndexByte("\r\n\t ", text[i]) >= 0 {
				i++
			}
		default:
			return 0, false
		}
	}
	return i, false
}
