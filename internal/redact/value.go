package redact

// Which values of an environment are secret is decided by the names of variables and the
// formats of keys. A value is also looked for as programs print it: in base64, hexadecimal,
// a URL or HTML. Short values and plain words are left, as they would mask ordinary text.

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"skills/internal/lazyregexp"
	"skills/internal/spec/secrets"
)

// Value is a secret and the name that replaces it.
type Value struct{ Name, Text string }

// isPlain reports whether a value cannot be distinguished from ordinary text: it
// is shorter than eight bytes, or a word that local servers accept as a key
// (lm-studio, not-needed).
func isPlain(value string) bool {
	if len(value) < least {
		return true
	}
	const longestWord = 20
	return len(value) < longestWord && !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-_. ", r)
	})
}

// Holds reports whether a variable probably contains a key, from its name
// (GITHUB_TOKEN, DB_PASSWORD) or the format of its value.
func Holds(name, value string) bool {
	if secrets.Contains(value) {
		return true
	}
	return secretName(name) && !location(value)
}

// location reports whether a value is a path, or a URL without a password.
func location(value string) bool {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		return !strings.Contains(rest, "@")
	}
	if len(value) > 2 {
		if drive := value[1:3]; drive == `:\` || drive == ":/" {
			return true // of Windows
		}
	}
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./")
}

// secretName reports whether a variable's name indicates a key: one of its
// words does, with or without a number (OPENAI_KEY1), and no later word makes
// it something about a key (KEY_FILE).
func secretName(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	at := -1
	for i, w := range words {
		w = strings.TrimRight(w, "0123456789")
		ends := func(end string) bool { return strings.HasSuffix(w, end) }
		switch {
		case slices.Contains([]string{"PUBLIC", "MAX", "MIN", "NUM"}, w):
			return false
		case w == "PWD" && len(words) == 1: // the working directory
		case slices.Contains(secretWords(), w), slices.ContainsFunc([]string{"APIKEY", "TOKEN", "PASSWORD", "SSHPASS"}, ends): // PGPASSWORD
			at = i
		}
	}
	return at >= 0 && !slices.ContainsFunc(words[at+1:], func(w string) bool { return slices.Contains(aboutWords(), w) })
}

func secretWords() []string {
	return strings.Fields(`KEY KEYS TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASS PASSPHRASE PWD CREDENTIAL
		CREDENTIALS CRED CREDS PAT AUTH AUTHORIZATION BEARER COOKIE JWT SIG SIGNATURE`)
}

func aboutWords() []string {
	return strings.Fields(`ID NAME USER USERNAME PATH FILE DIR FOLDER URL URI ENDPOINT HOST PORT DOMAIN REALM REGION SOCK SOCKET
		TYPE KIND ALG ALGO ALGORITHM FORMAT LENGTH LEN SIZE COUNT LIMIT BUDGET TTL EXPIRY EXPIRES EXPIRATION LIFETIME TIMEOUT
		DAYS HOURS MINUTES SECONDS METHOD MODE SCHEME PREFIX SUFFIX HEADER ISSUER AUDIENCE PROVIDER SERVICE BACKEND STORE
		HELPER ENABLED DISABLED REQUIRED VERSION LEVEL ENV VAR VARIABLE SCOPE SCOPES THROUGH FINGERPRINT`)
}

// Parts returns the parts of a variable's value that are keys: the whole value,
// and the part after the scheme of a header, as in "Bearer abc".
func Parts(value string) []string {
	out := []string{value}
	scheme, rest, ok := strings.Cut(strings.TrimSpace(value), " ")
	if ok && slices.Contains([]string{"bearer", "basic", "token", "apikey", "digest"}, strings.ToLower(strings.TrimSuffix(scheme, ":"))) {
		out = append(out, strings.TrimSpace(rest))
	}
	return out
}

// pattern is one encoding of a known value.
type pattern struct{ text, mark string }

// least is the minimum length of a masked value and of its encodings: shorter
// ones also occur in ordinary text.
const least = 8

// patterns returns every encoding of the values, longest first.
func patterns(values []Value) []pattern {
	var out []pattern
	seen := map[string]bool{}
	for _, v := range values {
		if isPlain(v.Text) {
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
		out = append(out, escaped, urlEscape().ReplaceAllStringFunc(escaped, strings.ToLower))
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

// core returns the part of a base64 text, such as "user:key", that depends only
// on the value. shift is the number of bytes before the value modulo three.
func core(encoding *base64.Encoding, value string, shift int) string {
	text := encoding.EncodeToString(append(make([]byte, shift), value...))
	first, last := (8*shift+5)/6, 8*(shift+len(value))/6
	return text[first:last]
}

// urlEscape matches an escaped byte of a URL, such as %2F.
var urlEscape = lazyregexp.New("%[0-9A-F]{2}")

// folding is the first offset at which a pattern may contain a line break, as
// base64 does.
const folding = 4

// at returns the end of the pattern that starts at an offset, or 0. more is
// true if the text ended before the pattern did.
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
