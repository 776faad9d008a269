package secret

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

// pattern is one form of a known value.
type pattern struct{ text, mark string }

// least is the length of the shortest secret, and of its shortest form: what
// is shorter stands in ordinary text, too.
const least = 8

// patterns returns every form of the values, the longest first.
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

// forms are the ways in which programs print a value.
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

// core is what of the base64 of a longer text, such as "user:key", depends on
// the value in it alone, where so many bytes stand before it beyond a group of
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

// folding is how much of a pattern must have come before it may go on in the
// next line, as base64 writes its lines.
const folding = 4

// at returns the end of the pattern that starts at a place, 0 where there is
// none; more says that the text ended before the pattern did.
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
