// Package baseline stores findings that a team accepts for now, so that a check
// fails only for new ones.
//
// A known finding is recognised by its file, its rule, its message and the text
// of its line, but not by its line number: text that moves stays known.
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
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
)

// version is increased when readers of the file have to change.
const version = 1

// Baseline is a set of known findings.
type Baseline struct {
	Entries []Entry // sorted, without duplicates

	dir     string // absolute folder of the file; paths are relative to it
	checked skills // skills added
}

// Entry is a known finding, or several identical ones.
type Entry struct {
	Path string `json:"path"` // relative to the baseline's folder, with slashes
	Rule string `json:"rule"`
	// Message is the finding's message with numbers replaced by #, except in
	// names.
	Message string `json:"message"`
	// Fingerprint is the finding's own digest (for a key), otherwise that of its
	// line, or "". The line itself is not stored because it may contain a
	// secret.
	Fingerprint string `json:"fingerprint,omitempty"`
	Count       int    `json:"count"` // number of findings, from 1

	also  bool // for a rule in the finding's Also, with the finding's message
	exact bool // the fingerprint alone identifies the finding: see spec.Diagnostic.Digest
}

// New returns an empty baseline for a file at the given path.
func New(file string) *Baseline {
	return &Baseline{dir: filepath.Dir(absolute(file)), checked: skills{}}
}

// Add adds the findings of a skill and returns their number. Advice is not
// included, because it does not fail a check.
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

// Keep copies the entries of an older baseline for skills that were not added,
// so that checking some skills does not lose the others. Entries for deleted
// files are dropped.
func (b *Baseline) Keep(old *Baseline) {
	for _, e := range old.Entries {
		if _, ok := b.checked.at(e.Path); !ok && b.exists(e.Path) {
			b.Entries = append(b.Entries, e)
		}
	}
}

// Bytes returns the file's content as deterministic JSON.
func (b *Baseline) Bytes() ([]byte, error) {
	b.tidy()
	var out bytes.Buffer
	err := printable.WriteJSON(&out, document{version, append([]Entry{}, b.Entries...)})
	if err != nil {
		return nil, fmt.Errorf("writing baseline: %w", err)
	}
	return out.Bytes(), nil
}

// document is the JSON structure of the file.
type document struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// absolute returns the absolute path, or the path itself if the working
// directory is unknown.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// tidy sorts the entries and merges identical ones.
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

// entries returns an entry for each place of a finding, or for each of its rules: no
// finding has several of both. The places of a habit are known one by one, so that a
// new one counts.
func (b *Baseline) entries(d spec.Diagnostic) []Entry {
	if len(d.Places) > 0 {
		var out []Entry
		for _, place := range d.Places {
			out = append(out, b.entries(spec.Diagnostic{Path: place.Path, Rule: d.Rule, Message: place.Message, Snippet: place.Snippet})...)
		}
		return out
	}
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

// name returns a path as stored in the file: absolute if it is on another
// drive.
func (b *Baseline) name(file string) string {
	abs := absolute(file)
	if rel, err := filepath.Rel(b.dir, abs); err == nil {
		abs = rel
	}
	return strings.ToValidUTF8(path.Clean(filepath.ToSlash(abs)), "\uFFFD")
}

var digits = lazyregexp.New(`[0-9]+`)

// withoutNumbers replaces the digits of numbers, versions and dates by #: a
// description of 1030 characters is the same finding when it has 1031. Digits
// in names and quotes are kept, because another name is another finding.
func withoutNumbers(message string) string {
	words := strings.Split(message, " ")
	quote := byte(0) // the open quote, or 0
	for i, w := range words {
		bare := strings.Trim(w, "(),.:;")
		opens := bare != "" && (bare[0] == '"' || bare[0] == '\'')
		if quote == 0 && opens {
			quote, bare = bare[0], bare[1:]
		}
		switch {
		case quote != 0 && strings.HasSuffix(bare, string(quote)):
			quote = 0
		case quote == 0 && strings.Trim(w, "0123456789.,:;-+()%~") == "":
			words[i] = digits().ReplaceAllString(w, "#")
		}
	}
	return strings.Join(words, " ")
}

// maxFile is the maximum size of a baseline, in bytes.
const maxFile = 32 << 20

// maxCount is the maximum count of an entry: more than any run finds.
const maxCount = 1 << 30

const writeAgain = "recreate it with --write-baseline"

// Load reads the baseline at path, a regular file of at most 32 MiB. Errors are
// *fault.Error, which wraps fs.ErrNotExist for a missing file.
func Load(path string) (*Baseline, error) {
	src, err := files.Load(path, maxFile, "create it with --write-baseline", "name a file that --write-baseline wrote")
	if err != nil {
		return nil, err
	}
	return parse(path, src)
}

// parse parses the content of a baseline. path is the file's name in errors,
// and paths in the baseline are relative to its folder.
func parse(path string, src []byte) (*Baseline, error) {
	b := New(path)
	var head struct{ Version int }
	if err := jsonpos.DecodeJSON(path, src, &head, writeAgain); err != nil {
		return nil, err
	}
	if head.Version != version {
		return nil, &fault.Error{Path: path, Message: fmt.Sprintf("has version %d; this program needs version %d", head.Version, version), Hint: writeAgain}
	}
	var doc document
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, jsonpos.Damaged(path, src, err, writeAgain)
	}
	for i, e := range doc.Findings {
		isNamed := e.Path != "" && e.Rule != "" && e.Message != ""
		if !isNamed || e.Count < 1 || e.Count > maxCount {
			return nil, &fault.Error{Path: path, Message: fmt.Sprintf("finding %d has no valid path, rule, message or count", i+1), Hint: writeAgain}
		}
	}
	b.Entries = doc.Findings
	b.tidy()
	return b, nil
}
