package report

import (
	"bytes"
	"path/filepath"

	"skills/internal/printable"
	"skills/internal/spec"
)

// gitlab writes the Code Quality report of GitLab CI, which merge requests show. Paths are
// relative to the root of the repository. The fingerprint does not depend on the line, so
// that a finding which only moved is not a new one.
type gitlab struct {
	opt    Options
	prints fingerprints
	list   jsonList
}

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

func newGitLab(opt Options) writer { return &gitlab{opt: opt, prints: fingerprints{}} }

func (g *gitlab) skill(w *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		file := filepath.ToSlash(g.opt.Rooted(d.Path))
		issue := gitlabIssue{
			Description: printable.Line(d.Message),
			CheckName:   d.Rule,
			Fingerprint: g.prints.of(d, file, d.Snippet),
			Severity:    map[spec.Level]string{spec.Error: "major", spec.Warning: "minor", spec.Info: "info"}[d.Level],
			Location:    gitlabLocation{Path: file},
		}
		if d.Help != "" {
			issue.Description += " (" + printable.Line(d.Help) + ")"
		}
		if also := otherPlaces(d); also != "" {
			issue.Description += "; also " + also
		}
		issue.Location.Lines.Begin = max(d.Span.Start.Line, 1)
		g.list.add(w, issue)
	}
}

func (g *gitlab) frame(Counts) (head, tail string) { return g.list.split([]gitlabIssue{}) }
