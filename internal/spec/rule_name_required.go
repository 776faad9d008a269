package spec

import (
	"strings"

	"skills/internal/spec/frontmatter"
)

var nameRequired = &Rule{
	ID:     "name-required",
	Title:  "name is there and is a non-empty string",
	Level:  Error,
	Source: `specification, "name field"`,
	Check:  func(p *Pass) { p.required("name", "my-skill") },
}

// required checks a field that every skill has.
func (p *Pass) required(key, example string) {
	f := p.Doc.Field(key)
	if f == nil {
		p.Report(p.Doc.Opening(), "add a line such as "+key+": "+example,
			"Missing required field in frontmatter: %s", key)
		return
	}
	if hasText(f.Value) {
		return
	}
	what, help := "", "write text after "+key+":, for example "+key+": "+example
	_, rest, _ := strings.Cut(p.Doc.Line(f.KeySpan.Start.Line), ":")
	switch rest = strings.TrimLeft(rest, " \t"); {
	case !f.Value.Scalar():
		what = ", not " + f.Value.Kind.String()
	case f.Value.Kind == Null && f.Value.Text != "":
		what = "; " + quote(f.Value.Text) + " is null in YAML"
	case f.Value.Kind == Null && f.Value.Style == Plain && strings.HasPrefix(rest, "#"):
		what, help = `; " #" starts a comment`, "quote the value: "+shorten(key+": "+frontmatter.Quote(strings.TrimRight(rest, " \t")))
	}
	p.Report(f.Place(), help,
		"Field '%s' must be a non-empty string%s", key, what)
}
