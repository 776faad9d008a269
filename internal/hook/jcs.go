package hook

// The canonical JSON of RFC 8785, and the identity of a context that agent-hooks makes of
// it.

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// identityProvider is the name of the identity in records.
const identityProvider = "jcs-sha256"

// identity returns the identity of a context. An integer that other programs cannot hold
// exactly is an error.
func identity(context any) (string, error) {
	text, err := canonical(context)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text)), nil
}

// canonical returns the canonical JSON of a value.
func canonical(value any) ([]byte, error) {
	plain, err := plainJSON(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeCanonical(&out, plain)
	return out.Bytes(), err
}

// plainJSON returns a value as maps, lists, texts and numbers as they are written.
func plainJSON(value any) (plain any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decodeJSON(text)
}

func decodeJSON(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

func writeCanonical(out *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case string:
		writeText(out, v)
	case json.Number:
		text, err := numberText(v.String())
		out.WriteString(text)
		return err
	case []any:
		return writeAll(out, '[', ']', len(v), func(i int) error { return writeCanonical(out, v[i]) })
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
		return writeAll(out, '{', '}', len(keys), func(i int) error {
			writeText(out, keys[i])
			out.WriteByte(':')
			return writeCanonical(out, v[keys[i]])
		})
	}
	return nil
}

func writeAll(out *bytes.Buffer, open, end byte, n int, write func(i int) error) error {
	out.WriteByte(open)
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		err := write(i)
		if err != nil {
			return err
		}
	}
	out.WriteByte(end)
	return nil
}

// writeText writes a text with the escapes that JSON requires, and no others.
func writeText(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for _, r := range text {
		short := strings.IndexRune("\b\t\n\f\r\"\\", r)
		switch {
		case short >= 0:
			out.WriteByte('\\')
			out.WriteByte("btnfr\"\\"[short])
		case r < 0x20:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}

// numberText returns a number as JavaScript writes it.
func numberText(text string) (string, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", fmt.Errorf("the number %.40s is out of range", text)
	}
	const exact = 1<<53 - 1
	if !strings.ContainsAny(text, ".eE") && math.Abs(f) > exact {
		return "", fmt.Errorf("the integer %.40s is larger than 2^53-1, which other programs cannot hold", text)
	}
	if abs := math.Abs(f); abs == 0 {
		return "0", nil
	} else if abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64), nil
	}
	out := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(out, "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0"), nil
}
