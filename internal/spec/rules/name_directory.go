package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

const (
	nameFixText   = "writes the name in lowercase with single hyphens, or the folder's name if only the spelling differs"
	folderFixText = "writes the name of the folder if it is valid and differs only in case, hyphens, underscores or blanks"
)

var nameDirectory = nameRule("name-directory", "name matches the name of the skill's folder", folderFixText, func(p *spec.Pass, n *skillName) {
	if p.Doc.Dir == "" || n.matchesFolder() {
		return
	}
	p.ReportFix(n.field.Value.Span, n.replacement(n.folderSpelling()), n.directoryHelp(),
		"Directory name '%s' must match skill name '%s'", printable.Quoted(p.Doc.Dir), printable.Quoted(n.name))
})

// matchesFolder reports whether the name is that of the folder.
func (n *skillName) matchesFolder() bool {
	return slices.ContainsFunc([]string{n.doc.Dir, n.doc.LinkTarget}, func(dir string) bool { return dir != "" && norm.NFKC.String(dir) == n.name })
}

// directoryHelp returns the ways to give name and folder the same valid name, the
// one of the fix first.
func (n *skillName) directoryHelp() string {
	var ways []string
	dir := norm.NFKC.String(n.doc.Dir)
	same := n.folderSpelling()
	if same != "" {
		ways = append(ways, "write name: "+same)
	}
	if s := validSpelling(n.name); s != dir && (isValidName(n.name) || same == "" && isValidName(s)) {
		ways = append(ways, "rename the folder to "+s)
	}
	if same == "" && isValidName(dir) {
		ways = append(ways, "write name: "+n.doc.Dir)
	}
	if len(ways) == 0 {
		return "give both the same name, of lowercase letters, digits and single hyphens"
	}
	return strings.Join(ways, ", or ")
}

// fix writes the name in a valid spelling: that of the folder, if only the spelling
// differs. Names with other faults, and names that match a folder with an invalid
// name, need a decision: then it is nil.
func (n *skillName) fix() *spec.Fix {
	if fix := n.replacement(n.folderSpelling()); fix != nil {
		return fix
	}
	to := validSpelling(n.name)
	if n.doc.Dir != "" && n.matchesFolder() || letters(to) != letters(n.name) {
		return nil
	}
	return n.replacement(to)
}

// folderSpelling returns the name of the folder if it is a valid name that differs
// from the skill's only in spelling, "" if not, or if the folder has two such names.
func (n *skillName) folderSpelling() string {
	found := ""
	for _, dir := range []string{normalName(n.doc.Dir), normalName(n.doc.LinkTarget)} {
		if !isValidName(dir) || letters(dir) != letters(n.name) || dir == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = dir
	}
	return found
}

// replacement replaces the value of the only name field. It is nil if the new name
// is not valid, or the old one is not on one line as it reads.
func (n *skillName) replacement(to string) *spec.Fix {
	count := 0
	for _, f := range n.doc.Fields {
		if f.Key == "name" {
			count++
		}
	}
	v := n.field.Value
	if count != 1 || !isValidName(to) || to == v.Text {
		return nil
	}
	fix := n.doc.Rewrite(n.field, to, "write name: "+to)
	if fix != nil && v.Style == spec.Plain && ambiguousScalar(spec.Value{Kind: frontmatter.PlainKind(to), Text: to}) != "" {
		fix.Edits[0].Text = frontmatter.Quote(to)
	}
	return fix
}

// letters returns a name without case, hyphens, underscores, blanks and invisible
// characters.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) || printable.Invisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, normalName(name))
}

// validSpelling turns a name into a valid one, "" if that needs a decision.
func validSpelling(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(normalName(s)) {
		switch {
		case isNameRune(r) && r != '-':
			b.WriteRune(r)
		case unicode.IsMark(r):
			return "" // without its vowel signs it is another word
		case !printable.Invisible(r):
			b.WriteByte('-')
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
}

// isValidName reports whether a name, trimmed and in NFKC, is valid.
func isValidName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxName && s == normalName(s) && s == validSpelling(s)
}
