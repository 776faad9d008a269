package spec

import (
	"path"
	"strings"
)

// treeEntry is a line of a drawn tree of files, and what it names.
var treeEntry = newPattern("^[ \\t\u2502|]*(?:\u251c\u2500+|\u2514\u2500+|[|`+]-+) *([^ \\t]+)")

// ofExample reports a file that a block of code draws in the tree of another
// skill, in a folder with a SKILL.md and another name: the text speaks of that
// one.
func ofExample(in *page, name string) bool {
	for _, c := range in.Code {
		if !c.Block {
			continue
		}
		root, skill, drawn := "", false, false
		for line := range strings.Lines(c.Text) {
			line = strings.TrimRight(line, "\r\n")
			if at := treeEntry().FindStringSubmatch(line); at != nil {
				skill = skill || at[1] == FileName
				drawn = drawn || at[1] == path.Base(name)
			} else if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasSuffix(word, "/") {
				root = path.Base(word)
			}
		}
		if skill && drawn && root != "" && root != "." && root != in.doc.Dir {
			return true
		}
	}
	return false
}
