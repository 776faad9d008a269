// Package frontmatter parses the YAML between the two --- lines at the start of
// a SKILL.md into fields with positions. Invalid YAML becomes faults that
// explain the cause.
package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Content is a SKILL.md split into its parts. Parsing never fails: Faults lists
// what could not be read, and the remaining fields are set as far as possible.
type Content struct {
	Source []byte // the whole file

	Mapping  bool    // whether the frontmatter is a mapping
	Fields   []Field // its fields in file order, duplicates kept
	Body     string  // text after the closing fence; the whole file if there are no fences
	BodyLine int     // line on which Body starts, 0 without a closed frontmatter

	Style Style // of the frontmatter mapping: Indented or Flow

	// Faults lists what prevented all or part of the file from being read, each
	// with the rule that reports it.
	Faults []Fault

	block      Block
	guessed    lineSet // lines that were read after a repair
	separators hiding  // from the parser
	index      *Lines  // built on first use
}

// Block is the position of the frontmatter in the file.
type Block struct {
	Start, End int // byte offsets of the YAML text in Content.Source
	Line       int // line on which the YAML text starts
	BodyStart  int // byte offset after the closing fence's line
}

// Closed reports whether the frontmatter has both fences.
func (b Block) Closed() bool { return b.Line > 0 }

// Fault is a reason why a document could not be read as written.
type Fault struct {
	Rule          string // the rule that reports it, for example "frontmatter-unclosed"
	Span          Span   // the zero Span is the whole file
	Message, Help string
	Fix           *Fix // nil if the user has to decide
}

// Field is one key of the frontmatter, or of a mapping inside it.
type Field struct {
	Key     string
	KeySpan Span
	Value   Value
}

// Kind is the type of a value in the YAML 1.2 core schema.
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

// String returns the kind as used in messages, with its article.
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
	Indented // block list or mapping
	Flow     // [..] or {..}
)

// Value is a node of the frontmatter. Scalars keep their source text: 1.0 is
// "1.0".
type Value struct {
	Kind   Kind
	Style  Style
	Text   string  // of a scalar, unquoted and folded
	Items  []Value // of a Sequence
	Fields []Field // of a Mapping
	Span   Span
	Tag    string // explicit tag such as !!str, or ""
	Anchor string // name after &, or ""
	Alias  bool   // written as *name; the other fields are the anchor's
}

// Data returns the value as a JSON encoder takes it: nil, string, bool, number, slice
// or map. Dates keep their text. A Number may be infinite, which JSON does not have.
func (v Value) Data() (out any) {
	switch v.Kind {
	case Null:
		return nil
	case Bool, Number:
		yaml.Load([]byte(v.Text), &out) // it was parsed before
		return out
	case Sequence:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.Data()
		}
		return items
	case Mapping:
		fields := map[string]any{}
		for _, f := range v.Fields {
			fields[f.Key] = f.Value.Data()
		}
		return fields
	}
	return v.Text
}

// Fix is a change that repairs a finding without a decision by the user. It
// never deletes a field and never loosens a permission.
type Fix struct {
	Description string // a verb phrase for display: quote the value
	// Edits change texts. They do not overlap.
	Edits []Edit
	// Field is the top-level field whose value the edits change, or "" if no
	// value changes.
	Field string
	// Rename, if not "", is the new name of the skill's file.
	Rename string
	// Executable lists files, relative to the skill, that become executable for
	// everyone who can read them.
	Executable []string
}

// Edit replaces a range of a file.
type Edit struct {
	File       string // relative to the skill with slashes; "" for the SKILL.md itself
	Start, End int    // byte offsets in the file
	Text       string // the new text
	// Path is the file's name in findings, Span the position of the range, and Bytes
	// its columns in bytes; zero if the file cannot be read. Package lint sets them.
	Path  string
	Span  Span
	Bytes ByteColumns
}

// Field returns the first top-level field with the given key, or nil.
func (d *Content) Field(key string) *Field {
	for i := range d.Fields {
		if d.Fields[i].Key == key {
			return &d.Fields[i]
		}
	}
	return nil
}

// Text returns the trimmed text of a scalar field, or "" if the field is
// absent, null, a list or a mapping.
func (d *Content) Text(key string) string {
	f := d.Field(key)
	if f == nil || !f.Value.Scalar() || f.Value.Kind == Null {
		return ""
	}
	return strings.TrimSpace(f.Value.Text)
}

// Block returns the position of the frontmatter, or the zero Block if it is not
// closed.
func (d *Content) Block() Block { return d.block }

// maxFaults limits the faults reported for one file.
const maxFaults = 100

func (d *Content) fault(rule string, span Span, message, help string) {
	d.faultFix(rule, span, nil, message, help)
}

// faultFix adds a fault with its fix, which may be nil.
func (d *Content) faultFix(rule string, span Span, fix *Fix, message, help string) {
	if len(d.Faults) <= maxFaults { // one more than is reported shows that there are more
		d.Faults = append(d.Faults, Fault{Rule: rule, Span: span, Message: message, Help: help, Fix: fix})
	}
}

// Place returns where a finding about a field's value points: the value, or the
// key if the value is spread over the lines below it.
func (f *Field) Place() Span {
	isAbsent := f.Value.Text == "" && f.Value.Scalar() && f.Value.Style == Plain
	if f.Value.Style == Indented || isAbsent {
		return f.KeySpan
	}
	return f.Value.Span
}

// Scalar reports whether the value is neither a list nor a mapping.
func (v Value) Scalar() bool { return v.Kind != Sequence && v.Kind != Mapping }

// change returns a fix that replaces one range of the SKILL.md.
func change(description string, start, end int, text string) *Fix {
	return &Fix{Description: description, Edits: []Edit{{Start: start, End: end, Text: text}}}
}
