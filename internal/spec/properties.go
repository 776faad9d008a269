package spec

// Properties are what other programs get from a skill, so they follow the reference
// library to the letter: which documents it refuses, and its texts of errors. A user with
// valid YAML that the library does not read gets them nevertheless (UsableProperties).

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/secrets"
	"skills/internal/spec/strictyaml"
)

// Properties are the fields defined by the format, in the order in which the
// reference library prints them.
type Properties struct {
	Name, Description string // without surrounding white space
	// Fields holds name, description and, if present, license, compatibility,
	// allowed-tools and metadata.
	Fields []Field
}

// MarshalJSON writes the fields in order: scalars as strings with the text of
// the file, lists and mappings as JSON arrays and objects.
func (p Properties) MarshalJSON() ([]byte, error) { return object(p.Fields).MarshalJSON() }

// object is a mapping that keeps its order in JSON.
type object []Field

func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, printable.JSONText(f.Key)+":"+printable.JSONText(jsonValue(f.Value))...)
	}
	return append(out, '}'), nil
}

func jsonValue(v Value) any {
	switch v.Kind {
	case Mapping:
		return object(v.Fields)
	case Sequence:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, jsonValue(item))
		}
		return items
	}
	return v.Text
}

// ReadProperties does what read_properties of the reference library does, and
// returns an error if that raises. If the library would truncate a value that
// contains ---, the whole value is returned.
func ReadProperties(d *Document) (Properties, error) {
	p, err := referenceProperties(d)
	if err == nil && d.Mapping && d.dashesInside() {
		return properties(d, d.Fields)
	}
	return p, err
}

func referenceProperties(d *Document) (Properties, error) {
	fields, fault := readReference(d)
	if fault != nil {
		return Properties{}, d.readError(*fault)
	}
	return properties(d, fields)
}

// dashesInside reports whether the frontmatter contains ---, where the reference
// library ends it.
func (d *Document) dashesInside() bool {
	return bytes.Contains(d.Source[d.Block().Start:d.Block().End], []byte("---"))
}

// UsableProperties is like ReadProperties, but also accepts valid YAML outside
// the library's subset (flow style, anchors, tabs).
func UsableProperties(d *Document) (Properties, error) {
	p, err := ReadProperties(d)
	isValid := d.Mapping && len(d.Faults) == 0 && referenceFile(d) == nil
	if err == nil || !isValid {
		return p, err
	}
	return properties(d, d.Fields)
}

// PromptProperties returns what to_prompt of the reference library prints, or an error if
// that raises. A frontmatter with --- inside a value ends there, as it does for the
// library.
func PromptProperties(d *Document) (Properties, error) { return referenceProperties(d) }

// ReadError is the fault that prevents properties from being read.
type ReadError struct{ Fault }

// Error returns the fault's message, which keeps the reference library's
// phrases.
func (e *ReadError) Error() string { return e.Message }

// readError converts a fault to an error, with keys masked.
func (d *Document) readError(f Fault) error {
	own := d.ownKeys()
	f.Message, f.Help = secrets.Mask(f.Message, own), secrets.Mask(f.Help, own)
	return &ReadError{f}
}

func properties(d *Document, fields []Field) (Properties, error) {
	read := &Document{Path: d.Path, Content: frontmatter.Content{Source: d.Source, Mapping: true, Fields: fields}}
	var p Properties
	for _, want := range []struct {
		key string
		to  *string
	}{{"name", &p.Name}, {"description", &p.Description}} {
		if fault := read.RequireText(want.key); fault != nil {
			return Properties{}, d.readError(*fault)
		}
		*want.to = Trim(read.Field(want.key).Value.Text)
	}
	for _, key := range []string{"name", "description", "license", "compatibility", "allowed-tools", "metadata"} {
		f := read.Field(key)
		if f == nil {
			continue
		}
		if isEmpty := f.Value.Scalar() && f.Value.Text == ""; isEmpty && key == "metadata" {
			continue
		}
		if f.Value.Tag == strictyaml.Opaque {
			return Properties{}, d.readError(Fault{Rule: "frontmatter-syntax", Span: f.Place(),
				Message: "Invalid YAML in frontmatter: the value of " + key + " is an operator, not text", Help: "quote the value"})
		}
		out := *f
		if key == "name" || key == "description" {
			out.Value.Text = Trim(out.Value.Text)
		}
		p.Fields = append(p.Fields, out)
	}
	return p, nil
}

// RequireText returns the fault of a required field that is missing or not a
// non-empty string, or nil.
func (d *Document) RequireText(key string) *Fault {
	rule, example := key+"-required", "my-skill"
	if key == "description" {
		example = "Extracts text from PDF files. Use when a task names a PDF."
	}
	f := d.Field(key)
	if f == nil {
		return &Fault{Rule: rule, Span: d.Opening(), Message: "Missing required field in frontmatter: " + key, Help: "add a line such as " + key + ": " + example}
	}
	tag := f.Value.Tag[strings.LastIndexAny(f.Value.Tag, "!:")+1:]
	other := slices.Contains([]string{"binary", "int", "float", "bool", "timestamp"}, tag) // not a string
	if HasText(f.Value) && !other {
		return nil
	}
	what, help := "", "write text after "+key+":, for example "+key+": "+example
	_, rest, _ := strings.Cut(d.Line(f.KeySpan.Start.Line), ":")
	rest = strings.TrimLeft(rest, " \t")
	switch {
	case other:
		what, help = ", not "+f.Value.Tag, "delete the tag, and write the text: "+key+": "+example
	case !f.Value.Scalar():
		what = ", not " + f.Value.Kind.String()
	case f.Value.Kind == Null && f.Value.Text != "":
		what = "; " + printable.Quote(f.Value.Text) + " is null in YAML"
	case f.Value.Kind == Null && f.Value.Style == Plain && strings.HasPrefix(rest, "#"):
		quoted := key + ": " + frontmatter.Quote(strings.TrimRight(rest, " \t"))
		what, help = `; " #" starts a comment`, "quote the value: "+printable.TruncateMiddle(quoted, 160)
	}
	return &Fault{Rule: rule, Span: f.Place(), Message: "Field '" + key + "' must be a non-empty string" + what, Help: help}
}

// HasText reports whether a value is a scalar with text in it.
func HasText(v Value) bool { return v.Scalar() && v.Kind != Null && Trim(v.Text) != "" }

// Trim removes the white space that the strip method of Python removes.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F })
}
