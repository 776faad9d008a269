package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/secrets"
)

// sarif writes everything as SARIF 2.1.0 (OASIS Standard, Errata 01),
// regardless of the options' levels. Paths are relative to the root of the
// repository, as SARIF readers expect.
type sarif struct {
	opt    Options
	log    sarifLog
	counts map[string]int // of identical findings
}

func newSARIF(opt Options) writer {
	s := &sarif{opt: opt, counts: map[string]int{}}
	s.log.Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	s.log.Version = "2.1.0"
	run := &s.log.Runs[0]
	run.Tool.Driver.Name = "skills"
	for _, r := range rules.All() {
		page := strings.TrimSpace(rules.Page(r.ID)) + "\n\nSource: " + r.Source + "\n"
		rule := sarifRule{ID: r.ID, ShortDescription: sarifText{Text: r.Title}, Help: sarifText{Text: page, Markdown: page}}
		rule.Configuration.Level = sarifLevel(r.Level)
		if r.Level == spec.Off {
			rule.Configuration.Enabled = new(bool)
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	run.BaseIDs = map[string]map[string]sarifText{sourceRoot: {"description": {Text: "The root of the repository, or the working folder outside a repository."}}}
	run.ColumnKind = "unicodeCodePoints"
	run.Results = []sarifResult{}
	return s
}

func (s *sarif) skill(_ *bytes.Buffer, skill Skill) {
	for _, d := range skill.Diagnostics {
		s.log.Runs[0].Results = append(s.log.Runs[0].Results, s.result(d))
	}
}

func (s *sarif) finish(w *bytes.Buffer, _ Counts) {
	_ = printable.WriteJSON(w, s.log) // plain data always encodes
}

// sarifLevel returns SARIF's name of a level; advice is a note.
func sarifLevel(l spec.Level) string {
	if l == spec.Error || l == spec.Warning {
		return l.String()
	}
	return "note"
}

func (s *sarif) result(d spec.Diagnostic) sarifResult {
	file := s.opt.Rooted(d.Path)
	text := d.Message
	if d.Help != "" {
		text += "\nhelp: " + d.Help
	}
	out := sarifResult{
		RuleID:       d.Rule,
		Level:        sarifLevel(d.Level),
		Message:      sarifText{Text: plainMessage(text)},
		Locations:    []map[string]sarifLocation{{"physicalLocation": {sarifFile(file), sarifPlace(d.Span)}}},
		Fingerprints: map[string]string{fingerprintKey: s.fingerprint(d, file)},
		Fixes:        s.fixes(d.Fix),
	}
	if i := slices.IndexFunc(s.log.Runs[0].Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == d.Rule }); i >= 0 {
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
	return sarifArtifact{URI: fileURI(path), BaseID: sourceRoot}
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

// fixes converts a fix that consists only of text edits: SARIF cannot
// express new names and modes. A fix that would contain a key is omitted.
func (s *sarif) fixes(fix *spec.Fix) []sarifFix {
	if fix == nil || len(fix.Edits) == 0 || fix.Rename != "" || len(fix.Executable) > 0 {
		return nil
	}
	var changes []sarifChange
	for _, e := range fix.Edits {
		if e.Span.Start.Line < 1 || secrets.Contains(e.Text) {
			return nil
		}
		replacement := sarifReplacement{Deleted: sarifPlace(e.Span)}
		if e.Text != "" {
			replacement.Inserted = &sarifText{Text: e.Text}
		}
		file := sarifFile(s.opt.Rooted(e.Path))
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

// fingerprint returns the identity of a finding independent of its line number:
// its rule, its file relative to the root of the repository and the text of the
// line where it starts, with a number for duplicates.
func (s *sarif) fingerprint(d spec.Diagnostic, file string) string {
	text := strings.Join([]string{d.Rule, filepath.ToSlash(file), strings.TrimSpace(d.Snippet)}, "\x00")
	sum := sha256.Sum256([]byte(text))
	id := hex.EncodeToString(sum[:16])
	s.counts[id]++
	return fmt.Sprintf("%s:%d", id, s.counts[id])
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
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    [1]struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		BaseIDs    map[string]map[string]sarifText `json:"originalUriBaseIds"`
		ColumnKind string                          `json:"columnKind"`
		Results    []sarifResult                   `json:"results"`
	} `json:"runs"`
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
	Fingerprints map[string]string          `json:"partialFingerprints"`
	Fixes        []sarifFix                 `json:"fixes,omitempty"`
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
