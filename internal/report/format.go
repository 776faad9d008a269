package report

import (
	"bytes"
	"io"
	"slices"
)

// Format is an output format.
type Format struct {
	Name   string
	Tokens bool // the format shows token counts, which take time

	start func(opt Options) writer
}

// writer writes a report in one format. A format that starts with the counts
// keeps the skills until finish.
type writer interface {
	// skill adds the report of one skill.
	skill(w *bytes.Buffer, s Skill)
	// finish writes the rest of the report.
	finish(w *bytes.Buffer, c Counts)
}

// Formats returns all formats, the default first.
func Formats() []Format {
	return []Format{
		{Name: "text", start: newText},
		{Name: "json", start: newJSON, Tokens: true},
		{Name: "sarif", start: newSARIF},
		{Name: "github", start: newGitHub},
		{Name: "junit", start: newJUnit},
		{Name: "markdown", start: newMarkdown},
	}
}

// FindFormat returns the format with the given name; ok is false if there is
// none. Besides those of [Formats] there is "statistics", the number of findings
// per rule.
func FindFormat(name string) (f Format, ok bool) {
	all := append(Formats(), Format{Name: "statistics", start: newStatistics})
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return all[i], true
}

// Output writes a report skill by skill.
type Output struct {
	w      io.Writer
	writer writer
	part   bytes.Buffer // not yet written to w
}

// Open starts a report. Text and workflow commands are written to w skill by
// skill, the other formats at the end.
func (f Format) Open(w io.Writer, opt Options) *Output {
	if opt.Page == nil {
		opt.Page = func(rule string) string { return "docs/rules/" + rule + ".md" }
	}
	if opt.Rooted == nil {
		opt.Rooted = func(path string) string { return path }
	}
	return &Output{w: w, writer: f.start(opt)}
}

// Skill adds a skill. Skills must be ordered by path. Errors are those of the
// writer.
func (o *Output) Skill(s Skill) error {
	o.writer.skill(&o.part, s)
	return o.flush()
}

// Close writes the rest of the report. Errors are those of the writer.
func (o *Output) Close(c Counts) error {
	o.writer.finish(&o.part, c)
	return o.flush()
}

func (o *Output) flush() error {
	_, err := o.part.WriteTo(o.w)
	return err
}
