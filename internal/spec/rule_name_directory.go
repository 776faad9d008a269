package spec

import "fmt"

var nameDirectory = &Rule{
	ID:     "name-directory",
	Title:  "name is the name of the skill's folder",
	Level:  Error,
	Source: `specification, "name field"`,
	Check: func(p *Pass) {
		name, span, ok := p.name()
		if !ok || p.Doc.Dir == "" || matchesAny(name, p.Doc.Dir, p.Doc.LinkTarget) {
			return
		}
		p.Report(span, fmt.Sprintf("rename the folder to %s, or write name: %s", show(name), show(p.Doc.Dir)),
			"Directory name '%s' must match skill name '%s'", show(p.Doc.Dir), show(name))
	},
}

// matchesAny reports whether one of the folder's names is the skill's.
func matchesAny(name string, dirs ...string) bool {
	for _, dir := range dirs {
		if dir != "" && normalName(dir) == name {
			return true
		}
	}
	return false
}
