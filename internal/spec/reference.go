package spec

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/frontmatter"
	"skills/internal/spec/strictyaml"
)

// FileName is the name of the file in the specification.
const FileName = "SKILL.md"

// ReferenceDocument returns the document as the reference library reads it,
// with our positions for fields that both read. If the library would fail, it
// returns the fault instead.
func ReferenceDocument(d *Document) (*Document, *Fault) {
	fields, fault := readReference(d)
	if fault != nil {
		return nil, fault
	}
	own := map[string]*Field{}
	for i := range d.Fields {
		own[d.Fields[i].Key] = &d.Fields[i]
	}
	for i := range fields {
		if f := own[fields[i].Key]; f != nil {
			fields[i].KeySpan, fields[i].Value.Span, fields[i].Value.Style = f.KeySpan, f.Value.Span, f.Value.Style
		}
	}
	return &Document{Path: d.Path, Dir: d.Dir, Files: d.Files, Content: frontmatter.Content{Source: d.Source, Mapping: true, Fields: fields}}, nil
}

// readReference reads the fields as the reference library does: the fences are
// the first two --- anywhere in the text, and the YAML is a subset. fault is
// nil if the library raises no error.
func readReference(d *Document) (fields []Field, fault *Fault) {
	if f := referenceFile(d); f != nil {
		return nil, f
	}
	if !utf8.Valid(d.Source) {
		f := Scan(d.Path, d.Dir, d.Source).Faults[0]
		return nil, &f
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(d.Source))
	if !strings.HasPrefix(text, "---") {
		return nil, namedFault(d, "frontmatter-missing", "SKILL.md must start with YAML frontmatter (---)")
	}
	block, _, closed := strings.Cut(text[3:], "---")
	if !closed {
		return nil, namedFault(d, "frontmatter-unclosed", "SKILL.md frontmatter not properly closed with ---")
	}
	root, err := strictyaml.Parse(block, len("---"))
	if err != nil {
		return nil, yamlFault(d, err)
	}
	if root.Kind != Mapping {
		return nil, namedFault(d, "frontmatter-mapping", "SKILL.md frontmatter must be a YAML mapping")
	}
	return root.Fields, nil
}

// referenceFile returns the fault that depends on the folder: the library
// accepts skill.md too, and fails if the entry is not a file.
func referenceFile(d *Document) *Fault {
	if d.File == "skill.md" {
		return nil
	}
	return d.faultOf("skill-file")
}

// faultOf returns the document's first fault for any of the rules, or nil.
func (d *Document) faultOf(rules ...string) *Fault {
	i := slices.IndexFunc(d.Faults, func(f Fault) bool { return slices.Contains(rules, f.Rule) })
	if i < 0 {
		return nil
	}
	return &d.Faults[i]
}

const dashesHelp = "take --- out of the values: the reference library ends the frontmatter there"

// namedFault prefers our own finding for the same rule, which describes the
// cause.
func namedFault(d *Document, rule, message string) *Fault {
	if f := d.faultOf(rule); f != nil {
		return f
	}
	help := dashesHelp
	if f := d.faultOf("encoding"); f != nil {
		help = f.Help
	}
	return &Fault{Rule: rule, Span: d.Lines().Line(1), Message: message, Help: help}
}

func yamlFault(d *Document, err error) *Fault {
	if f := d.faultOf("frontmatter-syntax", "frontmatter-duplicate-key"); f != nil {
		return f
	}
	f := &Fault{Rule: "frontmatter-syntax", Message: "Invalid YAML in frontmatter: " + err.Error(),
		Help: "the reference library reads a small subset of YAML; the specification allows all of it"}
	if d.Mapping && d.dashesInside() {
		f.Help = dashesHelp
	}
	if at, ok := errors.AsType[*strictyaml.Error](err); ok {
		f.Message, f.Span = "Invalid YAML in frontmatter: "+at.Message, at.Span
	}
	return f
}
