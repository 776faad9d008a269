// Package secrets finds API keys and private keys in text, using the documented
// formats of issuers and the length and randomness of real keys.
package secrets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// Secret is a key in a text, in byte offsets. text[Start:Label] shows the kind
// of key and may be printed; text[Label:End] must not be.
type Secret struct {
	Issuer            string // the issuer; "" for a PEM private key
	Start, Label, End int
}

// Limit is the maximum number of keys that [Find] returns.
const Limit = 200

// Find returns the keys in a text in order, at most [Limit]. Placeholders and
// examples from the issuers' documentation are omitted.
func Find(text []byte) []Secret { return find(text, Limit) }

// FindAll is Find without a limit.
func FindAll(text string) []Secret { return find([]byte(text), len(text)) }

// Contains reports whether a text contains a key.
func Contains(text string) bool { return len(find([]byte(text), 1)) > 0 }

// Mask replaces keys with a known issuer by "…", except for the part that shows
// the kind of key. It also replaces the texts in known, ignoring case.
func Mask(text string, known []string) string {
	src := []byte(text)
	for _, s := range slices.Backward(Find(src)) {
		if s.Issuer != "" {
			src = slices.Replace(src, s.Label, s.End, []byte("…")...)
		}
	}
	for _, key := range known {
		src = replaceFold(src, []byte(key))
	}
	return string(src)
}

// replaceFold replaces a key with "…", ignoring case.
func replaceFold(src, key []byte) []byte {
	for at := 0; at+len(key) <= len(src); at++ {
		if bytes.EqualFold(src[at:at+len(key)], key) {
			src = slices.Replace(src, at, at+len(key), []byte("…")...)
		}
	}
	return src
}

// Digest identifies the key without revealing it: a real key is too random to
// be guessed from its digest. White space inside a private key, such as
// indentation, is ignored.
func (s Secret) Digest(text []byte) string {
	key := text[s.Start:s.End]
	if s.Issuer == "" {
		key = text[s.Label:s.End]
	}
	sum := sha256.Sum256(bytes.Join(bytes.Fields(key), nil))
	return hex.EncodeToString(sum[:8])
}

func find(src []byte, limit int) []Secret {
	out := findTokens(src, limit)
	private := findPrivateKeys(src, limit)
	if len(private) == 0 {
		return out
	}
	out = append(out, private...)
	slices.SortStableFunc(out, func(a, b Secret) int { return cmp.Compare(a.Start, b.Start) })
	last := 0
	return slices.DeleteFunc(out, func(s Secret) bool {
		inside := s.Start < last // part of the private key before it
		last = max(last, s.End)
		return inside
	})
}

// prefixes finds the formats by their prefixes.
var prefixes = sync.OnceValue(func() *Prefixes {
	var words []string
	for _, f := range issuers() {
		words = append(words, f.prefix)
	}
	return NewPrefixes(words)
})

// findTokens returns up to limit keys with a prefix.
func findTokens(src []byte, limit int) (out []Secret) {
	scanned := make([]int, len(issuers())) // by format, the end of the last body read
	for start := 0; start+shortestKey <= len(src) && len(out) < limit; {
		// A key has no blanks, so a blank near the end of the shortest key skips all
		// before it.
		end := start + shortestKey
		if blank := lastBlank(src[start:end]); blank >= 0 {
			start += blank + 1
			continue
		}
		for end < len(src) && src[end] > ' ' {
			end++
		}
		out = findInWord(src, start, end, limit, scanned, out)
		start = end + 1
	}
	return out
}

// shortestKey is the length in bytes of the shortest prefix and body.
const shortestKey = 20

func lastBlank(text []byte) int {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] <= ' ' {
			return i
		}
	}
	return -1
}

