package rules

// A wrong name has one correction, which all rules about names show: the folder's name or
// the name in a valid spelling. It is a fix only where just one of them is possible.

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

// matchesFolder reports whether the name equals the folder's.
func (n *skillName) matchesFolder() bool {
	return slices.ContainsFunc([]string{n.doc.Dir, n.doc.LinkTarget}, func(dir string) bool { return dir != "" && norm.NFKC.String(dir) == n.name })
}

// correction returns the help for an invalid name, for all rules about names.
// The fix is nil unless it is certain: the folder's name if it is valid and
// only the spelling differs, or without a folder the valid spelling of the
// name.
func (n *skillName) correction() (help string, fix *spec.Fix) {
	var folders, same []string // valid names of the folder, and those that differ only in spelling
	for _, dir := range []string{normalName(n.doc.Dir), normalName(n.doc.LinkTarget)} {
		if isValidName(dir) && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
			if letters(dir) == letters(n.name) {
				same = append(same, dir)
			}
		}
	}
	if len(same) == 1 {
		return "write name: " + same[0], n.replacement(same[0])
	}
	folder, own := "", "" // candidates for the new name
	if len(folders) > 0 {
		folder = folders[0]
	}
	for _, text := range []string{n.name, n.doc.Dir} {
		s := validSpelling(text)
		isFree := s != folder && !n.taken(s)
		if own == "" && isValidName(s) && isFree {
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
	case folder != "" && own == validSpelling(n.name):
		rename = "write name: " + own + ", and give the folder the same name"
	}
	switch {
	case rename != "" && own != n.name && saysNothing(folder, own):
		return rename + ", or write name: " + folder, nil // a folder's name that says nothing is often that of others too
	case folder != "" && rename != "":
		return "write name: " + folder + ", or " + rename, nil
	case folder != "":
		return "write name: " + folder, nil
	case rename != "":
		return rename, nil
	case own != "":
		if letters(own) == letters(n.name) {
			fix = n.replacement(own)
		}
		return "write name: " + own, fix
	case utf8.RuneCountInString(n.name) > spec.MaxName:
		return "shorten it; details belong in the description", nil
	}
	return "use lowercase letters, digits and single hyphens, such as pdf-tools, also for the folder", nil
}

// saysNothing reports whether the name of a folder has no word of a skill's name.
func saysNothing(folder, name string) bool {
	words := strings.Split(name, "-")
	return folder != "" && !slices.ContainsFunc(strings.Split(folder, "-"), func(w string) bool { return slices.Contains(words, w) })
}

// taken reports whether another folder next to the skill's has this name.
func (n *skillName) taken(name string) bool {
	if n.doc.Files == nil || n.doc.Dir == "" {
		return false
	}
	exists, _ := n.doc.Files.Above("../" + name)
	if exists && strings.EqualFold(name, n.doc.Dir) {
		ignoresCase, _ := n.doc.Files.Above("../" + strings.ToUpper(name))
		return !ignoresCase // otherwise it is the skill's own folder
	}
	return exists
}

// replacement returns the fix that replaces the value of the name field. It is
// nil if there are several such fields, the new name is invalid, or the old one
// is not verbatim on one line.
func (n *skillName) replacement(to string) *spec.Fix {
	v := n.field.Value
	another := func(f spec.Field) bool { return f.Key == "name" && f.KeySpan != n.field.KeySpan }
	if slices.ContainsFunc(n.doc.Fields, another) || !isValidName(to) || to == v.Text {
		return nil
	}
	fix := n.doc.Rewrite(n.field, to, "write name: "+to)
	if fix != nil && v.Style == spec.Plain && ambiguousScalar(spec.Value{Kind: frontmatter.PlainKind(to), Text: to}) != "" {
		fix.Edits[0].Text = frontmatter.Quote(to)
	}
	return fix
}

// letters returns a name in lower case without hyphens, underscores, blanks and
// invisible characters.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_', unicode.Is(unicode.Pd, r), unicode.IsSpace(r), printable.Invisible(r):
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// validSpelling returns a valid form of a name, or "" if that requires a
// decision.
func validSpelling(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(normalName(s)) {
		switch {
		case isNameRune(r) && r != '-':
			b.WriteRune(r)
		case unicode.IsMark(r):
			return "" // a different word without its vowel signs
		case !printable.Invisible(r):
			b.WriteByte('-')
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
}

// isValidName reports whether a name, trimmed and in NFKC, is valid.
func isValidName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= spec.MaxName && s == validSpelling(s)
}
