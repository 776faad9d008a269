package rules

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"skills/internal/spec"
)

var nameDirectory = &spec.Rule{
	ID:     "name-directory",
	Title:  "name is the name of the skill's folder",
	Level:  spec.Error,
	Source: `specification, "name field"`,
	Fix:    "writes the name of the folder, where that is valid and differs in case, hyphens, underscores or blanks only",
	Check: func(p *spec.Pass) {
		name, span, ok := comparedName(p)
		if !ok || p.Doc.Dir == "" || matchesAny(name, p.Doc.Dir, p.Doc.LinkTarget) {
			return
		}
		p.ReportFix(span, folderFix(p), directoryHelp(p, name, p.Doc.Dir),
			"Directory name '%s' must match skill name '%s'", show(p.Doc.Dir), show(name))
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
