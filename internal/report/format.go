package report

import (
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"strings"

	"skills/internal/printable"
)

// Format is one way to write a report.
type Format struct {
	Name string
	// Tokens says that it writes the tokens of a skill, which take time to count.
	Tokens bool

	start func(opt Options) writer
	// totals says that it begins with the counts, which are known at the end.
	totals bool
}

// writer writes a report in one format.
type writer interface {
	// skill writes the part of one skill.
	skill(w *bytes.Buffer, s Skill)
	// frame returns what is before the parts of the skills, which needs the counts
	// only in a format with totals, and what is behind them.
	frame(c Counts) (head, tail string)
}

// Formats returns all formats, the default first.
func Formats() []Format {
	return []Format{
		{Name: "text", start: newText},
		{Name: "json", start: newJSON, Tokens: true, totals: true},
		{Name: "sarif", start: newSARIF},
		{Name: "github", start: newGitHub},
		{Name: "junit", start: newJUnit, totals: true},
		{Name: "markdown", start: newMarkdown, totals: true},
	}
}

// Statistics is the format of --statistics: how many findings each rule has.
func Statistics() Format { return Format{Name: "statistics", start: newStatistics} }

// FindFormat returns the format with a name; ok is false if there is none.
func FindFormat(name string) (f Format, ok bool) {
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return Formats()[i], true
}

// Output is a report that is written skill by skill.
type Output struct {
	writer writer
	w      io.Writer     // nil for a report that is kept until Close
	begun  bool          // what is before the skills is written
	part   bytes.Buffer  // of one skill
	flate  *flate.Writer // compresses what is kept, as findings repeat the same words; nil if nothing is
	kept   bytes.Buffer
	size   int // of what is kept, in bytes
}

// Open begins a report. Skills are written to w as they come, if the format allows
// it; otherwise, or if w is nil, they are kept until Close.
func (f Format) Open(w io.Writer, opt Options) *Output {
	o := &Output{writer: f.start(opt), w: w}
	if f.totals || w == nil {
		o.flate, _ = flate.NewWriter(&o.kept, flate.BestSpeed) // a level that exists
	}
	return o
}

// Skill adds a skill. Skills come in the order of their paths. Errors are those of
// the writer.
func (o *Output) Skill(s Skill) error {
	o.part.Reset()
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

// Close writes the rest, to w if that is not nil.
func (o *Output) Close(w io.Writer, c Counts) error {
	if w == nil {
		w = o.w
	}
	if b, ok := w.(*bytes.Buffer); ok {
		b.Grow(o.size) // once: it can be hundreds of megabytes
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

// write writes text, if there is any.
func write(w io.Writer, text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// jsonList is a list in a JSON document that is written element by element.
type jsonList struct {
	indent string // of the list
	n      int
}

// add writes an element.
func (l *jsonList) add(w *bytes.Buffer, v any) {
	if l.n++; l.n > 1 {
		w.WriteByte(',')
	}
	w.WriteString("\n" + l.indent + "  ")
	_ = printable.WriteIndented(w, v, l.indent+"  ") // plain data always encodes
	w.Truncate(w.Len() - len("\n"))
}

// split returns what is before and behind the elements in a document, whose last
// list is this one.
func (l *jsonList) split(doc any) (head, tail string) {
	var b strings.Builder
	_ = printable.WriteJSON(&b, doc)
	text := b.String()
	at := strings.LastIndex(text, "[]") + 1
	if head, tail = text[:at], text[at:]; l.n > 0 {
		tail = "\n" + l.indent + tail
	}
	return head, tail
}
