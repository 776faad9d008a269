// Package baseline keeps the findings that a team knows of and has decided to
// live with for now, so that a check fails for new ones only.
//
// A known finding is recognised by its file, its rule, its message and the text
// of its line, never by its line number: text that moves stays known. It knows
// nothing of how findings are made or printed.
package baseline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
)

// version grows when a reader of the file would have to change.
const version = 1

// Baseline is a set of known findings.
type Baseline struct {
	Entries []Entry // sorted, each once

	dir string // absolute folder of the file, which paths are relative to
}

// Entry is a known finding, or several that look alike.
type Entry struct {
	Path string `json:"path"` // relative to the baseline's folder, with slashes
	Rule string `json:"rule"`
	// Message is the finding's, with # for every number in it that is no part of
	// a name.
	Message string `json:"message"`
	// Fingerprint stands for what was found where the finding says that (a key),
	// otherwise for the text of its line, "" where it has none. It is a digest
	// because a line can hold a secret.
	Fingerprint string `json:"fingerprint,omitempty"`
	Count       int    `json:"count"` // how many findings it stands for, from 1

	exact bool // the fingerprint alone tells what was found: see spec.Diagnostic.Digest
}

// Of makes the baseline of a report's findings, for a file at the given path.
// Advice is left out: it fails no check.
func Of(file string, rep report.Report) (*Baseline, error) {
	b, err := empty(file)
	if err != nil {
		return nil, err
	}
	for _, s := range rep.Skills {
		for _, d := range s.Diagnostics {
			if d.Level > spec.Info {
				e, err := b.entry(d)
				if err != nil {
					return nil, err
				}
				b.Entries = append(b.Entries, e)
			}
		}
	}
	b.tidy()
	return b, nil
}

// Keep adds what an older baseline of the same file holds about skills that
// the report does not speak of, so that checking some skills does not forget
// the others. Entries about files that are gone are not kept.
func (b *Baseline) Keep(old *Baseline, rep report.Report) error {
	checked, err := b.checked(rep)
	if err != nil {
		return err
	}
	for _, e := range old.Entries {
		if _, ok := checked(e.Path); !ok && b.exists(e.Path) {
			b.Entries = append(b.Entries, e)
		}
	}
	b.tidy()
	return nil
}

// Bytes returns the file's contents: JSON, the same bytes for the same
// findings.
func (b *Baseline) Bytes() ([]byte, error) {
	var out bytes.Buffer
	err := printable.WriteJSON(&out, document{version, append([]Entry{}, b.Entries...)})
	if err != nil {
		return nil, fmt.Errorf("writing baseline: %w", err)
	}
	return out.Bytes(), nil
}

// document is the file.
type document struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

func empty(file string) (*Baseline, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", file, err)
	}
	return &Baseline{dir: filepath.Dir(abs)}, nil
}

// tidy sorts the entries and puts those together that look alike.
func (b *Baseline) tidy() {
	slices.SortFunc(b.Entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Rule, y.Rule),
			cmp.Compare(x.Message, y.Message), cmp.Compare(x.Fingerprint, y.Fingerprint))
	})
	out := b.Entries[:0]
	for _, e := range b.Entries {
		if n := len(out); n > 0 && out[n-1].same(e) {
			out[n-1].Count += e.Count
			continue
		}
		out = append(out, e)
	}
	b.Entries = out
}

func (e Entry) same(other Entry) bool {
	e.Count, e.exact = other.Count, other.exact
	return e == other
}

// entry is how a finding is recorded.
func (b *Baseline) entry(d spec.Diagnostic) (Entry, error) {
	name, err := b.name(d.Path)
	e := Entry{Path: name, Rule: d.Rule, Message: withoutNumbers(d.Message), Count: 1, exact: d.Digest != ""}
	if e.Fingerprint = d.Digest; e.Fingerprint == "" && d.Snippet != "" {
		if text := strings.Join(strings.Fields(d.Snippet), " "); text != "" {
			sum := sha256.Sum256([]byte(text))
			e.Fingerprint = hex.EncodeToString(sum[:8])
		}
	}
	return e, err
}

// name is how a path stands in the file. On another disk than the baseline's it
// stays absolute.
func (b *Baseline) name(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", file, err)
	}
	if rel, err := filepath.Rel(b.dir, abs); err == nil {
		abs = rel
	}
	return strings.ToValidUTF8(path.Clean(filepath.ToSlash(abs)), "\uFFFD"), nil
}

// withoutNumbers puts # for the digits of every word that is a number: a
// description that is 1030 characters long one day and 1031 the next is the
// same finding. Names keep their digits, and so does whatever stands in quotes:
// another file is another finding.
func withoutNumbers(message string) string {
	words := strings.Split(message, " ")
	quote := byte(0) // that the words are within
	for i, w := range words {
		bare := strings.Trim(w, "(),.:;")
		if quote == 0 && bare != "" && (bare[0] == '"' || bare[0] == '\'') {
			quote, bare = bare[0], bare[1:]
		}
		switch {
		case quote == 0:
			words[i] = withoutDigits(w)
		case strings.HasSuffix(bare, string(quote)):
			quote = 0
		}
	}
	return strings.Join(words, " ")
}

// withoutDigits puts # for every run of digits in a word that holds nothing
// besides but what stands in numbers, versions and dates.
func withoutDigits(word string) string {
	if strings.Trim(word, "0123456789.,:;-+()%~") != "" {
		return word
	}
	var out strings.Builder
	digits := false
	for _, r := range word {
		digit := r >= '0' && r <= '9'
		switch {
		case !digit:
			out.WriteRune(r)
		case !digits:
			out.WriteByte('#')
		}
		digits = digit
	}
	return out.String()
}
