package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
		n := nameOf(p.Doc)
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
		if isDeviceName(n.name) {
			p.Report(n.field.Value.Span, "add a word: "+printable.Quoted(n.name)+"-tools",
				"%s is a device name on Windows, where no folder can have it", printable.Quote(n.name))
		}
		checkLetters(p, n)
	},
}

// checkLetters reports the first word in two scripts, else the first letter or
// digit outside ASCII.
func checkLetters(p *spec.Pass, n *skillName) {
	if word, one, other := mixedWord(n.text); word != "" {
		at := utf8.RuneCountInString(n.text[:strings.Index(n.text, word)])
		p.Report(p.Doc.Within(n.field, at, at+utf8.RuneCountInString(word)), "write it in one script, best with a-z",
			"the name mixes %s and %s characters in %s: they may look alike, and most clients refuse the name", one, other, printable.Quote(word))
		return
	}
	i := strings.IndexFunc(n.text, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsSpace(r) })
	if i < 0 {
		return
	}
	r, _ := utf8.DecodeRuneInString(n.text[i:])
	at := utf8.RuneCountInString(n.text[:i])
	p.Report(p.Doc.Within(n.field, at, at+1), "use a-z, 0-9 and hyphens; the description may be in any language",
		"the name contains %s: Crush, Google ADK, Microsoft Agent Framework, uploads and others allow only a-z, 0-9 and hyphens", printable.Rune(r))
}

// isDeviceName reports whether Windows reserves a name for a device.
func isDeviceName(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && name[3] >= '1' && name[3] <= '9'
}

// nameScripts are the scripts that are not mixed in one word: their letters may look
// alike. Scripts that are written together, such as Han and kana, are not in it.
var nameScripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian},
	{"Cherokee", unicode.Cherokee}, {"Georgian", unicode.Georgian}, {"Hebrew", unicode.Hebrew}, {"Arabic", unicode.Arabic},
	{"Coptic", unicode.Coptic}, {"Lisu", unicode.Lisu}, {"Devanagari", unicode.Devanagari}, {"Thai", unicode.Thai},
}

// mixedWord returns a word of a name, between hyphens, with letters of two scripts.
func mixedWord(name string) (word, one, other string) {
	for word := range strings.SplitSeq(name, "-") {
		first := ""
		for _, r := range word {
			script := scriptOf(r)
			switch {
			case script == "" || script == first:
			case first == "":
				first = script
			default:
				return word, first, script
			}
		}
	}
	return "", "", ""
}

func scriptOf(r rune) string {
	if r < utf8.RuneSelf && unicode.IsLetter(r) {
		return "Latin"
	}
	for _, s := range nameScripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return ""
}
