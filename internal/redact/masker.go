// Package redact removes keys from text that is shown, stored or sent: values
// known to the run, such as the API key, in every encoding in which programs
// print them, and keys with a known issuer's format.
//
// It protects against accidents, not against a program that encodes a key in
// its own way. The sandbox keeps keys away from programs.
package redact

import (
	"slices"
	"strings"
	"sync/atomic"

	"skills/internal/spec/secrets"
)

// Masker replaces keys in text. A nil Masker changes nothing. It is safe for
// concurrent use.
type Masker struct {
	values atomic.Pointer[valueTable]
}

// valueTable finds known values.
type valueTable struct {
	values  []Value
	starts  [256][]pattern // by first byte, longest first
	longest int
}

// New returns a masker for the values and for the keys of every known issuer.
// Values that are too short or only a word are ignored, see [isPlain].
func New(values []Value) *Masker {
	m := &Masker{}
	m.values.Store(newTable(values))
	return m
}

// Add adds values that become known later, such as the tokens of a login.
func (m *Masker) Add(values ...Value) {
	for m != nil && len(values) > 0 {
		old := m.values.Load()
		if m.values.CompareAndSwap(old, newTable(slices.Concat(old.values, values))) {
			return
		}
	}
}

func newTable(values []Value) *valueTable {
	t := &valueTable{values: values}
	for _, p := range patterns(values) {
		t.starts[p.text[0]] = append(t.starts[p.text[0]], p)
		t.longest = max(t.longest, len(p.text))
	}
	return t
}

// Text returns the text with every key replaced by a mark. It is idempotent.
func (m *Masker) Text(text string) string {
	if m == nil {
		return text
	}
	return render(text, m.find(text))
}

// span is a key in a text and the mark that replaces it.
type span struct {
	start, end int
	mark       string
	known      bool // a value passed to New, not only an issuer's format
}

func (m *Masker) find(text string) []span {
	known := m.known(text)
	var out []span
	for _, s := range secrets.FindAll(text) {
		key := span{start: s.Start, end: s.End, mark: "[masked: " + s.Issuer + " key]"}
		if s.Issuer == "" {
			key.start, key.mark = s.Label, "[masked: private key]" // the label is not secret
		}
		for len(known) > 0 && known[0].end <= key.start {
			out, known = append(out, known[0]), known[1:]
		}
		if len(known) > 0 && known[0].start < key.end {
			// A known value that may be part of a longer key.
			known[0].start, known[0].end = min(known[0].start, key.start), max(known[0].end, key.end)
			continue
		}
		out = append(out, key)
	}
	return append(out, known...)
}

func (m *Masker) known(text string) []span {
	var out []span
	t := m.values.Load()
	for i := 0; i < len(text) && t.longest > 0; i++ {
		for _, p := range t.starts[text[i]] {
			if end, _ := p.at(text, i); end > 0 {
				out = append(out, span{start: i, end: end, mark: p.mark, known: true})
				i = end - 1
				break
			}
		}
	}
	return out
}

// tail returns how many bytes at the end may be the start of a key.
func (m *Masker) tail(text string) int {
	held, t := secrets.Tail(text), m.values.Load()
	for i := max(0, len(text)-2*t.longest); i < len(text)-held; i++ {
		for _, p := range t.starts[text[i]] {
			if _, more := p.at(text, i); more {
				return len(text) - i
			}
		}
	}
	return held
}

// render returns the text with the keys replaced by marks.
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
