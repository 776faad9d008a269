// Package spec says what a skill document is (frontmatter fields with their
// positions, then a body) and holds the rules it is checked against.
//
// It works on bytes that others have read: it knows no disk, no colour and no
// model. Rules that look at files are handed an [io/fs.FS].
package spec

import (
	"crypto/sha256"
	"strings"

	"skills/internal/markdown"
	"skills/internal/spec/references"
)

// Document is one SKILL.md as it stands in the file. Parsing never fails:
// what could not be read is in Faults, and the rest is there.
type Document struct {
	Path string // how findings name the file
	// Dir is the name of the folder that holds the file, "" where it is not
	// known (standard input without a file name).
	Dir string
	// LinkTarget is the name of the folder that Dir is a symbolic link to, ""
	// where it is none: either name may be the skill's.
	LinkTarget string
	// File is the entry's name as the folder lists it, "" where there is none;
	// anything but SKILL.md is a fault.
	File   string
	Source []byte // the whole file

	Mapping  bool    // whether the frontmatter could be read as a mapping
	Fields   []Field // its fields in file order, duplicates kept
	Body     string  // what follows the closing fence's line; everything, where there is no fence at all
	BodyLine int     // line of the file on which Body starts, 0 without a closed frontmatter

	Style Style // of the frontmatter mapping: Indented or Flow

	// Repaired is the YAML text after the repairs that Fields was read from,
	// nil where nothing had to be repaired. Its faults stand in Faults.
	Repaired []byte
	mended   map[int]bool // lines of the file that were repaired

	// Files is the skill's folder, nil where there is none (standard input).
	Files Files
	// Nested returns the SKILL.md files further down in the folder, relative
	// with slashes; nil where there is none. See nestedSkills.
	Nested func() []string

	// Faults are what kept the document, or a part of it, from being read,
	// each with the rule that reports it.
	Faults []Fault

	block  Block
	merges []Span             // the << keys
	index  *lineIndex         // made when first needed
	tokens *int               // of the body, counted when first needed
	page   *markdown.Page     // made when first needed
	refs   *references.Page   // see references
	tree   *folder            // made when first needed
	near   *Fault             // a line inside the block that is nearly a fence, or nil
	digest *[sha256.Size]byte // see sum

	ignorable *bool // see mayIgnore
}

// Fault is a reason why a document could not be read as written.
type Fault struct {
	Rule          string // the rule that reports it, for example "frontmatter-unclosed"
	Span          Span   // the culprit; the zero Span speaks of the file as a whole
	Message, Help string
	Fix           *Fix // nil where only a person can mend it
}

// Field is one key of the frontmatter, or of a mapping inside it.
type Field struct {
	Key     string
	KeySpan Span
	Value   Value
}

// Kind is what a YAML 1.2 core-schema reader takes a value for.
type Kind uint8

const (
	Null Kind = iota // nothing, ~ or null
	String
	Bool
	Number
	Timestamp
	Sequence
	Mapping
)

// String names the kind as messages do, with its article.
func (k Kind) String() string {
	return [...]string{"null", "a string", "a boolean", "a number", "a date", "a list", "a mapping"}[k]
}

// Style is how a value is written.
type Style uint8

const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal  // |
	Folded   // >
	Indented // list or mapping by indentation
	Flow     // [..] or {..}
)

// Value is a node of the frontmatter. Scalars are kept as the text that
// stands in the file: 1.0 is "1.0".
type Value struct {
	Kind   Kind
	Style  Style
	Text   string  // of a scalar, after unquoting and folding
	Items  []Value // of a Sequence
	Fields []Field // of a Mapping
	Span   Span
	Tag    string // explicit tag such as !!str, or ""
	Anchor string // name after &, or ""
	Alias  bool   // written as *name; the rest is what the anchor holds
}

// Field returns the first top-level field with the given key, or nil.
func (d *Document) Field(key string) *Field {
	for i := range d.Fields {
		if d.Fields[i].Key == key {
			return &d.Fields[i]
		}
	}
	return nil
}

// Text returns the text of a scalar field without surrounding white space, or
// "" where the field is absent, null, a list or a mapping.
func (d *Document) Text(key string) string {
	f := d.Field(key)
	if f == nil || !f.Value.Scalar() || f.Value.Kind == Null {
		return ""
	}
	return strings.TrimSpace(f.Value.Text)
}

// Block returns where the frontmatter stands, the zero Block where there is no
// closed one.
func (d *Document) Block() Block { return d.block }

func (d *Document) fault(rule string, span Span, message, help string) {
	if len(d.Faults) <= maxFaults { // one more than is told, so that there are seen to be more
		d.Faults = append(d.Faults, Fault{Rule: rule, Span: span, Message: message, Help: help})
	}
}

// place is where a finding about a field's value points: at the value, or at
// the key where the value is spread over the lines below it.
func (f *Field) place() Span {
	if f.Value.Style == Indented || f.Value.Text == "" && f.Value.Scalar() && f.Value.Style == Plain {
		return f.KeySpan
	}
	return f.Value.Span
}

// Scalar reports whether the value is neither a list nor a mapping.
func (v Value) Scalar() bool { return v.Kind != Sequence && v.Kind != Mapping }
