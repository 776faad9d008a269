// Package baseline keeps the findings that a team has decided to live with for
// now, so that a check fails for new ones only.
//
// A known finding is recognised by its file, its rule, its message and the text
// of its line, never by its line number: text that moves stays known.
package baseline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// version grows when a reader of the file would have to change.
const version = 1

// Baseline is a set of known findings.
type Baseline struct {
	Entries []Entry // sorted, each once

	dir     string // absolute folder of the file, which paths are relative to
	checked skills // that were added
}

// Entry is a known finding, or several that look alike.
type Entry struct {
	Path string `json:"path"` // relative to the baseline's folder, with slashes
	Rule string `json:"rule"`
	// Message is the finding's, with # for every number in it that is not part of
	// a name.
	Message string `json:"message"`
	// Fingerprint is the finding's own digest (a key), otherwise that of the text
	// of its line, "" where it has none. A line is not stored because it can
	// contain a secret.
	Fingerprint string `json:"fingerprint,omitempty"`
	Count       int    `json:"count"` // how many findings it covers, from 1

	also  bool // of a rule in the finding's Also, with the finding's message
	exact bool // the fingerprint alone identifies the finding: see spec.Diagnostic.Digest
}

// New returns an empty baseline for a file at the given path.
func New(file string) *Baseline {
	return &Baseline{dir: filepath.Dir(absolute(file)), checked: skills{}}
}

// Add adds the findings of a skill and returns their number. Advice is not
// included: it fails no check.
func (b *Baseline) Add(s report.Skill) (findings int) {
	b.checked[b.name(s.Path)] = nil
	for _, d := range s.Diagnostics {
		if d.Level > spec.Info {
			b.Entries = append(b.Entries, b.entries(d)...)
			findings++
		}
	}
	return findings
}

// Keep adds what an older baseline of the same file has about skills that were not
// added, so that checking some skills does not forget the others. Entries about
// deleted files are not kept.
func (b *Baseline) Keep(old *Baseline) {
	for _, e := range old.Entries {
		if _, ok := b.checked.at(e.Path); !ok && b.exists(e.Path) {
			b.Entries = append(b.Entries, e)
		}
	}
}

// Bytes returns the file's contents: JSON, the same bytes for the same
// findings.
func (b *Baseline) Bytes() ([]byte, error) {
	b.tidy()
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

// absolute is the absolute path, or the path itself without a working folder.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// tidy sorts the entries and joins those that look alike.
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
	e.Count, e.also, e.exact = other.Count, other.also, other.exact
	return e == other
}

// entries is how a finding is recorded: an entry for each rule that it breaks.
func (b *Baseline) entries(d spec.Diagnostic) []Entry {
	e := Entry{Path: b.name(d.Path), Rule: d.Rule, Message: withoutNumbers(d.Message), Fingerprint: d.Digest, Count: 1, exact: d.Digest != ""}
	if text := strings.Join(strings.Fields(d.Snippet), " "); !e.exact && text != "" {
		sum := sha256.Sum256([]byte(text))
		e.Fingerprint = hex.EncodeToString(sum[:8])
	}
	out := []Entry{e}
	for _, rule := range strings.Fields(d.Also) {
		e.Rule, e.also = rule, true
		out = append(out, e)
	}
	return out
}

// name is a path as the file has it: absolute on another disk.
func (b *Baseline) name(file string) string {
	abs := absolute(file)
	if rel, err := filepath.Rel(b.dir, abs); err == nil {
		abs = rel
	}
	return strings.ToValidUTF8(path.Clean(filepath.ToSlash(abs)), "\uFFFD")
}

var digits = regexp.MustCompile(`[0-9]+`)

// withoutNumbers replaces the digits of every word that is a number, a version
// or a date by #: a description that is 1030 characters long one day and 1031
// the next is the same finding. Names keep their digits, and so does whatever is
// in quotes: another file is another finding.
func withoutNumbers(message string) string {
	words := strings.Split(message, " ")
	quote := byte(0) // that the words are within
	for i, w := range words {
		bare := strings.Trim(w, "(),.:;")
		if quote == 0 && bare != "" && (bare[0] == '"' || bare[0] == '\'') {
			quote, bare = bare[0], bare[1:]
		}
		switch {
		case quote != 0 && strings.HasSuffix(bare, string(quote)):
			quote = 0
		case quote == 0 && strings.Trim(w, "0123456789.,:;-+()%~") == "":
			words[i] = digits.ReplaceAllString(w, "#")
		}
	}
	return strings.Join(words, " ")
}

// maxFile is the size in bytes up to which a baseline is read.
const maxFile = 32 << 20

// Error is a baseline that cannot be used.
type Error = safefile.Error

// maxCount is the highest count of one entry: more than any run finds.
const maxCount = 1 << 30

const writeAgain = "recreate it with --write-baseline"

// Load reads the baseline at path, a regular file of at most 32 MiB. Whatever is
// wrong with it is an *Error, which wraps fs.ErrNotExist for a missing file.
func Load(path string) (*Baseline, error) {
	src, err := safefile.Load(path, maxFile, "create it with --write-baseline", "name a file that --write-baseline wrote")
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse reads the contents of a baseline. path is how errors name it, and its
// folder is what the paths in it are relative to.
func Parse(path string, src []byte) (*Baseline, error) {
	b := New(path)
	var head struct{ Version int }
	if err := safefile.DecodeJSON(path, src, &head, writeAgain); err != nil {
		return nil, err
	}
	if head.Version != version {
		return nil, &Error{Path: path, Message: fmt.Sprintf("has version %d; this program needs version %d", head.Version, version), Help: writeAgain}
	}
	var doc document
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, safefile.Damaged(path, src, err, writeAgain)
	}
	for i, e := range doc.Findings {
		if e.Path == "" || e.Rule == "" || e.Message == "" || e.Count < 1 || e.Count > maxCount {
			return nil, &Error{Path: path, Message: fmt.Sprintf("finding %d has no valid path, rule, message or count", i+1), Help: writeAgain}
		}
	}
	b.Entries = doc.Findings
	b.tidy()
	return b, nil
}
