package secrets

import "strings"

// Tail returns how many bytes at the end of a text may belong to a key that is
// still incomplete, for text that arrives in pieces.
func Tail(text string) int {
	return max(tokenTail(text), privateTail(text))
}

// longestKey is more than the length of any format's prefix and body, in bytes.
const longestKey = 2048

// tokenTail looks for the start of an issuer's key in the last word.
func tokenTail(text string) int {
	start := len(text)
	for start > 0 && len(text)-start <= longestKey && (formats().run[text[start-1]] || text[start-1] == '.' || text[start-1] == ':') {
		start--
	}
	for i := start; i < len(text); i++ {
		if i > 0 && inClass("dashed", text[i-1]) {
			continue // in the middle of a word
		}
		account := strings.TrimPrefix(text[i:], "bot")
		key := strings.TrimLeft(account, "0123456789")
		digits := len(account) - len(key)
		for _, f := range formats().formats {
			rest := text[i:]
			if f.numbered() && 0 < digits && digits <= 10 {
				rest = key
			}
			if strings.HasPrefix(rest, f.prefix) || strings.HasPrefix(f.prefix, rest) {
				return len(text) - i
			}
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
