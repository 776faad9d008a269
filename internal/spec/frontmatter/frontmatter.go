// Package frontmatter reads the YAML between the two lines of --- at the start
// of a SKILL.md: into fields with their positions in the file, and into faults
// with their causes where it is broken. It knows nothing of rules or folders.
package frontmatter

import "strings"

// Content is the text of a SKILL.md, taken apart. Reading never fails: what
// could not be read is in Faults, and the rest is there.
type Content struct {
	Source []byte // the whole file

	Mapping  bool    // whether the frontmatter could be read as a mapping
	Fields   []Field // its fields in file order, duplicates kept
	Body     string  // what follows the closing fence's line; everything, where there is no fence at all
	BodyLine int     // line of the file on which Body starts, 0 without a closed frontmatter

	Style Style // of the frontmatter mapping: Indented or Flow

	// Faults are what kept the file, or a part of it, from being read, each with
	// the rule that reports it.
	Faults []Fault

	block   Block
	guessed map[int]bool // lines of the file that were repaired
	index   *Lines       // made when first needed
}

// Block is the place of the frontmatter in the file.
type Block struct {
	Start, End int // byte offsets of the YAML text in Content.Source
	Line       int // line of the file on which the YAML text starts
	BodyStart  int // byte offset of what follows the closing fence's line
}

// Closed reports whether there is a frontmatter with both fences.
func (b Block) Closed() bool { return b.Line > 0 }

// Fault is a reason why a document could not be read as written.
type Fault struct {
	Rule          string // the rule that reports it, for example "frontmatter-unclosed"
	Span          Span   // the culprit; the zero Span is the file as a whole
	Message, Help string
	Fix           *Fix // nil where a person has to decide
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
// is in the file: 1.0 is "1.0".
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

// Fix is a change that repairs a finding without a person having to decide. It
// never deletes a field and never loosens a permission.
type Fix struct {
	Description string // what it does, for people: quote the value
	// Edits change texts. They do not overlap.
	Edits []Edit
	// Field is the top-level field whose value the edits are meant to change, ""
	// where every value reads afterwards as before.
	Field string
	// Rename, where not "", is the name that the skill's file gets.
	Rename string
	// Executable names files, relative to the skill, that get the executable
	// bit wherever they can be read.
	Executable []string
}

// Edit replaces a stretch of a file.
type Edit struct {
	File       string // relative to the skill with slashes; "" for the SKILL.md itself
	Start, End int    // byte offsets in the file
	Text       string // the new text
	// Path is the file as findings name it, and Span the place of the offsets in
	// it; zero where the file cannot be read. Both are filled in by package lint.
	Path string
	Span Span
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

// Text returns the text of a scalar field without surrounding white space, or
// "" where the field is absent, null, a list or a mapping.
func (d *Content) Text(key string) string {
	f := d.Field(key)
	if f == nil || !f.Value.Scalar() || f.Value.Kind == Null {
		return ""
	}
	return strings.TrimSpace(f.Value.Text)
}

// Block returns the place of the frontmatter, the zero Block where there is no
// closed one.
func (d *Content) Block() Block { return d.block }

// maxFaults bounds what is reported of one file: nobody reads more, and a file
// can be made to have millions.
const maxFaults = 100

func (d *Content) fault(rule string, span Span, message, help string) {
	d.faultFix(rule, span, nil, message, help)
}

// faultFix adds a fault with the change that repairs it; fix may be nil.
func (d *Content) faultFix(rule string, span Span, fix *Fix, message, help string) {
	if len(d.Faults) <= maxFaults { // one more than is reported, which shows that there are more
		d.Faults = append(d.Faults, Fault{Rule: rule, Span: span, Message: message, Help: help, Fix: fix})
	}
}

// Place is where a finding about a field's value points: at the value, or at
// the key where the value is spread over the lines below it.
func (f *Field) Place() Span {
	if f.Value.Style == Indented || f.Value.Text == "" && f.Value.Scalar() && f.Value.Style == Plain {
		return f.KeySpan
	}
	return f.Value.Span
}

// Scalar reports whether the value is neither a list nor a mapping.
func (v Value) Scalar() bool { return v.Kind != Sequence && v.Kind != Mapping }

// change is the fix that replaces one stretch of the SKILL.md.
func change(description string, start, end int, text string) *Fix {
	return &Fix{Description: description, Edits: []Edit{{Start: start, End: end, Text: text}}}
}
