package loader

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxLook is the size in bytes up to which a look at a SKILL.md is worth it.
const maxLook = 256 << 10

// lookForScript looks through a skill's folder until it meets a script. Names
// are all it goes by, so it is not sure where a name tells too little: links,
// files below scripts/ that only their first line makes scripts, folders that
// cannot be read or that hold more than a few files. top is what the folder
// itself held when it was listed a moment ago, nil where it was not.
func lookForScript(dir string, top []fs.DirEntry, kinds Kinds, accept func(name string) bool) (has, sure bool) {
	const most = 500
	sure = true
	seen := 0
	level := []string{"."}
	for depth := 0; depth <= listDepth; depth++ {
		var next []string
		for _, folder := range level {
			entries, err := top, error(nil)
			if depth > 0 || top == nil {
				entries, err = readDir(filepath.Join(dir, filepath.FromSlash(folder)))
			}
			seen += len(entries)
			if err != nil || seen > most {
				return false, false
			}
			for _, e := range entries {
				name := path.Join(folder, e.Name())
				switch {
				case isSkillFileName(e.Name()) || neverListed(e.Name()):
				case e.IsDir():
					next = append(next, name)
				case !e.Type().IsRegular():
					sure = false
				case hasExtension(name, kinds.ScriptExtensions):
					if accept(name) {
						return true, true
					}
				case strings.HasPrefix(name, "scripts/") && len(kinds.ScriptExtensions) > 0:
					sure = false
				}
			}
		}
		level = next
	}
	return false, sure
}

// neverListed reports entries of a skill's folder that are not the skill's.
func neverListed(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "__pycache__"}, name)
}
