package secret

import (
	"strings"
	"unicode"

	"skills/internal/spec"
)

// Value is a secret and the name that is written in its place.
type Value struct{ Name, Text string }

// Plain reports whether a value is no secret that could be told from ordinary
// text: shorter than eight bytes, or a mere word such as those that local
// servers take for a key (lm-studio, not-needed).
func Plain(value string) bool {
	if len(value) < least {
		return true
	}
	const longestWord = 20
	return len(value) < longestWord && !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-_. ", r)
	})
}

// Holds reports whether a variable looks as if it held a key: by its name
// (GITHUB_TOKEN, DB_PASSWORD), or by the shape of its value.
func Holds(name, value string) bool {
	if len(spec.Keys(value)) > 0 {
		return true
	}
	return secretName(name) && !place(value)
}

// place reports whether a value says where something is: a path, or an address
// without a password.
func place(value string) bool {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		return !strings.Contains(rest, "@")
	}
	if len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/') {
		return true // a drive
	}
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./")
}
