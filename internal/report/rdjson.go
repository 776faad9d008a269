package report

import (
	"bytes"
	"path/filepath"

	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

// rdjson writes the Reviewdog Diagnostic Format, which reviewdog turns into comments on a
// change, with a suggestion where a fix is one edit of the same file. Its columns are bytes
// of UTF-8. Paths are relative to the root of the repository.
type rdjson struct {
	opt  Options
	list jsonList
}

type rdReport struct {
	Source struct {
		Name string `json:"name"`
	} `json:"source"`
	Diagnostics []rdDiagnostic `json:"diagnostics"`
}

type rdDiagnostic struct {
	Message     string         `json:"message"`
	Location    rdLocation     `json:"location"`
	Severity    string         `json:"severity"`
	Code        rdCode         `json:"code"`
	Suggestions []rdSuggestion `json:"suggestions,omitempty"`
}

type rdLocation struct {
	Path  string   `json:"path"`
	Range *rdRange `json:"range,omitempty"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

type rdCode struct {
	Value string `json:"value"`
	URL   string `json:"url,omitempty"`
}

type rdSuggestion struct {
	Range rdRange `json:"range"`
	Text  string  `json:"text"`
}

func newRDJSON(opt Options) writer { return &rdjson{opt, jsonList{indent: "  "}} }

func (r *rdjson) skill(w *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		out := rdDiagnostic{
			Message:     d.Message,
			Location:    rdLocation{Path: filepath.ToSlash(r.opt.Rooted(d.Path))},
			Severity:    map[spec.Level]string{spec.Error: "ERROR", spec.Warning: "WARNING", spec.Info: "INFO"}[d.Level],
			Code:        rdCode{d.Rule, r.opt.Page(d.Rule)},
			Suggestions: rdSuggestions(d),
		}
		if d.Help != "" {
			out.Message += "\nhelp: " + d.Help
		}
		if also := otherPlaces(d); also != "" {
			out.Message += "\nalso: " + also
		}
		if d.Span.Start.Line > 0 {
			out.Location.Range = newRDRange(d.Span, d.Bytes)
		}
		r.list.add(w, out)
	}
}

func (r *rdjson) frame(Counts) (head, tail string) {
	doc := rdReport{Diagnostics: []rdDiagnostic{}}
	doc.Source.Name = "skills"
	return r.list.split(doc)
}

func newRDRange(s spec.Span, columns spec.ByteColumns) *rdRange {
	return &rdRange{rdPosition{s.Start.Line, columns.Start}, rdPosition{max(s.End.Line, s.Start.Line), columns.End}}
}

// rdSuggestions returns the fix of a finding if it is one edit of the finding's file,
// because a reviewer accepts each suggestion by itself. A key is not repeated.
func rdSuggestions(d spec.Diagnostic) []rdSuggestion {
	if d.Fix == nil {
		return nil
	}
	onlyText := d.Fix.Rename == "" && len(d.Fix.Executable) == 0
	if len(d.Fix.Edits) != 1 || !onlyText {
		return nil
	}
	e := d.Fix.Edits[0]
	if e.Path != d.Path || e.Span.Start.Line < 1 || secrets.Contains(e.Text) {
		return nil
	}
	return []rdSuggestion{{*newRDRange(e.Span, e.Bytes), e.Text}}
}
