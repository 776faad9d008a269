package secret

import (
	"slices"
	"strings"
)

// secretName reports whether a variable's name says that it holds a key: one of
// its words does, whatever number it has (OPENAI_KEY1), and no word behind that
// one says that it is something about the key (KEY_FILE).
func secretName(name string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	at := -1
	for i, w := range words {
		w = strings.TrimRight(w, "0123456789")
		switch {
		case slices.Contains([]string{"PUBLIC", "MAX", "MIN", "NUM"}, w):
			return false
		case w == "PWD" && len(words) == 1: // the working folder
		case slices.Contains(secretWords(), w), grown(w):
			at = i
		}
	}
	return at >= 0 && !slices.ContainsFunc(words[at+1:], func(w string) bool { return slices.Contains(aboutWords(), w) })
}

// grown reports whether a word has grown together with one of a key: PGPASSWORD.
func grown(word string) bool {
	return slices.ContainsFunc([]string{"APIKEY", "TOKEN", "PASSWORD", "SSHPASS"}, func(end string) bool { return strings.HasSuffix(word, end) })
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

// Parts returns what of a variable's value is a key by itself: all of it, and
// what stands behind the scheme of a header, as in "Bearer abc".
func Parts(value string) []string {
	out := []string{value}
	scheme, rest, ok := strings.Cut(strings.TrimSpace(value), " ")
	if ok && slices.Contains([]string{"bearer", "basic", "token", "apikey", "digest"}, strings.ToLower(strings.TrimSuffix(scheme, ":"))) {
		out = append(out, strings.TrimSpace(rest))
	}
	return out
}
