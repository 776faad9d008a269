// Package fix mends findings: it gathers the changes that rules propose, tries
// them in memory, keeps those that are proven to do no harm, and writes them,
// or shows them as a unified diff.
//
// It knows nothing of how findings are made or shown. What a change must keep
// is said at [Plan]; what writing keeps, at [Changes.Apply].
package fix

import (
	"fmt"
	"path/filepath"
	"slices"

	"skills/internal/spec"
)

// How often the rules may run again over their own repairs. Few skills need
// more than two rounds, but a rule tells a hundred findings at a time only.
// Reading on where nothing could be read costs more, and ends sooner.
const (
	maxRounds       = 100
	maxRevealRounds = 10
)

// Changes is what mending one skill changes. The zero value changes nothing.
type Changes struct {
	// Dir is the skill's folder as its findings name it. Files lie below it.
	Dir   string
	Files []File // sorted by name
	// Fixed are the findings that are mended, in the order of the mending.
	// Those of later rounds speak of the texts as they stood then.
	Fixed []spec.Diagnostic
	// Kept are findings that still stand although their rule had a fix: it did
	// not pass the checks.
	Kept []spec.Diagnostic
	// Document is the skill's document as it stands after the changes.
	Document *spec.Document
}

// File is one file that changes.
type File struct {
	Name    string // relative to the skill, with slashes
	NewName string // what it is renamed to, "" where it keeps its name
	// Before and After are the whole content; equal where only the name or the
	// mode changes.
	Before, After []byte
	// Executable files get the executable bit wherever they can be read.
	Executable bool
}

// Empty reports whether there is nothing to change.
func (c Changes) Empty() bool { return len(c.Files) == 0 }

// Plan works out what mends a skill: it applies the fixes of the findings of
// a check under opts, checks again, and goes on until nothing more can be
// mended. Nothing is written.
//
// A fix is kept only if afterwards the frontmatter is still read where it was
// read before, every field has the value that it had (but for the field that
// the fix is about), and no error rule finds more than before. What a rule finds
// on a line whose YAML is broken is not told until the line is mended; it counts
// as found before. What stands elsewhere in the file stays byte for byte.
// Planning again after the changes finds nothing to change.
//
// An error means that the fixes never settled; nothing is to be changed then.
func Plan(doc *spec.Document, opts spec.Options) (Changes, error) {
	return plan(newState(doc, opts))
}

// plan is Plan for a state that is checked already.
func plan(start *state) (Changes, error) {
	doc := start.doc
	// Mending what kept the frontmatter from being read shows errors that
	// could not be seen before. They may be mended in their turn; where one
	// stays, the way there was not allowed.
	end, fixed, err := settle(start, mending{reveal: true})
	if err != nil || moreErrors(start.errors(), end.errors()) {
		end, fixed, err = settle(start, mending{})
	}
	// A line of broken YAML is mended where less is broken then, and not to
	// exchange one error for another.
	left := 0
	if err == nil && of(syntaxRule, fixed) {
		left = end.errors()[syntaxRule]
	}
	if left > 0 && left >= start.errors()[syntaxRule] {
		end, fixed, err = settle(start, mending{without: syntaxRule})
	}
	if err != nil {
		return Changes{}, fmt.Errorf("mending %s: %w", doc.Path, err)
	}
	c := Changes{Dir: filepath.Dir(doc.Path), Files: end.files(start), Fixed: fixed, Document: end.doc}
	for _, d := range end.found {
		if d.Fix != nil {
			c.Kept = append(c.Kept, d)
		}
	}
	return c, nil
}

// syntaxRule is the rule whose findings are broken YAML.
const syntaxRule = "frontmatter-syntax"

// of reports whether one of some findings is of a rule.
func of(rule string, ds []spec.Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d spec.Diagnostic) bool { return d.Rule == rule })
}

// mending says what a plan may do.
type mending struct {
	reveal  bool   // a document that could not be read may turn out to have errors
	without string // a rule whose findings are left alone, "" for none
}

// settle mends round after round until a round changes nothing.
func settle(s *state, how mending) (*state, []spec.Diagnostic, error) {
	var fixed []spec.Diagnostic
	most := maxRounds
	if how.reveal || !s.doc.Mapping {
		most = maxRevealRounds
	}
	for range most {
		next, mended := round(s, how)
		if len(mended) == 0 {
			return s, fixed, nil
		}
		s, fixed = next, append(fixed, mended...)
	}
	if _, mended := round(s, how); len(mended) > 0 {
		return nil, nil, fmt.Errorf("its fixes do not settle within %d rounds", most)
	}
	return s, fixed, nil
}

// round applies what can be applied at once: of findings whose edits overlap,
// the first.
func round(s *state, how mending) (*state, []spec.Diagnostic) {
	var chosen []spec.Diagnostic
	var taken edits
	for _, d := range s.found {
		if d.Fix != nil && d.Rule != how.without && s.changedBy(d.Fix) && taken.add(s, d.Fix) {
			chosen = append(chosen, d)
		}
	}
	r := trial{base: s, reveal: how.reveal, best: s}
	r.take(chosen)
	return r.best, r.accepted
}

// trial finds the largest part of some fixes that passes the checks, by
// halving what does not.
type trial struct {
	base     *state
	reveal   bool
	best     *state // base with the accepted fixes
	accepted []spec.Diagnostic
}

func (t *trial) take(ds []spec.Diagnostic) {
	if len(ds) == 0 {
		return
	}
	all := append(t.accepted[:len(t.accepted):len(t.accepted)], ds...)
	if next, ok := t.base.with(all); ok && harmless(t.base, next, all, t.reveal) {
		t.best, t.accepted = next, all
		return
	}
	if len(ds) == 1 {
		return
	}
	t.take(ds[:len(ds)/2])
	t.take(ds[len(ds)/2:])
}

// Count adds changes up: how many findings are mended, in how many skills.
func Count(all []Changes) (findings, skills int) {
	for _, c := range all {
		findings += len(c.Fixed)
		if !c.Empty() {
			skills++
		}
	}
	return findings, skills
}
