package rules

import (
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// checkReference returns exactly the verdict of the reference library, under
// the ids of the corresponding rules.
func checkReference(d *spec.Document) []spec.Diagnostic {
	read, fault := spec.ReferenceDocument(d)
	if fault != nil {
		pass := spec.NewPass(d, &spec.Rule{ID: fault.Rule, Level: spec.Error}, spec.Options{})
		pass.Report(fault.Span, fault.Help, "%s", fault.Message)
		return pass.Found()
	}
	fields, description, compatibility := *fieldUnknown, *descriptionLength, *compatibilityLength
	asWritten := func(text string) string { return text } // the library counts the white space around a text
	fields.Check = referenceFields
	description.Check = func(p *spec.Pass) { checkLength(p, "description", spec.MaxDescription, asWritten) }
	compatibility.Check = func(p *spec.Pass) { checkLength(p, "compatibility", spec.MaxCompatibility, asWritten) }
	var out []spec.Diagnostic
	for _, rule := range []*spec.Rule{nameRequired, nameLength, nameLowercase, nameHyphens, nameCharacters, nameDirectory,
		descriptionRequired, compatibilityType, &fields, &description, &compatibility} {
		pass := spec.NewPass(read, rule, spec.Options{})
		rule.Check(pass)
		out = append(out, pass.Found()...)
	}
	return spec.Sort(out)
}

func referenceFields(p *spec.Pass) {
	const most = 100 // names per message
	var unknown []string
	var span spec.Span
	for _, f := range p.Doc.Fields {
		if !isSpecField(f.Key) {
			if len(unknown) == 0 {
				span = f.KeySpan
			}
			unknown = append(unknown, printable.Quoted(f.Key))
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	if len(unknown) > most {
		unknown = append(unknown[:most], "and more")
	}
	p.Report(span, "put them under metadata, or delete them",
		"Unexpected fields in frontmatter: %s. Only ['%s'] are allowed.",
		strings.Join(unknown, ", "), strings.Join(SpecFields(), "', '"))
}
