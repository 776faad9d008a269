package report

import (
	"bytes"
	_ "embed"
	"strings"

	"skills/internal/clients"
	"skills/internal/spec"
)

// schemaVersion is increased when readers of the JSON format have to change.
const schemaVersion = 1

type jsonReport struct {
	SchemaVersion int         `json:"schema_version"`
	Summary       Counts      `json:"summary"`
	Skills        []jsonSkill `json:"skills"`
}

type jsonSkill struct {
	Kind        Kind              `json:"kind,omitempty"`
	Path        string            `json:"path"`
	Name        string            `json:"name"`
	Valid       bool              `json:"valid"`
	Lines       int               `json:"lines"`
	Tokens      int               `json:"tokens"`
	Diagnostics []jsonDiagnostic  `json:"diagnostics"`
	Clients     []clients.Verdict `json:"clients,omitempty"` // with --client all
}

type jsonDiagnostic struct {
	Rule      string `json:"rule"`
	Level     string `json:"level"`
	Message   string `json:"message"`
	Help      string `json:"help"`
	File      string `json:"file"`
	Line      int    `json:"line"` // 0 for a finding about the whole file
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`

	Also   []string    `json:"also,omitempty"`   // other rules with the same cause
	Places []jsonPlace `json:"places,omitempty"` // all places of a finding about several
	Fix    *jsonFix    `json:"fix,omitempty"`
	URL    string      `json:"url"` // the rule's page
}

// jsonPlace is one of several places of a finding. Its message is that of a finding
// about this place alone.
type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Message   string `json:"message"`
}

type jsonFix struct {
	Description string `json:"description"`
}

// jsonWriter writes an object. Lists are never null.
type jsonWriter struct {
	opt  Options
	list jsonList
}

func newJSON(opt Options) writer { return &jsonWriter{opt, jsonList{indent: "  "}} }

func (j *jsonWriter) skill(w *bytes.Buffer, s Skill) {
	js := jsonSkill{Kind: s.Kind, Path: s.Path, Name: s.Name, Valid: s.Valid(), Lines: s.Lines, Tokens: s.Tokens, Diagnostics: []jsonDiagnostic{}, Clients: s.Clients}
	for _, d := range s.Diagnostics {
		js.Diagnostics = append(js.Diagnostics, diagnosticJSON(d, j.opt))
	}
	j.list.add(w, js)
}

func (j *jsonWriter) frame(c Counts) (head, tail string) {
	return j.list.split(jsonReport{schemaVersion, c, []jsonSkill{}})
}

func diagnosticJSON(d spec.Diagnostic, opt Options) jsonDiagnostic {
	j := jsonDiagnostic{Rule: d.Rule, Level: d.Level.String(), Message: d.Message, Help: d.Help, File: d.Path,
		Line: d.Span.Start.Line, Column: d.Span.Start.Column, EndLine: d.Span.End.Line, EndColumn: d.Span.End.Column, Also: strings.Fields(d.Also), URL: opt.Page(d.Rule)}
	for _, p := range d.Places {
		j.Places = append(j.Places, jsonPlace{File: p.Path, Line: p.Span.Start.Line, Column: p.Span.Start.Column,
			EndLine: p.Span.End.Line, EndColumn: p.Span.End.Column, Message: p.Message})
	}
	if d.Fix != nil {
		j.Fix = &jsonFix{d.Fix.Description}
	}
	return j
}

//go:embed schema/report.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of the json format.
func Schema() string { return schema }
