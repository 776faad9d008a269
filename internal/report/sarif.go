package report

import (
	"io"
	"path/filepath"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

// writeSARIF writes everything as SARIF 2.1.0 (OASIS Standard, Errata 01),
// whatever the options say about levels. Relative files start at the root of the
// repository, as SARIF readers expect it.
func writeSARIF(w io.Writer, r Report, opt Options) error {
	rules, index := sarifRules()
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "skills", Rules: rules}},
		BaseIDs:    map[string]sarifBase{sourceRoot: {sarifText{Text: "The root of the repository; without one, the folder that the check was started in."}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	prints := fingerprints{}
	for _, s := range r.Skills {
		for _, d := range s.Diagnostics {
			run.Results = append(run.Results, s.sarifResult(d, opt, index, prints))
		}
	}
	return printable.WriteJSON(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// sarifRules describes all rules, found or not, and returns where each stands
// in the list.
func sarifRules() (out []sarifRule, index map[string]int) {
	index = map[string]int{}
	for i, r := range spec.Rules() {
		index[r.ID] = i
		page := strings.TrimSpace(r.Page()) + "\n\nSource: " + r.Source + "\n"
		rule := sarifRule{
			ID:               r.ID,
			ShortDescription: sarifText{Text: r.Title},
			Help:             sarifText{Text: page, Markdown: page},
			Configuration:    sarifConfiguration{Level: sarifLevel(r.Level)},
		}
		if r.Level == spec.Off {
			rule.Configuration.Enabled = new(bool)
		}
		out = append(out, rule)
	}
	return out, index
}

// sarifLevel names a level; information is a note.
func sarifLevel(l spec.Level) string {
	switch l {
	case spec.Error:
		return "error"
	case spec.Warning:
		return "warning"
	}
	return "note"
}

func (s Skill) sarifResult(d spec.Diagnostic, opt Options, rules map[string]int, prints fingerprints) sarifResult {
	text := d.Message
	if d.Help != "" {
		text += "\nhelp: " + d.Help
	}
	out := sarifResult{
		RuleID:  d.Rule,
		Level:   sarifLevel(d.Level),
		Message: sarifText{Text: plainMessage(text)},
		Locations: []sarifLocation{{sarifPhysical{
			Artifact: sarifFile(opt.rooted(d.Path)),
			Region:   sarifPlace(d.Span),
		}}},
		Fingerprints: map[string]string{fingerprintKey: prints.of(d, opt.rooted(d.Path), s.line(d.Path, d.Span.Start.Line))},
		Fixes:        s.sarifFixes(d.Fix, opt),
	}
	if i, ok := rules[d.Rule]; ok {
		out.RuleIndex = &i
	}
	return out
}

// sourceRoot is the name that readers know the root of the repository by.
const sourceRoot = "%SRCROOT%"

// sarifFile names a file. Where the root is stands nowhere: a report says the
// same on every machine (SARIF, section 3.14.14, leaves the place to the
// reader).
func sarifFile(path string) sarifArtifact {
	if filepath.IsAbs(path) {
		return sarifArtifact{URI: fileURI(path)}
	}
	return sarifArtifact{fileURI(path), sourceRoot}
}

// plainMessage keeps text from being read as a link: SARIF, section 3.11.6,
// has [text](place) in plain messages.
func plainMessage(s string) string { return strings.ReplaceAll(s, "](", `\](`) }

// sarifPlace is a span as a region; that of a whole file is its first line,
// for readers that ask for a place in every result.
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

// sarifFixes writes a fix that consists of edits of texts alone: SARIF has no
// words for new names and modes. One that would repeat a key is left out.
func (s Skill) sarifFixes(fix *spec.Fix, opt Options) []sarifFix {
	if fix == nil || s.Locate == nil || len(fix.Edits) == 0 || fix.Rename != "" || len(fix.Executable) > 0 {
		return nil
	}
	var changes []sarifChange
	for _, e := range fix.Edits {
		path, span, ok := s.Locate(e)
		if !ok || span.Start.Line < 1 || secrets.Contains(e.Text) {
			return nil
		}
		replacement := sarifReplacement{Deleted: sarifPlace(span)}
		if e.Text != "" {
			replacement.Inserted = &sarifContent{e.Text}
		}
		file := sarifFile(opt.rooted(path))
		if n := len(changes); n > 0 && changes[n-1].Artifact == file {
			changes[n-1].Replacements = append(changes[n-1].Replacements, replacement)
			continue
		}
		changes = append(changes, sarifChange{file, []sarifReplacement{replacement}})
	}
	return []sarifFix{{sarifText{Text: plainMessage(fix.Description)}, changes}}
}
