package spec

import (
	"bytes"
	"errors"
	"strings"

	"skills/internal/spec/secrets"

	"skills/internal/spec/frontmatter"
)

// Properties is the part of a frontmatter that the format defines, in the
// order in which the reference library prints it.
type Properties struct {
	Name, Description string // without surrounding white space
	// Fields are name, description and, where they stand in the file, license,
	// compatibility, allowed-tools and metadata.
	Fields []Field
}

// ReadProperties reads a document as the reference library's read_properties
// does and fails where that raises. Where the library would lose text because
// --- stands inside a value, the whole value is returned.
func ReadProperties(d *Document) (Properties, error) {
	fields, fault := readReference(d)
	if fault != nil {
		return Properties{}, d.readError(*fault)
	}
	p, err := properties(d, fields)
	if err == nil && d.Mapping && bytes.Contains(d.Source[d.Block().Start:d.Block().End], []byte("---")) {
		return properties(d, d.Fields)
	}
	return p, err
}

// UsableProperties is like ReadProperties, and also reads valid YAML outside
// the library's subset (flow style, anchors, tabs).
func UsableProperties(d *Document) (Properties, error) {
	p, err := ReadProperties(d)
	if err == nil || !d.Mapping || referenceFile(d) != nil || len(d.Faults) > 0 {
		return p, err
	}
	return properties(d, d.Fields)
}

// ReadError is why properties cannot be read, with its place in the file.
type ReadError struct{ Fault }

// Error is the fault's message, which keeps the reference library's phrases.
func (e *ReadError) Error() string { return e.Message }

// readError makes an error of a fault. It repeats no key.
func (d *Document) readError(f Fault) error {
	own := d.ownKeys()
	f.Message, f.Help = secrets.Mask(f.Message, own), secrets.Mask(f.Help, own)
	return &ReadError{f}
}

func properties(d *Document, fields []Field) (Properties, error) {
	read := &Document{Path: d.Path, Content: frontmatter.Content{Source: d.Source, Mapping: true, Fields: fields}}
	var p Properties
	for _, key := range []string{"name", "description"} {
		if fault := read.Required(key); fault != nil {
			return Properties{}, d.readError(*fault)
		}
	}
	p.Name, p.Description = trim(read.Field("name").Value.Text), trim(read.Field("description").Value.Text)
	for _, key := range []string{"name", "description", "license", "compatibility", "allowed-tools", "metadata"} {
		f := read.Field(key)
		if f == nil || key == "metadata" && f.Value.Scalar() && f.Value.Text == "" {
			continue
		}
		if f.Value.Tag == opaqueTag {
			return Properties{}, d.readError(Fault{Rule: "frontmatter-syntax", Span: f.Place(),
				Message: "Invalid YAML in frontmatter: the value of " + key + " is an operator, not text", Help: "quote the value"})
		}
		out := *f
		if key == "name" || key == "description" {
			out.Value.Text = trim(out.Value.Text)
		}
		p.Fields = append(p.Fields, out)
	}
	return p, nil
}

// examples of the fields that every skill has.
var examples = map[string]string{
	"name":        "my-skill",
	"description": "Extracts text from PDF files. Use when a task names a PDF.",
}

// Required returns what is wrong with a field that every skill has, name or
// description; nil where nothing is.
func (d *Document) Required(key string) *Fault {
	fault := &Fault{Rule: key + "-required", Help: "add a line such as " + key + ": " + examples[key]}
	f := d.Field(key)
	switch {
	case f == nil:
		fault.Span, fault.Message = d.Opening(), "Missing required field in frontmatter: "+key
		return fault
	case hasText(f.Value):
		return nil
	}
	fault.Span, fault.Message = f.Place(), "Field '"+key+"' must be a non-empty string"
	fault.Help = "write text after " + key + ":, for example " + key + ": " + examples[key]
	_, rest, _ := strings.Cut(d.Line(f.KeySpan.Start.Line), ":")
	switch rest = strings.TrimLeft(rest, " \t"); {
	case !f.Value.Scalar():
		fault.Message += ", not " + f.Value.Kind.String()
	case f.Value.Kind == Null && f.Value.Text != "":
		fault.Message += "; " + quote(f.Value.Text) + " is null in YAML"
	case f.Value.Kind == Null && f.Value.Style == Plain && strings.HasPrefix(rest, "#"):
		fault.Message += `; " #" starts a comment`
		fault.Help = "quote the value: " + shorten(key+": "+frontmatter.Quote(strings.TrimRight(rest, " \t")))
	}
	return fault
}

// IsReadError reports whether an error is a document's own fault, and returns
// that.
func IsReadError(err error) (*ReadError, bool) {
	var e *ReadError
	ok := errors.As(err, &e)
	return e, ok
}
