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

var nameDirectory = &spec.Rule{
	ID:     "name-directory",
	Title:  "name matches the name of the skill's folder",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    "writes the name of the folder if it is valid and differs only in case, hyphens, underscores or blanks",
	Check: func(p *spec.Pass) {
		name, span, ok := comparedName(p)
		if !ok || p.Doc.Dir == "" || matchesAny(name, p.Doc.Dir, p.Doc.LinkTarget) {
			return
		}
		p.ReportFix(span, folderFix(p), directoryHelp(p, name, p.Doc.Dir),
			"Directory name '%s' must match skill name '%s'", printable.Quoted(p.Doc.Dir), printable.Quoted(name))
	},
}

// directoryHelp offers those ways to make the two names one that lead to a name
// that is allowed, first the one that --fix takes.
func directoryHelp(p *spec.Pass, name, dir string) string {
	var ways []string
	same := folderSpelling(p, name)
	if same != "" {
		ways = append(ways, "write name: "+same)
	}
	if s := suggestName(name); s != norm.NFKC.String(dir) && (validName(name) || same == "" && validName(s)) {
		ways = append(ways, "rename the folder to "+s)
	}
	if same == "" && validName(norm.NFKC.String(dir)) {
		ways = append(ways, "write name: "+dir)
	}
	if len(ways) == 0 {
		return "give both the same name, of lowercase letters, digits and single hyphens"
	}
	return strings.Join(ways, ", or ")
}

// matchesAny reports whether one of the folder's names is the skill's.
func matchesAny(name string, dirs ...string) bool {
	for _, dir := range dirs {
		if dir != "" && norm.NFKC.String(dir) == name {
			return true
		}
	}
	return false
}

const nameFixText = "writes the name in lowercase with single hyphens, or the folder's name if only the spelling differs"

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
		if r == '_' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) || printable.Invisible(r) {
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
