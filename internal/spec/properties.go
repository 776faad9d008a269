package spec

import (
	"bytes"
	"errors"

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
	for _, want := range []struct {
		key  string
		rule *Rule
		to   *string
	}{{"name", nameRequired, &p.Name}, {"description", descriptionRequired, &p.Description}} {
		var found []Diagnostic
		want.rule.Check(&Pass{Doc: read, rule: want.rule, out: &found})
		if len(found) > 0 {
			return Properties{}, d.readError(Fault{Rule: found[0].Rule, Span: found[0].Span, Message: found[0].Message, Help: found[0].Help})
		}
		*want.to = trim(read.Field(want.key).Value.Text)
	}
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

// IsReadError reports whether an error is a document's own fault, and returns
// that.
func IsReadError(err error) (*ReadError, bool) {
	var e *ReadError
	ok := errors.As(err, &e)
	return e, ok
}
