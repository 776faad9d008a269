package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var namePortability = &spec.Rule{
	ID:     "name-portability",
	Title:  "name is accepted by every known client and file system",
	Level:  spec.Warning,
	Source: `clients' loaders; specification, "name field", which names a-z and 0-9; Windows, "Naming Files, Paths, and Namespaces"`,
	Fix:    "removes white space around the name",
	Check: func(p *spec.Pass) {
		n := nameOf(p)
		if n == nil {
			return
		}
		if spec.Trim(n.text) != n.text {
			p.ReportFix(n.field.Value.Span, n.replacement(n.name), "write name: "+printable.Quoted(n.name),
				"the name %s has white space around it: Crush, Google ADK, Microsoft Agent Framework and others count it and refuse the name", printable.Quote(n.text))
		}
		if strings.ContainsFunc(n.name, func(r rune) bool { return !isNameRune(r) }) {
			return // name-characters reports it
		}
		if deviceName().MatchString(n.name) {
			p.Report(n.field.Value.Span, "add a word: "+printable.Quoted(n.name)+"-tools",
				"%s is a device name on Windows, where no folder can have it", printable.Quote(n.name))
		}
		if i := strings.IndexFunc(n.text, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsSpace(r) }); i >= 0 {
			r, size := utf8.DecodeRuneInString(n.text[i:])
			p.Report(p.Doc.Within(n.field, i, i+size), "use a-z, 0-9 and hyphens; the description may be in any language",
				"the name contains %s: Crush, Google ADK, Microsoft Agent Framework, uploads and others allow only a-z, 0-9 and hyphens", printable.Rune(r))
		}
	},
}

// deviceName matches the names that Windows reserves for devices.
var deviceName = lazyregexp.New(`^(?:con|prn|aux|nul|(?:com|lpt)[1-9])$`)
