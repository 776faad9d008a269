package rules

// Each requirement of the specification for a name is a rule. A name often breaks several
// at once: the findings are merged into one (rules.go), and their fix satisfies all.

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var nameRequired = &spec.Rule{
	ID:     "name-required",
	Title:  "name is present and a non-empty string",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Check:  func(p *spec.Pass) { requireText(p, "name") },
}

// requireText reports the fault of a missing or empty required field.
func requireText(p *spec.Pass, key string) {
	if f := p.Doc.RequireText(key); f != nil {
		p.Report(f.Span, f.Help, "%s", f.Message)
	}
}

var nameLength = nameRule("name-length", fmt.Sprintf("name has at most %d characters", spec.MaxName), nameFixText, func(p *spec.Pass, n *skillName) {
	if length := utf8.RuneCountInString(n.name); length > spec.MaxName {
		n.report(p, 0, 0, "Skill name '%s' exceeds %d character limit (%d chars)", spec.MaxName, length)
	}
})

var nameLowercase = nameRule("name-lowercase", "name is lowercase", nameFixText, func(p *spec.Pass, n *skillName) {
	upper := func(r rune) bool { return unicode.ToLower(r) != r }
	if strings.ContainsFunc(n.name, upper) {
		from := max(strings.IndexFunc(n.text, upper), 0)
		n.report(p, from, len(n.text)-len(strings.TrimLeftFunc(n.text[from:], upper)), "Skill name '%s' must be lowercase")
	}
})

var nameHyphens = nameRule("name-hyphens", "name has no hyphen at its ends and no consecutive hyphens", nameFixText, func(p *spec.Pass, n *skillName) {
	if strings.HasPrefix(n.name, "-") || strings.HasSuffix(n.name, "-") {
		at := strings.IndexByte(n.text, '-')
		if !strings.HasPrefix(n.name, "-") {
			at = strings.LastIndexByte(n.text, '-')
		}
		n.report(p, at, at+1, "Skill name cannot start or end with a hyphen: '%s'")
	}
	if strings.Contains(n.name, "--") {
		at := strings.Index(n.text, "--")
		n.report(p, at, at+2, "Skill name cannot contain consecutive hyphens: '%s'")
	}
})

const invalidCharacters = "Skill name '%s' contains invalid characters. "

var nameCharacters = &spec.Rule{
	ID:     "name-characters",
	Title:  "name consists of letters, digits and hyphens",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		n := nameOf(p)
		if n == nil {
			if f := p.Doc.Field("name"); f != nil && spec.HasText(f.Value) {
				p.Report(f.Value.Span, "replace the placeholder with the name of the folder",
					invalidCharacters+"It is a placeholder of a template", printable.Quoted(spec.Trim(f.Value.Text)))
			}
			return
		}
		i := strings.IndexFunc(n.name, func(r rune) bool { return !isNameRune(r) })
		if i < 0 {
			return
		}
		bad, size := utf8.DecodeRuneInString(n.name[i:])
		from := strings.IndexRune(n.text, bad)
		n.report(p, from, from+size, invalidCharacters+"Only letters, digits, and hyphens are allowed; found %s", printable.Rune(bad))
	},
}

// isNameRune reports whether a name may contain r: a hyphen, or a letter or
// digit of any script, as in the reference library's isalnum.
func isNameRune(r rune) bool { return r == '-' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// nameRule returns a rule that runs only if a name is present.
func nameRule(id, title, fix string, check func(*spec.Pass, *skillName)) *spec.Rule {
	return &spec.Rule{ID: id, Title: title, Level: spec.Error, Source: `specification, "name field"`, Fix: fix, Check: func(p *spec.Pass) {
		if n := nameOf(p); n != nil {
			check(p, n)
		}
	}}
}

// skillName is the name of a document.
type skillName struct {
	doc   *spec.Document
	field *spec.Field
	text  string // as in the file
	name  string // normalised for comparison
}

// nameOf returns the name of a document, or nil if it is missing or a template
// placeholder, which name-required and name-characters report.
func nameOf(p *spec.Pass) *skillName {
	return spec.Shared(p, func() *skillName {
		f := p.Doc.Field("name")
		if f == nil || !spec.HasText(f.Value) || frontmatter.HasPlaceholder(f.Value.Text) {
			return nil
		}
		return &skillName{doc: p.Doc, field: f, text: f.Value.Text, name: normalName(f.Value.Text)}
	})
}

// normalName normalises a skill or folder name for comparison.
func normalName(s string) string { return norm.NFKC.String(spec.Trim(s)) }

// report adds a finding for the bytes from:to of the name as written, or for
// the whole name if they are not part of it. The name is the first argument of
// the message.
func (n *skillName) report(p *spec.Pass, from, to int, format string, args ...any) {
	span := n.field.Value.Span
	if from >= 0 && to > from {
		span = n.doc.Within(n.field, from, to)
	}
	help, fix := n.correction()
	p.ReportFix(span, fix, help, format, append([]any{printable.Quoted(n.name)}, args...)...)
}

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
		for _, word := range []string{"anthropic", "claude"} {
			if i := strings.Index(n.text, word); i >= 0 {
				p.AdviseIn(p.Doc.Path, p.Doc.Within(n.field, i, i+len(word)), nil, "choose a name without it, if the skill is to be uploaded",
					"the name contains %s: uploads to Claude refuse it", printable.Quote(word))
			}
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
