package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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
		case !isInvisible(r):
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
	p.ReportFix(span, nameFix(p), spellingHelp(p, name), format, append([]any{show(name)}, args...)...)
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
