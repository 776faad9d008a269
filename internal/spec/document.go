// Package spec parses SKILL.md files (YAML frontmatter with positions, Markdown
// body) and checks them against rules.
//
// It does no I/O of its own: rules that need other files of a skill get them
// through [Files].
package spec

import (
	"skills/internal/markdown"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/tokens"
)

// Document is a parsed SKILL.md. Parsing never fails: Faults lists what could
// not be read, and the remaining fields are set as far as possible.
type Document struct {
	Path string // the file's name in findings
	// Dir is the name of the folder that contains the file, or "" if unknown
	// (standard input without a file name).
	Dir string
	// LinkTarget is the name of the folder that Dir is a symbolic link to, or
	// "". The skill may have either name.
	LinkTarget string
	// File is the file's name in its folder, or "" for standard input. Any name
	// but SKILL.md is a fault.
	File string

	frontmatter.Content

	// Files gives access to the skill's folder; nil for standard input.
	Files Files
	// Nested returns the SKILL.md files in subfolders as slash-separated
	// relative paths. It may be nil.
	Nested func() []string

	tokens *int           // of the body, computed on first use
	page   *markdown.Page // parsed on first use
}

// Scan reads the encoding, the fences and the body of a SKILL.md; Decode reads
// the YAML. path names the file in findings; dir is the name of its folder, or
// "".
func Scan(path, dir string, src []byte) *Document {
	return &Document{Path: path, Dir: dir, Content: frontmatter.Scan(src)}
}

// NewDocument returns a document with only its path and source set.
func NewDocument(path string, src []byte) *Document {
	return &Document{Path: path, Content: frontmatter.Content{Source: src}}
}

// Edit is [frontmatter.Edit], and so on: rules need only import this package.
type (
	ByteColumns = frontmatter.ByteColumns

	Edit  = frontmatter.Edit
	Fault = frontmatter.Fault
	Field = frontmatter.Field
	Fix   = frontmatter.Fix
	Kind  = frontmatter.Kind
	Pos   = frontmatter.Pos
	Span  = frontmatter.Span
	Value = frontmatter.Value
)

// The kinds and styles of values.
const (
	Null      = frontmatter.Null
	String    = frontmatter.String
	Bool      = frontmatter.Bool
	Number    = frontmatter.Number
	Timestamp = frontmatter.Timestamp
	Sequence  = frontmatter.Sequence
	Mapping   = frontmatter.Mapping

	Plain        = frontmatter.Plain
	SingleQuoted = frontmatter.SingleQuoted
	DoubleQuoted = frontmatter.DoubleQuoted
	Flow         = frontmatter.Flow
)

// Page returns the body parsed as Markdown. Parsing happens on the first call.
// Offsets are relative to the body; see BodySpan.
func (d *Document) Page() *markdown.Page {
	if d.page == nil {
		d.page = markdown.Parse(d.Source[len(d.Source)-len(d.Body):])
	}
	return d.page
}

// BodySpan converts two offsets in the body to a span of the file.
func (d *Document) BodySpan(start, end int) Span {
	return d.SourceSpan(d.Block().BodyStart+start, d.Block().BodyStart+end)
}

// SourceSpan converts two byte offsets in the file to a span.
func (d *Document) SourceSpan(start, end int) Span {
	x := d.Lines()
	return Span{Start: x.At(start), End: x.At(end)}
}

// BodyTokens returns the estimated number of tokens in the body, see
// [tokens.Estimate]. It is computed once.
func (d *Document) BodyTokens() int {
	if d.tokens == nil {
		n := tokens.Estimate(d.Body)
		d.tokens = &n
	}
	return *d.tokens
}
