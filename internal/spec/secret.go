package spec

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// secret is a key that stands in a text, in bytes of it.
type secret struct {
	issuer     string // whose key it is
	start, end int
	shown      int // how many of its first bytes say what it is, not which
}

// maxSecrets bounds what is found in one text.
const maxSecrets = 200

// keyTable tells for the first three bytes of a prefix which shapes may start
// with them, one bit a shape: few places of a text are looked at twice.
type keyTable struct {
	shapes []keyShape
	bytes  [3][256]uint64
	run    [256]bool // the bytes of a run; see longRun
}

// maxShapes is how many shapes the table has bits for.
const maxShapes = 64

// keys is the table, made when first needed.
var keys = sync.OnceValue(func() *keyTable {
	t := &keyTable{shapes: keyShapes()}
	for n, shape := range t.shapes {
		for i := range t.bytes {
			t.bytes[i][shape.prefix[i]] |= 1 << n
		}
	}
	for c := range t.run {
		t.run[c] = inClass("dashed", byte(c)) || inClass("base64", byte(c))
	}
	return t
})

// Every key has a run of at least shortRun bytes of the classes "dashed" and
// "base64", which starts at most beforeRun bytes behind the key.
const shortRun, beforeRun = 20, 16

// longRun returns the next such run, -1 where there is none. It looks at where
// one would end first, so that most bytes of a text of words are not looked at.
func (t *keyTable) longRun(src []byte, from int) (start, end int) {
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

// findSecrets returns the keys in a text that have the length and randomness
// of real ones, in their order. Placeholders and the examples of the issuers'
// documentation are none.
func findSecrets(src []byte) []secret { return scanSecrets(src, maxSecrets) }

// scanSecrets is findSecrets with another bound of what is found.
func scanSecrets(src []byte, most int) []secret {
	table := keys()
	scan := keyScan{table: table, src: src, most: most}
	for start, end := table.longRun(src, 0); start >= 0; start, end = table.longRun(src, end) {
		scan.stretch(start-beforeRun, end)
	}
	out := scan.out
	if private := findPrivateKeys(src, most); len(private) > 0 {
		out = append(out, private...)
		slices.SortStableFunc(out, func(a, b secret) int { return cmp.Compare(a.start, b.start) })
	}
	return out
}

// keyScan looks for keys in stretches of a text, from its start to its end.
type keyScan struct {
	table *keyTable
	src   []byte
	most  int // keys

	out    []secret
	next   int            // where no key was looked for yet
	looked [maxShapes]int // by shape, the end of the last body that was looked at
}

// stretch looks for the keys that start in a stretch.
func (s *keyScan) stretch(from, to int) {
	i := max(from, s.next)
	for ; i < to && i+2 < len(s.src) && len(s.out) < s.most; i++ {
		maybe := s.table.bytes[0][s.src[i]] & s.table.bytes[1][s.src[i+1]]
		if maybe == 0 {
			continue
		}
		for maybe &= s.table.bytes[2][s.src[i+2]]; maybe != 0; maybe &= maybe - 1 {
			n := bits.TrailingZeros64(maybe)
			if i < s.looked[n] {
				continue
			}
			if key, end, ok := s.table.shapes[n].at(s.src, i); ok {
				s.out = append(s.out, key)
				i = key.end - 1
				break
			} else if end > 0 {
				s.looked[n] = end
			}
		}
	}
	s.next = i
}

// at returns the key of this shape whose prefix starts at a place, and where the
// body ends, 0 where even the prefix is another one.
func (k *keyShape) at(src []byte, start int) (s secret, end int, ok bool) {
	body := start + len(k.prefix)
	if len(src) < body || string(src[start:body]) != k.prefix {
		return secret{}, 0, false
	}
	end = body
	for end < len(src) && end-body <= k.most && inClass(k.chars, src[end]) {
		end++
	}
	for k.chars == "dotted" && end > body && src[end-1] == '.' {
		end-- // of the sentence
	}
	text := src[body:end]
	if len(text) < k.least || len(text) > k.most {
		return secret{}, end, false
	}
	alone := false
	if k.numbered() {
		start, alone = accountBefore(src, start)
		alone = alone && (end == len(src) || !inClass("dashed", src[end]))
	} else {
		alone = standsAlone(src, start, end)
	}
	if !alone || k.also != nil && !k.also(text) || placeholderKey(src[start:end], text) {
		return secret{}, end, false
	}
	return secret{k.issuer, start, end, body - start}, end, true
}

// accountBefore returns where the number of eight to ten digits starts that ends
// at a place; ok is false where there is none, or it is a part of a word. In
// addresses the word bot stands before it.
func accountBefore(src []byte, at int) (start int, ok bool) {
	for start = at; start > 0 && at-start <= 10 && '0' <= src[start-1] && src[start-1] <= '9'; {
		start--
	}
	before := bytes.TrimSuffix(src[:start], []byte("bot"))
	return start, at-start >= 8 && at-start <= 10 && (len(before) == 0 || !inClass("dashed", before[len(before)-1]))
}

// standsAlone reports whether a key is not a part of something longer, such as
// an embedded picture or a lock file's digest.
func standsAlone(src []byte, start, end int) bool {
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
