// Package secret takes keys out of text that is shown, stored or sent: values
// that the run knows, such as the key of the model's server, in the forms in
// which programs print them, and whatever has the shape of an issuer's key.
//
// It is a net for accidents and no wall: a program that has a key and wants it
// out can write it in a way that nobody recognises. What keeps keys away from
// programs is elsewhere.
package secret

import (
	"strings"

	"skills/internal/spec"
)

// Masker masks text. The nil one leaves everything as it is. It is safe for
// concurrent use.
type Masker struct {
	starts  [256][]pattern // by their first bytes, the longest first
	longest int
}

// New returns a masker for the values, and for every shape of key that is
// known. Values that are no secrets, because they are too short or a mere word,
// are passed over: see [Plain].
func New(values []Value) *Masker {
	m := &Masker{}
	for _, p := range patterns(values) {
		m.starts[p.text[0]] = append(m.starts[p.text[0]], p)
		m.longest = max(m.longest, len(p.text))
	}
	return m
}

// Text returns the text with a mark in the place of every key. Text without
// one comes back as it is, and so does what was masked before.
func (m *Masker) Text(text string) string {
	if m == nil {
		return text
	}
	return render(text, m.find(text))
}

// span is a key in a text, and what to write in its place.
type span struct {
	start, end int
	mark       string
	sure       bool // a value that is known
}

// find returns the keys in a text, in their order.
func (m *Masker) find(text string) []span {
	known := m.known(text)
	shaped := spec.Keys(text)
	if len(shaped) == 0 {
		return known
	}
	var out []span
	for _, k := range shaped {
		for len(known) > 0 && known[0].end <= k.Start {
			out, known = append(out, known[0]), known[1:]
		}
		if len(known) > 0 && known[0].start < k.End {
			// A known value, perhaps with more around it.
			known[0].start, known[0].end = min(known[0].start, k.Start), max(known[0].end, k.End)
			continue
		}
		out = append(out, span{k.Start, k.End, shapeMark(k.Issuer), false})
	}
	return append(out, known...)
}

func shapeMark(issuer string) string {
	if issuer == "" {
		return "[masked: private key]"
	}
	return "[masked: " + issuer + " key]"
}

// known returns where the patterns are.
func (m *Masker) known(text string) []span {
	var out []span
	for i := 0; i < len(text) && m.longest > 0; i++ {
		for _, p := range m.starts[text[i]] {
			if end, _ := p.at(text, i); end > 0 {
				out = append(out, span{i, end, p.mark, true})
				i = end - 1
				break
			}
		}
	}
	return out
}

// tail is how many bytes at the end of a text may be the beginning of a key
// whose rest has not come yet.
func (m *Masker) tail(text string) int {
	held := spec.KeyTail(text)
	for i := max(0, len(text)-2*m.longest); i < len(text)-held; i++ {
		for _, p := range m.starts[text[i]] {
			if _, more := p.at(text, i); more {
				return len(text) - i
			}
		}
	}
	return held
}

// render writes the text with marks in the places of the keys.
func render(text string, found []span) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.start] + s.mark)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
