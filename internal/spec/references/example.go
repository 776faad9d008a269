package references

import (
	"path"
	"strings"

	"skills/internal/lazyregexp"
)

// skillFile is the name of the file that defines a skill.
const skillFile = "SKILL.md"

// treeEntry matches a line of a file tree, with the file's name in group 1.
var treeEntry = lazyregexp.New("^[ \\t\u2502|]*(?:\u251c\u2500+|\u2514\u2500+|[|`+]-+) *([^ \\t]+)")

// InExample reports whether a code block shows a file in the tree of another
// skill: in a folder with a SKILL.md that is not named dir.
func (p *Page) InExample(name, dir string) bool {
	for _, c := range p.Code {
		if !c.Block {
			continue
		}
		root, skill, drawn := "", false, false
		for line := range strings.Lines(c.Text) {
			line = strings.TrimRight(line, "\r\n")
			if at := treeEntry().FindStringSubmatch(line); at != nil {
				skill = skill || at[1] == skillFile
				drawn = drawn || at[1] == path.Base(name)
			} else if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasSuffix(word, "/") {
				root = path.Base(word)
			}
		}
		if skill && drawn && root != "" && root != "." && root != dir {
			return true
		}
	}
	return false
}
