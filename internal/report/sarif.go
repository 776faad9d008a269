package report

// SARIF is read by code scanning services. They track a finding from commit to commit by
// its fingerprint, which therefore depends on its text and not on its line. The rules come
// with their pages, because people read the findings there without this program.

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/secrets"
)

// sarif writes SARIF 2.1.0 (OASIS Standard, Errata 01). Paths are relative to
// the root of the repository, as SARIF readers expect.
type sarif struct {
	opt     Options
	rules   []sarifRule
	index   map[string]int
	prints  fingerprints
	results jsonList
}

func newSARIF(opt Options) writer {
	rules, index := sarifRules()
	return &sarif{opt: opt, rules: rules, index: index, prints: fingerprints{}, results: jsonList{indent: "      "}}
}

func (s *sarif) skill(w *bytes.Buffer, skill Skill) {
	for _, d := range skill.Diagnostics {
		s.results.add(w, newSARIFResult(d, s.opt, s.index, s.prints))
	}
}

func (s *sarif) frame(Counts) (head, tail string) {
	run := sarifRun{
		BaseIDs:    map[string]map[string]sarifText{sourceRoot: {"description": {Text: "The root of the repository, or the working folder outside a repository."}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	run.Tool.Driver.Name, run.Tool.Driver.Rules = "skills", s.rules
	return s.results.split(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// sarifRules returns the descriptions of all rules, and their indexes in the
// list.
func sarifRules() (out []sarifRule, index map[string]int) {
	index = map[string]int{}
	for i, r := range rules.All() {
		index[r.ID] = i
		page := strings.TrimSpace(rules.Page(r.ID)) + "\n\nSource: " + r.Source + "\n"
		rule := sarifRule{ID: r.ID, ShortDescription: sarifText{Text: r.Title}, Help: sarifText{Text: page, Markdown: page}}
		rule.Configuration.Level = sarifLevel(r.Level)
		if r.Level == spec.Off {
			rule.Configuration.Enabled = new(bool)
		}
		out = append(out, rule)
	}
	return out, index
}

// sarifLevel returns SARIF's name of a level; advice is a note.
func sarifLevel(l spec.Level) string {
	switch l {
	case spec.Error:
		return "error"
	case spec.Warning:
		return "warning"
	}
	return "note"
}

func newSARIFResult(d spec.Diagnostic, opt Options, rules map[string]int, prints fingerprints) sarifResult {
	text := d.Message
	if d.Help != "" {
		text += "\nhelp: " + d.Help
	}
	out := sarifResult{
		RuleID:       d.Rule,
		Level:        sarifLevel(d.Level),
		Message:      sarifText{Text: plainMessage(text)},
		Locations:    []map[string]sarifLocation{{"physicalLocation": {sarifFile(opt.Rooted(d.Path)), sarifPlace(d.Span)}}},
		Fingerprints: map[string]string{fingerprintKey: prints.of(d, opt.Rooted(d.Path), d.Snippet)},
		Fixes:        sarifFixes(d.Fix, opt),
	}
	for i, p := range d.Places {
		if i > 0 {
			place := sarifLocation{sarifFile(opt.Rooted(p.Path)), sarifPlace(p.Span)}
			out.Related = append(out.Related, sarifRelated{i, place, sarifText{Text: plainMessage(p.Message)}})
		}
	}
	if i, ok := rules[d.Rule]; ok {
		out.RuleIndex = &i
	}
	return out
}

// sourceRoot is the conventional name of the root of the repository.
const sourceRoot = "%SRCROOT%"

// sarifFile returns the location of a file. The root's location is omitted, so
// that a report is the same on every machine (SARIF allows that in section
// 3.14.14).
func sarifFile(path string) sarifArtifact {
	if filepath.IsAbs(path) {
		return sarifArtifact{URI: fileURI(path)}
	}
	return sarifArtifact{fileURI(path), sourceRoot}
}

// plainMessage escapes links: SARIF, section 3.11.6, allows [text](place) in
// plain messages.
func plainMessage(s string) string { return strings.ReplaceAll(s, "](", `\](`) }

// sarifPlace converts a span to a region. For a whole file that is the first
// line, because some readers require a region in every result.
func sarifPlace(s spec.Span) sarifRegion {
	if s.Start.Line < 1 {
		return sarifRegion{StartLine: 1}
	}
	r := sarifRegion{StartLine: s.Start.Line, StartColumn: max(s.Start.Column, 1), EndLine: s.End.Line, EndColumn: max(s.End.Column, 1)}
	if r.EndLine < r.StartLine || r.EndLine == r.StartLine && r.EndColumn < r.StartColumn {
		r.EndLine, r.EndColumn = r.StartLine, r.StartColumn
	}
	return r
}

// sarifFixes converts a fix that consists only of text edits: SARIF cannot
// express new names and modes. A fix that would contain a key is omitted.
func sarifFixes(fix *spec.Fix, opt Options) []sarifFix {
	if fix == nil || len(fix.Edits) == 0 {
		return nil
	}
	var changes []sarifChange
	for _, e := range fix.Edits {
		if secrets.Contains(e.Text) {
			return nil
		}
		replacement := sarifReplacement{Deleted: sarifPlace(e.Span)}
		if e.Text != "" {
			replacement.Inserted = &sarifText{Text: e.Text}
		}
		file := sarifFile(opt.Rooted(e.Path))
		if n := len(changes); n > 0 && changes[n-1].Artifact == file {
			changes[n-1].Replacements = append(changes[n-1].Replacements, replacement)
			continue
		}
		changes = append(changes, sarifChange{file, []sarifReplacement{replacement}})
	}
	return []sarifFix{{sarifText{Text: plainMessage(fix.Description)}, changes}}
}

// fingerprintKey is the name of the fingerprint method, with a version.
const fingerprintKey = "culpritLine/v1"

// fingerprints counts identical findings.
type fingerprints map[[16]byte]int

// of returns the identity of a finding independent of its line number: its
// rule, its file relative to the root of the repository and the text of the
// line where it starts, with a number for duplicates.
func (f fingerprints) of(d spec.Diagnostic, file, line string) string {
	text := strings.Join([]string{d.Rule, filepath.ToSlash(file), strings.TrimSpace(line)}, "\x00")
	sum := sha256.Sum256([]byte(text))
	id := [16]byte(sum[:])
	f[id]++
	return fmt.Sprintf("%x:%d", id, f[id])
}

// fileURI converts a path to a URI (RFC 3986): relative paths to relative
// references, absolute ones to file URIs.
func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	prefix := ""
	if filepath.IsAbs(path) {
		slashed = "/" + strings.TrimPrefix(slashed, "/") // C:/folder
		prefix = "file://"
	}
	return prefix + strings.NewReplacer("%2F", "/", "+", "%20").Replace(url.QueryEscape(slashed))
}

// The types of SARIF 2.1.0 that are used, with the names of the standard.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	BaseIDs    map[string]map[string]sarifText `json:"originalUriBaseIds"`
	ColumnKind string                          `json:"columnKind"`
	Results    []sarifResult                   `json:"results"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Help             sarifText `json:"help"`
	Configuration    struct {
		Enabled *bool  `json:"enabled,omitempty"` // nil for true
		Level   string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID       string                     `json:"ruleId"`
	RuleIndex    *int                       `json:"ruleIndex,omitempty"`
	Level        string                     `json:"level"`
	Message      sarifText                  `json:"message"`
	Locations    []map[string]sarifLocation `json:"locations"`
	Related      []sarifRelated             `json:"relatedLocations,omitempty"` // the places after the first one
	Fingerprints map[string]string          `json:"partialFingerprints"`
	Fixes        []sarifFix                 `json:"fixes,omitempty"`
}

type sarifRelated struct {
	ID       int           `json:"id"`
	Physical sarifLocation `json:"physicalLocation"`
	Message  sarifText     `json:"message"`
}

type sarifLocation struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted *sarifText  `json:"insertedContent,omitempty"`
}