// findInWord appends the keys that start between two offsets.
func findInWord(src []byte, start, end, limit int, scanned []int, out []Secret) []Secret {
	table, formats := prefixes(), issuers()
	for i := start; i+1 < end && len(out) < limit; i++ {
		candidates := table.Starting(src[i], src[i+1])
		if len(candidates) == 0 {
			continue
		}
		if inWord := i > 0 && isWordByte(src[i-1]); inWord && src[i] != ':' {
			continue
		}
		for _, n := range candidates {
			f := &formats[n]
			if !bytes.HasPrefix(src[i:], []byte(f.prefix)) || i < scanned[n] {
				continue
			}
			key, end, ok := f.at(src, i)
			if ok {
				out = append(out, key)
				i = end - 1
				break
			}
			scanned[n] = end
		}
	}
	return out
}

// isWordByte reports whether c is in the class "dashed".
func isWordByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// at returns the key of this format whose prefix starts at an offset, and the
// end of its body.
func (k *format) at(src []byte, start int) (s Secret, end int, ok bool) {
	body := start + len(k.prefix)
	end = body
	for end < len(src) && end-body <= k.most && inClass(k.chars, src[end]) {
		end++
	}
	for k.chars == "dotted" && end > body && src[end-1] == '.' {
		end-- // a period that ends the sentence
	}
	text := src[body:end]
	if len(text) < k.least || len(text) > k.most {
		return Secret{}, end, false
	}
	alone := false
	if k.numbered() {
		start, alone = accountBefore(src, start)
		alone = alone && (end == len(src) || !isWordByte(src[end]))
	} else {
		alone = isSeparate(src, start, end)
	}
	wellFormed := alone && (k.also == nil || k.also(text))
	if !wellFormed || isPlaceholder(src[start:end], text) {
		return Secret{}, end, false
	}
	return Secret{Issuer: k.issuer, Start: start, Label: body, End: end}, end, true
}

// accountBefore returns the start of the account number of eight to ten digits
// that ends at an offset. ok is false if there is none or it is part of a word.
// In URLs the word bot precedes it.
func accountBefore(src []byte, at int) (start int, ok bool) {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	for start = at; start > 0 && at-start <= 10 && isDigit(src[start-1]); {
		start--
	}
	before := bytes.TrimSuffix(src[:start], []byte("bot"))
	return start, at-start >= 8 && at-start <= 10 && (len(before) == 0 || !isWordByte(before[len(before)-1]))
}

// isSeparate reports whether a key is not part of something longer, such as an
// embedded image or a digest in a lock file.
func isSeparate(src []byte, start, end int) bool {
	if after := src[end:]; len(after) > 0 {
		continues := strings.IndexByte("+/=%", after[0]) >= 0 && len(after) > 1 && inClass("alnum", after[1])
		if continues || isWordByte(after[0]) {
			return false
		}
	}
	if start == 0 {
		return true
	}
	switch before := src[start-1]; {
	case isWordByte(before):
		return false
	case before == '+' || before == '/':
		return start == 1 || !isWordByte(src[start-2])
	}
	return true
}

// Prefixes finds which of many words may start at a byte of a text, with one look-up per
// byte.
type Prefixes struct {
	group [1 << 16]uint8 // index in words; 0 for none
	words [][]int
}

// NewPrefixes returns the table of these words. Each has at least two bytes, and they start
// with at most 255 different pairs.
func NewPrefixes(words []string) *Prefixes {
	t := &Prefixes{words: make([][]int, 1)}
	for i, w := range words {
		pair := uint16(w[0])<<8 | uint16(w[1])
		if t.group[pair] == 0 {
			t.group[pair] = uint8(len(t.words))
			t.words = append(t.words, nil)
		}
		at := t.group[pair]
		t.words[at] = append(t.words[at], i)
	}
	return t
}

// Starting returns the indexes of the words that start with two bytes, in the order of
// NewPrefixes; nil for most bytes.
func (t *Prefixes) Starting(a, b byte) []int {
	if group := t.group[uint16(a)<<8|uint16(b)]; group != 0 {
		return t.words[group]
	}
	return nil
}
