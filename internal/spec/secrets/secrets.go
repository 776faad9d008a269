// Package secrets finds API keys and private keys in text, using the documented
// formats of issuers and the length and randomness of real keys.
package secrets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
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
	table := formats()
	scan := newScanner(src, limit)
	for start, end := table.longRun(src, 0); start >= 0; start, end = table.longRun(src, end) {
		scan.stretch(start-beforeRun, end)
	}
	out := scan.out
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

// formatTable maps the first three bytes of a prefix to the formats that may
// start with them, one bit for every 64th format, so that few positions of a
// text are compared.
type formatTable struct {
	formats []format
	bytes   [3][256]uint64
	run     [256]bool // bytes of a run, see longRun
}

// formats is the table, built on first use.
var formats = sync.OnceValue(func() *formatTable {
	t := &formatTable{formats: issuers()}
	for n, f := range t.formats {
		for i := range t.bytes {
			t.bytes[i][f.prefix[i]] |= 1 << (n % 64)
		}
	}
	for c := range t.run {
		t.run[c] = inClass("dashed", byte(c)) || inClass("base64", byte(c))
	}
	return t
})

// Every key has a run of at least shortRun bytes of the classes "dashed" and
// "base64", which starts at most beforeRun bytes after the start of the key.
const shortRun, beforeRun = 20, 18

// longRun returns the next such run, or -1. It first tests the byte where a run
// would end, so that most bytes of prose are never read.
func (t *formatTable) longRun(src []byte, from int) (start, end int) {
	for from+shortRun <= len(src) {
		i := from + shortRun - 1
		for i >= from && t.run[src[i]] {
			i--
		}
		if i >= from {
			from = i + 1
			continue
		}
		for end = from + shortRun; end < len(src) && t.run[src[end]]; end++ {
		}
		return from, end
	}
	return -1, -1
}

// scanner searches ranges of a text for keys, from start to end.
type scanner struct {
	table *formatTable
	src   []byte
	limit int // maximum number of keys

	out     []Secret
	next    int   // start of the part not yet scanned
	scanned []int // by format, the end of the last body read
}

func newScanner(src []byte, limit int) scanner {
	table := formats()
	return scanner{table: table, src: src, limit: limit, scanned: make([]int, len(table.formats))}
}

// stretch finds the keys that start in a range.
func (s *scanner) stretch(from, to int) {
	i := max(from, s.next)
	for ; i < to && i+2 < len(s.src) && len(s.out) < s.limit; i++ {
		maybe := s.table.bytes[0][s.src[i]] & s.table.bytes[1][s.src[i+1]]
		if maybe == 0 {
			continue
		}
		for maybe &= s.table.bytes[2][s.src[i+2]]; maybe != 0; maybe &= maybe - 1 {
			if s.tryFormats(bits.TrailingZeros64(maybe), i) {
				i = s.out[len(s.out)-1].End - 1
				break
			}
		}
	}
	s.next = i
}

// tryFormats looks for a key of the formats with this bit at an offset.
func (s *scanner) tryFormats(bit, i int) bool {
	for n := bit; n < len(s.table.formats); n += 64 {
		if i < s.scanned[n] {
			continue
		}
		if key, end, ok := s.table.formats[n].at(s.src, i); ok {
			s.out = append(s.out, key)
			return true
		} else if end > 0 {
			s.scanned[n] = end
		}
	}
	return false
}

// at returns the key of this format whose prefix starts at an offset, and the
// end of its body, or 0 if the prefix does not match.
func (k *format) at(src []byte, start int) (s Secret, end int, ok bool) {
	body := start + len(k.prefix)
	if len(src) < body || string(src[start:body]) != k.prefix {
		return Secret{}, 0, false
	}
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
		alone = alone && (end == len(src) || !inClass("dashed", src[end]))
	} else {
		alone = isSeparate(src, start, end)
	}
	if !alone || k.also != nil && !k.also(text) || isPlaceholder(src[start:end], text) {
		return Secret{}, end, false
	}
	return Secret{k.issuer, start, body, end}, end, true
}

// accountBefore returns the start of the account number of eight to ten digits
// that ends at an offset. ok is false if there is none or it is part of a word.
// In URLs the word bot precedes it.
func accountBefore(src []byte, at int) (start int, ok bool) {
	for start = at; start > 0 && at-start <= 10 && '0' <= src[start-1] && src[start-1] <= '9'; {
		start--
	}
	before := bytes.TrimSuffix(src[:start], []byte("bot"))
	return start, at-start >= 8 && at-start <= 10 && (len(before) == 0 || !inClass("dashed", before[len(before)-1]))
}

// isSeparate reports whether a key is not part of something longer, such as an
// embedded image or a digest in a lock file.
func isSeparate(src []byte, start, end int) bool {
	if end < len(src) && (inClass("dashed", src[end]) || strings.IndexByte("+/=%", src[end]) >= 0 && end+1 < len(src) && inClass("alnum", src[end+1])) {
		return false
	}
	if start == 0 {
		return true
	}
	switch before := src[start-1]; {
	case inClass("dashed", before):
		return false
	case before == '+' || before == '/':
		return start == 1 || !inClass("dashed", src[start-2])
	}
	return true
}
