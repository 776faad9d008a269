package report

// The differences of two answers. Lines are aligned first, and then the words of lines that
// differ. Two answers that have little in common are not marked, because marks everywhere
// point at nothing.

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// piece is a part of a text, which the other text has too or not.
type piece struct {
	text    string
	differs bool
}

const (
	alike   = 0.25    // share of two texts in common below which nothing is marked
	related = 0.4     // likewise of lines, below which they are marked as a whole
	maxDiff = 1 << 16 // bytes of a text that are compared
)

// compare returns the parts of two texts. marked is false if they have too little in common.
func compare(a, b string) (left, right []piece, marked bool) {
	if max(len(a), len(b)) > maxDiff {
		return []piece{{text: a}}, []piece{{text: b}}, false
	}
	la, lb := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	common, at := 0, 0
	for _, d := range append(lcs.DiffLines(la, lb), lcs.Diff{Start: len(la), End: len(la), ReplStart: len(lb), ReplEnd: len(lb)}) {
		same := strings.Join(la[at:d.Start], "")
		common += weight(same)
		left, right = append(left, piece{text: same}), append(right, piece{text: same})
		l, r, n := compareWords(strings.Join(la[d.Start:d.End], ""), strings.Join(lb[d.ReplStart:d.ReplEnd], ""))
		common += n
		left, right, at = append(left, l...), append(right, r...), d.End
	}
	if float64(2*common) < alike*float64(weight(a)+weight(b)) {
		return []piece{{text: a}}, []piece{{text: b}}, false
	}
	return joined(left), joined(right), true
}

// compareWords returns the parts of two groups of lines, and the weight of what they have in
// common.
func compareWords(a, b string) (left, right []piece, common int) {
	wa, wb := words(a), words(b)
	at := 0
	for _, d := range append(lcs.DiffLines(wa, wb), lcs.Diff{Start: len(wa), End: len(wa), ReplStart: len(wb), ReplEnd: len(wb)}) {
		same := strings.Join(wa[at:d.Start], "")
		common += weight(same)
		left = append(left, piece{text: same}, piece{strings.Join(wa[d.Start:d.End], ""), true})
		right = append(right, piece{text: same}, piece{strings.Join(wb[d.ReplStart:d.ReplEnd], ""), true})
		at = d.End
	}
	if float64(2*common) < related*float64(weight(a)+weight(b)) {
		return []piece{{a, true}}, []piece{{b, true}}, 0
	}
	return left, right, common
}

// words splits a text into words, numbers with their points, spaces, and other characters.
func words(s string) (list []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, 0
	for i, r := range s {
		k := kind(r)
		isPoint := r == '.' || r == ','
		if isPoint && isDigit(s, i-1) && isDigit(s, i+1) {
			k = 1
		}
		if i > start && (k != last || k == 0) {
			list, start = append(list, s[start:i]), i
		}
		last = k
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

func isDigit(s string, at int) bool {
	return at >= 0 && at < len(s) && s[at] >= '0' && s[at] <= '9'
}

// weight is the number of bytes that are not space.
func weight(s string) (n int) {
	for _, field := range strings.Fields(s) {
		n += len(field)
	}
	return n
}

// joined joins neighbours of the same kind, and parts that differ with the spaces between.
func joined(list []piece) (out []piece) {
	for i, p := range list {
		if p.text == "" {
			continue
		}
		n := len(out)
		isBlank := !p.differs && strings.Trim(p.text, " ") == ""
		follows := n > 0 && out[n-1].differs
		precedes := i+1 < len(list) && list[i+1].differs && list[i+1].text != ""
		if isBlank && follows && precedes {
			p.differs = true
		}
		if n > 0 && out[n-1].differs == p.differs {
			out[n-1].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}
