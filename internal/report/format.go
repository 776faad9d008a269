package report

// A format is a writer that gets one skill after another and the counts at the end. Memory
// does not grow with the number of skills: a format that starts with the counts is kept
// compressed until they are known.

import (
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// Format is an output format.
type Format struct {
	Name string
	// Tokens is true if the format shows token counts, which take time.
	Tokens bool

	start  func(opt Options) writer
	advice bool // whether the format shows advice even if Verbose is not set
	// totals is true if the format starts with the counts, which are only known
	// at the end.
	totals bool
}

// writer writes a report in one format.
type writer interface {
	// skill writes the report of one skill, which has only the findings to show.
	skill(w *bytes.Buffer, s Skill)
	// frame returns the text before and after the skills. Only a format with
	// totals uses the counts for the text before.
	frame(c Counts) (head, tail string)
}

// Formats returns all formats, the default first.
func Formats() []Format {
	return []Format{
		{Name: "text", start: newText},
		{Name: "concise", start: newConcise},
		{Name: "json", start: newJSON, Tokens: true, advice: true, totals: true},
		{Name: "sarif", start: newSARIF, advice: true},
		{Name: "github", start: newGitHub},
		{Name: "gitlab", start: newGitLab},
		{Name: "rdjson", start: newRDJSON},
		{Name: "junit", start: newJUnit, totals: true},
		{Name: "markdown", start: newMarkdown, totals: true},
	}
}

// The formats that have the number of findings of each rule instead of the findings.
const (
	Statistics     = "statistics"
	StatisticsJSON = "statistics-json"
)

// FindFormat returns one of [Formats], [Statistics] or [StatisticsJSON] by its name.
func FindFormat(name string) Format {
	all := append(Formats(), Format{Name: Statistics, start: newStatistics}, Format{Name: StatisticsJSON, start: newStatisticsJSON})
	return all[slices.IndexFunc(all, func(f Format) bool { return f.Name == name })]
}

// Output writes a report skill by skill.
type Output struct {
	writer writer
	opt    Options
	w      io.Writer     // nil if the report is buffered until Close
	begun  bool          // the text before the skills is written
	part   bytes.Buffer  // the report of one skill
	flate  *flate.Writer // compresses the buffer, because findings are repetitive; nil if unused
	kept   bytes.Buffer
	size   int // uncompressed size of the buffer, in bytes
}

// Open starts a report. Skills are written to w immediately if the format
// allows it; otherwise, or if w is nil, they are buffered until Close.
func (f Format) Open(w io.Writer, opt Options) *Output {
	if opt.Page == nil {
		opt.Page = func(string) string { return "" }
	}
	if opt.Rooted == nil {
		opt.Rooted = func(path string) string { return path }
	}
	opt.Verbose = opt.Verbose || f.advice
	o := &Output{writer: f.start(opt), opt: opt, w: w}
	if f.totals || w == nil {
		o.flate, _ = flate.NewWriter(&o.kept, flate.BestSpeed) // the level is valid
	}
	return o
}

// Skill adds a skill. Skills must be ordered by path. Errors are those of the
// writer.
func (o *Output) Skill(s Skill) error {
	o.part.Reset()
	s.Diagnostics = slices.DeleteFunc(slices.Clone(s.Diagnostics), func(d spec.Diagnostic) bool { return !shown(d.Level, o.opt) })
	if o.flate != nil {
		o.writer.skill(&o.part, s)
		n, err := o.flate.Write(o.part.Bytes())
		o.size += n
		return err
	}
	if !o.begun {
		head, _ := o.writer.frame(Counts{})
		o.part.WriteString(head)
		o.begun = true
	}
	o.writer.skill(&o.part, s)
	return write(o.w, o.part.String())
}

// Close writes the rest to w, unless that is nil.
func (o *Output) Close(w io.Writer, c Counts) error {
	if w == nil {
		w = o.w
	}
	if b, ok := w.(*bytes.Buffer); ok {
		b.Grow(o.size) // allocated once: it can be hundreds of megabytes
	}
	head, tail := o.writer.frame(c)
	if o.begun {
		head = ""
	}
	err := write(w, head)
	if err == nil && o.flate != nil {
		o.flate.Close()
		_, err = io.Copy(w, flate.NewReader(&o.kept))
	}
	if err == nil {
		err = write(w, tail)
	}
	return err
}

// write writes text unless it is empty.
func write(w io.Writer, text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// jsonList writes the elements of a list in a JSON document one by one.
type jsonList struct {
	indent string // of the list
	n      int
}

// add writes an element.
func (l *jsonList) add(w *bytes.Buffer, v any) {
	l.n++
	if l.n > 1 {
		w.WriteByte(',')
	}
	w.WriteString("\n" + l.indent + "  ")
	_ = printable.WriteIndented(w, v, l.indent+"  ") // plain data always encodes
	w.Truncate(w.Len() - len("\n"))
}

// split returns the text before and after the elements of a document whose last
// list is this one.
func (l *jsonList) split(doc any) (head, tail string) {
	var b strings.Builder
	_ = printable.WriteJSON(&b, doc)
	text := b.String()
	at := strings.LastIndex(text, "[]") + 1
	head, tail = text[:at], text[at:]
	if l.n > 0 {
		tail = "\n" + l.indent + tail
	}
	return head, tail
}
