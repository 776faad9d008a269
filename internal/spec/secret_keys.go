package spec

import "strings"

// Key is a key that stands in a text: what of it must not be repeated is
// text[Start:End].
type Key struct {
	Issuer     string // whose key it is; "" for a private key
	Start, End int
}

// Keys returns the keys in a text, in their order: those that the rule about
// keys reports, and as many as there are. Of a private key it is the body,
// between the lines that say what it is.
func Keys(text string) []Key {
	if !mayHoldKey(text) {
		return nil // most texts, without a copy
	}
	var out []Key
	last := 0
	for _, s := range scanSecrets([]byte(text), len(text)) {
		k := Key{s.issuer, s.start, s.end}
		if s.issuer == privateKey {
			k = Key{"", s.end, s.end + strings.Index(text[s.end:], endOfKey)}
		}
		if k.Start < last {
			continue // inside the one before
		}
		out, last = append(out, k), k.End
	}
	return out
}

// mayHoldKey reports whether the beginning of a shape is anywhere in a text.
func mayHoldKey(text string) bool {
	table := keys()
	for i := 0; i+2 < len(text); i++ {
		maybe := table.bytes[0][text[i]] & table.bytes[1][text[i+1]]
		if maybe != 0 && maybe&table.bytes[2][text[i+2]] != 0 {
			return true
		}
	}
	return strings.Contains(text, beginOfKey)
}

// KeyTail is for text that comes in pieces: how many bytes at its end may
// belong to a key whose rest has not come yet.
func KeyTail(text string) int {
	return max(tokenTail(text), privateTail(text))
}

// longestKey is more than any shape's prefix and body.
const longestKey = 512

// tokenTail looks at the last word, which may become a key of one of the
// shapes.
func tokenTail(text string) int {
	start := len(text)
	for start > 0 && len(text)-start <= longestKey && inClass("dashed", text[start-1]) {
		start--
	}
	word, tail := text[start:], 0
	for _, shape := range keys().shapes {
		switch {
		case shape.wide():
			tail = max(tail, shape.tail(text[max(0, len(text)-longestKey):]))
		case word != "" && len(word) <= longestKey && (strings.HasPrefix(word, shape.prefix) || strings.HasPrefix(shape.prefix, word)):
			tail = max(tail, len(word))
		}
	}
	return tail
}

// wide reports whether a key of this shape is more than one word.
func (k *keyShape) wide() bool {
	switch k.chars {
	case "dotted", "padded", "path", "base64":
		return true
	}
	return k.numbered()
}

// tail is how many bytes at the end of a text may be the beginning of a key of
// a shape that is more than one word.
func (k *keyShape) tail(text string) int {
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

// privateTail looks for a private key in PEM form that has begun.
func privateTail(text string) int {
	from := max(0, len(text)-maxPrivateKey-2*maxKeyLabel)
	// Looked for forwards first, which is many times faster.
	if strings.Contains(text[from:], beginOfKey) {
		start := from + strings.LastIndex(text[from:], beginOfKey)
		rest := text[start+len(beginOfKey):]
		label, body, whole := strings.Cut(rest, "-----")
		switch {
		case !whole && len(rest) < maxKeyLabel:
			return len(text) - start // its name has not come yet
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
