package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

const nameFixText = "writes the name in small letters with single hyphens: the folder's where the two differ in nothing else"

// nameFix writes the name in an allowed spelling: the folder's, where that is a
// valid name and differs in spelling only. Other characters than case, hyphens,
// underscores and blanks are a person's to replace, and so are both names where
// the folder is spelt as wrongly as the field.
func nameFix(p *spec.Pass) *spec.Fix {
	name, _, ok := comparedName(p)
	if !ok {
		return nil
	}
	if fix := folderFix(p); fix != nil {
		return fix
	}
	to := suggestName(name)
	if p.Doc.Dir != "" && matchesAny(name, p.Doc.Dir, p.Doc.LinkTarget) || spelling(to) != spelling(name) {
		return nil
	}
	return nameEdit(p, to)
}

// folderFix writes the folder's name into the field, nil where the two differ
// in more than spelling: which of them is meant is a person's to say.
func folderFix(p *spec.Pass) *spec.Fix {
	name, _, _ := comparedName(p)
	return nameEdit(p, folderSpelling(p, name))
}

// folderSpelling returns the name of the skill's folder where it is a valid name
// that differs from a name in spelling only, "" where it is none, or where the
// folder is known by two such names.
func folderSpelling(p *spec.Pass, name string) string {
	found := ""
	for _, dir := range []string{normalName(p.Doc.Dir), normalName(p.Doc.LinkTarget)} {
		if !validName(dir) || spelling(dir) != spelling(name) || dir == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = dir
	}
	return found
}

// spelling is what remains of a name without case, hyphens, underscores, blanks
// and what cannot be seen.
func spelling(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) || isInvisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, normalName(name))
}

// nameEdit replaces the value of the only name field, nil where the new name
// is not valid or the old one does not stand on one line as it reads.
func nameEdit(p *spec.Pass, to string) *spec.Fix {
	f := p.Doc.Field("name")
	n := 0
	for _, other := range p.Doc.Fields {
		if other.Key == "name" {
			n++
		}
	}
	v := f.Value
	if n != 1 || !validName(to) || to == v.Text || v.Alias || v.Anchor != "" || v.Tag != "" || !p.Doc.Verbatim(v) {
		return nil
	}
	text := to
	switch {
	case v.Style == spec.DoubleQuoted, v.Style == spec.Plain && misread(spec.Value{Kind: frontmatter.PlainKind(to), Text: to}) != "":
		text = `"` + to + `"`
	case v.Style == spec.SingleQuoted:
		text = "'" + to + "'"
	}
	return &spec.Fix{Description: "write name: " + to, Edits: []spec.Edit{p.Doc.Edit(v.Span, text)}, Field: "name"}
}

// validName reports whether a name, trimmed and in NFKC, keeps all the rules
// on its spelling.
func validName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxName && s == normalName(s) && s == suggestName(s)
}
