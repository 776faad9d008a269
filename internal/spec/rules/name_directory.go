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

const nameFixText = "writes the folder's name if the two differ only in case, hyphens, underscores or blanks"

var nameDirectory = nameRule("name-directory", "name matches the name of the skill's folder", nameFixText, func(p *spec.Pass, n *skillName) {
	if p.Doc.Dir != "" && !n.matchesFolder() {
		n.report(p, 0, 0, "Directory name '%[2]s' must match skill name '%[1]s'", printable.Quoted(p.Doc.Dir))
	}
})

// matchesFolder reports whether the name is that of the folder.
func (n *skillName) matchesFolder() bool {
	return slices.ContainsFunc([]string{n.doc.Dir, n.doc.LinkTarget}, func(dir string) bool { return dir != "" && norm.NFKC.String(dir) == n.name })
}

// correction returns what to write instead of a faulty name, for all rules about
// names, and a fix if that is certain: the valid name of the folder if only the
// spelling differs, or without a folder the valid spelling of the name.
func (n *skillName) correction() (help string, fix *spec.Fix) {
	if same := n.folderSpelling(); same != "" {
		return "write name: " + same, n.replacement(same)
	}
	var folder, own string // what both can be named
	for _, dir := range []string{n.doc.Dir, n.doc.LinkTarget} {
		if dir = normalName(dir); folder == "" && isValidName(dir) {
			folder = dir
		}
	}
	for _, text := range []string{n.name, n.doc.Dir} {
		if s := validSpelling(text); own == "" && isValidName(s) && s != folder && !n.taken(s) {
			own = s
		}
	}
	rename := ""
	switch {
	case own == "":
	case own == n.name:
		rename = "rename the folder to " + own
	case folder == "" && n.doc.Dir != "":
		rename = "write name: " + own + ", and give the folder the same name"
	}
	switch {
	case folder != "" && rename != "":
		return "write name: " + folder + ", or " + rename, nil
	case folder != "":
		return "write name: " + folder, nil
	case rename != "":
		return rename, nil
	case own != "" && letters(own) == letters(n.name):
		return "write name: " + own, n.replacement(own)
	case own != "":
		return "write name: " + own, nil
	case utf8.RuneCountInString(n.name) > maxName:
		return "shorten it; details belong in the description", nil
	}
	return "use lowercase letters, digits and single hyphens, such as pdf-tools, also for the folder", nil
}

// taken reports whether another folder beside the skill's has a name.
func (n *skillName) taken(name string) bool {
	if n.doc.Files == nil || n.doc.Dir == "" {
		return false
	}
	exists, _ := n.doc.Files.Above("../" + name)
	if exists && strings.EqualFold(name, n.doc.Dir) {
		ignoresCase, _ := n.doc.Files.Above("../" + strings.ToUpper(name))
		return !ignoresCase // otherwise it is the skill's folder
	}
	return exists
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
