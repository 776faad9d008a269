package secrets

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// Tail returns how many bytes at the end of a text may belong to a key that is
// still incomplete, for text that arrives in pieces.
func Tail(text string) int {
	return max(tokenTail(text), privateTail(text))
}

// longestKey is more than the length of any format's prefix and body, in bytes.
const longestKey = 2048

// accountTail matches the start of a key that follows an account number.
var accountTail = lazyregexp.New(`^(?:bot)?[0-9]{1,10}(?:$|:$|:A$|:AA)`)

// tokenTail looks for the start of an issuer's key in the last word.
func tokenTail(text string) int {
	ofKey := func(c byte) bool { return inClass("padded64", c) || c == '.' || c == ':' }
	start := len(text)
	for start > 0 && len(text)-start <= longestKey && ofKey(text[start-1]) {
		start--
	}
	for i := start; i < len(text); i++ {
		if i > 0 && isWordByte(text[i-1]) {
			continue // in the middle of a word
		}
		rest := text[i:]
		starts := func(f format) bool { return strings.HasPrefix(rest, f.prefix) || strings.HasPrefix(f.prefix, rest) }
		if slices.ContainsFunc(issuers(), starts) || accountTail().MatchString(rest) {
			return len(rest)
		}
	}
	return 0
}

// privateTail looks for the start of a PEM private key.
func privateTail(text string) int {
	from := max(0, len(text)-maxPrivateKey-2*maxKeyLabel)
	// Searching forwards first is many times faster.
	if strings.Contains(text[from:], beginOfKey) {
		start := from + strings.LastIndex(text[from:], beginOfKey)
		rest := text[start+len(beginOfKey):]
		label, body, whole := strings.Cut(rest, "-----")
		switch {
		case !whole && len(rest) < maxKeyLabel:
			return len(text) - start // the label is incomplete
		case !whole || len(label) > maxKeyLabel || !strings.HasSuffix(label, "PRIVATE KEY"):
		default:
			_, ending, ended := strings.Cut(body, endOfKey)
			if len(body) < maxPrivateKey && (!ended || len(ending) < len(label)) {
				return len(text) - start
			}
		}
	}
	for n := min(len(text), len(beginOfKey)-1); n > 0; n-- {
		if strings.HasPrefix(beginOfKey, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
