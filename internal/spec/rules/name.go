package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// comparedName returns the name as it is compared (trimmed, NFKC) and where it stands;
// ok is false where there is none to look at, which name-required reports, and
// where it is a template's placeholder, which name-characters reports.
func comparedName(p *spec.Pass) (name string, span spec.Span, ok bool) {
	f := p.Doc.Field("name")
	if f == nil || !spec.HasText(f.Value) || frontmatter.HasPlaceholder(f.Value.Text) {
		return "", spec.Span{}, false
	}
	return normalName(f.Value.Text), f.Value.Span, true
}

// normalName is a name or folder in the form in which the two are compared.
func normalName(s string) string { return norm.NFKC.String(spec.Trim(s)) }

// isNameRune reports whether a name may hold a character: a letter or digit of
// any script, as the reference library's isalnum has it, or a hyphen.
func isNameRune(r rune) bool {
	return r == '-' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// suggestName turns what was written into a name that is allowed, "" where
// only a person can.
func suggestName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(normalName(s)) {
		switch {
		case isNameRune(r) && r != '-':
			b.WriteRune(r)
		case unicode.IsMark(r):
			return "" // a word without its vowel signs is another word
		case !printable.Invisible(r):
			b.WriteByte('-')
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	return strings.Join(words, "-")
}

// reportSpelling reports what stands at text[from:to] of the name as it is written;
// to 0 is the whole name.
func reportSpelling(p *spec.Pass, from, to int, format string, args ...any) {
	name, span, _ := comparedName(p)
	f := p.Doc.Field("name")
	if text := f.Value.Text; to > 0 {
		at := utf8.RuneCountInString(text[:from])
		span = p.Doc.Within(f, at, at+utf8.RuneCountInString(text[from:to]))
	}
	p.ReportFix(span, nameFix(p), spellingHelp(p, name), format, append([]any{printable.Quoted(name)}, args...)...)
}

// spellingHelp is the help of the rules on the name's spelling: the name that
// --fix writes, where it writes one.
func spellingHelp(p *spec.Pass, name string) string {
	if dir := folderSpelling(p, name); dir != "" {
		return "write name: " + dir
	}
	switch s := suggestName(name); {
	case s != name && validName(s) && (s == normalName(p.Doc.Dir) || s == normalName(p.Doc.LinkTarget)):
		return "write name: " + s
	case s != name && validName(s):
		return "write name: " + s + ", and give the folder the same name"
	}
	return "use lowercase letters, digits and single hyphens, such as pdf-tools"
}

var nameRequired = &spec.Rule{
	ID:     "name-required",
	Title:  "name is present and a non-empty string",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Check:  func(p *spec.Pass) { requireText(p, "name", "my-skill") },
}

// requireText reports the fault of a field that every skill has to have.
func requireText(p *spec.Pass, key, example string) {
	if f := p.Doc.RequireText(key, example); f != nil {
		p.Report(f.Span, f.Help, "%s", f.Message)
	}
}

const maxName = 64

var nameLength = &spec.Rule{
	ID:     "name-length",
	Title:  "name has at most 64 characters",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Check: func(p *spec.Pass) {
		name, span, ok := comparedName(p)
		if n := utf8.RuneCountInString(name); ok && n > maxName {
			p.Report(span, "shorten it; details belong in the description",
				"Skill name '%s' exceeds 64 character limit (%d chars)", printable.Quoted(name), n)
		}
	},
}

var nameLowercase = &spec.Rule{
	ID:     "name-lowercase",
	Title:  "name is lowercase",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		name, _, ok := comparedName(p)
		if !ok || !hasUpper(name) {
			return
		}
		text := p.Doc.Field("name").Value.Text
		from, to := strings.IndexFunc(text, isUpper), 0
		if from >= 0 {
			to = len(text) - len(strings.TrimLeftFunc(text[from:], isUpper))
		}
		reportSpelling(p, from, to, "Skill name '%s' must be lowercase")
	},
}

// isUpper reports whether a character has a lowercase form other than itself.
func isUpper(r rune) bool { return unicode.ToLower(r) != r }

func hasUpper(s string) bool { return strings.ContainsFunc(s, isUpper) }

var nameHyphens = &spec.Rule{
	ID:     "name-hyphens",
	Title:  "name has no hyphen at its ends and no consecutive hyphens",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		name, _, ok := comparedName(p)
		if !ok {
			return
		}
		text := p.Doc.Field("name").Value.Text
		if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
			from, to := hyphens(text, max(strings.IndexFunc(text, isWritten), 0))
			if to == 0 {
				end := strings.TrimRightFunc(text, func(r rune) bool { return !isWritten(r) })
				from, to = hyphens(text, len(strings.TrimRight(end, "-")))
			}
			reportSpelling(p, from, to, "Skill name cannot start or end with a hyphen: '%s'")
		}
		if strings.Contains(name, "--") {
			from, to := hyphens(text, max(strings.Index(text, "--"), 0))
			reportSpelling(p, from, to, "Skill name cannot contain consecutive hyphens: '%s'")
		}
	},
}

// hyphens returns where the hyphens that start at a byte of a text end, to 0
// where there are none.
func hyphens(text string, at int) (from, to int) {
	n := len(text[at:]) - len(strings.TrimLeft(text[at:], "-"))
	if n == 0 {
		return 0, 0
	}
	return at, at + n
}

// isWritten reports what trim leaves at the ends of a name.
func isWritten(r rune) bool { return spec.Trim(string(r)) != "" }

var nameCharacters = &spec.Rule{
	ID:     "name-characters",
	Title:  "name consists of letters, digits and hyphens",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    nameFixText,
	Check: func(p *spec.Pass) {
		const message = "Skill name '%s' contains invalid characters. "
		if f := p.Doc.Field("name"); f != nil && spec.HasText(f.Value) && frontmatter.HasPlaceholder(f.Value.Text) {
			p.Report(f.Value.Span, "replace the placeholder with the name of the folder",
				message+"It is a placeholder of a template", printable.Quoted(spec.Trim(f.Value.Text)))
			return
		}
		name, _, ok := comparedName(p)
		i := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) })
		if !ok || i < 0 {
			return
		}
		bad, size := utf8.DecodeRuneInString(name[i:])
		from, to := strings.IndexRune(p.Doc.Field("name").Value.Text, bad), 0
		if from >= 0 {
			to = from + size
		}
		reportSpelling(p, from, to, message+"Only letters, digits, and hyphens are allowed; found %s", printable.Rune(bad))
	},
}
