package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scalar returns the text of a value on one line: quoted without escapes, or
// plain, starting with a letter and not a word that YAML has a meaning for.
func scalar(value string) (text string, ok bool) {
	if value == "" || !printable(value) {
		return "", false
	}
	if q := value[0]; q == '"' || q == '\'' {
		inner, ok := strings.CutSuffix(value[1:], string(q))
		text = strings.TrimSpace(inner)
		return text, ok && text != "" && !strings.ContainsAny(inner, `\`+string(q))
	}
	first, _ := utf8.DecodeRuneInString(value)
	ok = unicode.IsLetter(first) && !strings.Contains(value, ": ") && !strings.Contains(value, " #") &&
		!strings.HasSuffix(value, ":") && !strings.HasSuffix(value, " ") && !isYAMLWord(value)
	return value, ok
}

func isNumber(value string) bool {
	return value != "" && strings.Trim(value, "0123456789.") == "" && value[0] != '.'
}

func isYAMLWord(value string) bool {
	switch strings.ToLower(value) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

// printable reports whether a text holds nothing that one parser or another
// could take for a line break, a space, or nothing at all.
func printable(text string) bool {
	for _, r := range text {
		if r < ' ' || r > '~' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func isPlainName(name string) bool {
	if name == "" || len(name) > maxName || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" // every byte is one of these
}
