package secrets

import "strings"

// Tail is for text that arrives in pieces: it returns how many bytes at the end
// may belong to a key whose rest has not arrived yet.
func Tail(text string) int {
	return max(tokenTail(text), privateTail(text))
}

// longestKey is longer than the prefix and body of any format.
const longestKey = 512

// tokenTail looks at the last word, which may become a key of an issuer.
func tokenTail(text string) int {
	start := len(text)
	for start > 0 && len(text)-start <= longestKey && inClass("dashed", text[start-1]) {
		start--
	}
	word, tail := text[start:], 0
	for _, f := range formats().formats {
		switch {
		case f.wide():
			tail = max(tail, f.tail(text[max(0, len(text)-longestKey):]))
		case word != "" && len(word) <= longestKey && (strings.HasPrefix(word, f.prefix) || strings.HasPrefix(f.prefix, word)):
			tail = max(tail, len(word))
		}
	}
	return tail
}

// wide reports whether keys of this format are more than one word.
func (k *format) wide() bool {
	switch k.chars {
	case "dotted", "padded", "path", "base64":
		return true
	}
	return k.numbered()
}

// tail returns how many bytes at the end of a text may be the beginning of a key
// of a format that is more than one word.
func (k *format) tail(text string) int {
	n := 0
	if at := strings.LastIndex(text, k.prefix); at >= 0 {
		rest := text[at+len(k.prefix):]
		if len(rest) <= k.most+1 && strings.IndexFunc(rest, func(r rune) bool { return r > 0x7F || !inClass(k.chars, byte(r)) }) < 0 {
			n = len(text) - at
		}
	}
	for part := min(len(k.prefix)-1, len(text)); n == 0 && part > 0; part-- {
		if strings.HasSuffix(text, k.prefix[:part]) {
			n = part
		}
	}
	before := text[:len(text)-n]
	if k.numbered() {
		account := strings.TrimRight(before, "0123456789")
		digits := len(before) - len(account)
		if digits == 0 || digits > 10 || n > 0 && digits < 8 {
			return 0
		}
		before = strings.TrimSuffix(account, "bot")
		n = len(text) - len(before)
	}
	if before != "" && inClass("dashed", before[len(before)-1]) {
		return 0 // in the middle of a word
	}
	return n
}

// privateTail looks for the beginning of a private key in PEM form.
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
