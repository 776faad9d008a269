package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A skill of 100,000 files is checked as far as is reasonable, and said to be
// too large.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := hostileSkill(t, filepath.Join(root, "many"))
	file := ""
	for i := range 100_000 {
		name := filepath.Join(dir, fmt.Sprintf("f%d.md", i))
		if i%1000 > 0 { // a second name costs a disk less than a second file
			must(t, os.Link(file, name))
			continue
		}
		file = name
		makeFile(t, file, "")
	}
	r := skillsIn(t, root, "validate", "many")
	r.wants(t, exitFine, "warning: many: folder holds more than 100,000 entries, the rest was not read", "  hint: ",
		"many/SKILL.md: warning: the skill's folder holds more than 10000 files and folders: the rest, from ", "[unread-file]", "Valid skill: many")
	r.stays(t)
	r = skillsIn(t, root, "list", "many")
	r.wants(t, exitFine, "many", "warning: many: folder holds more than 100,000 entries")
	r.stays(t)
	skillsIn(t, root, "to-prompt", "many").wants(t, exitFine, "\nmany\n", "warning: many: folder holds more than 100,000 entries")
	skillsIn(t, root, "read-properties", "many").wants(t, exitFine, `"name": "many"`)

	// The same files without their skill.
	must(t, os.Remove(filepath.Join(dir, "SKILL.md")))
	skillsIn(t, root, "validate", "many").wants(t, exitProblems, "many: error: Missing required file: SKILL.md", "warning: many: folder holds more than 100,000 entries")
	skillsIn(t, root, "validate", "many/f7.md").wants(t, exitUsage, "error: many/f7.md", "hint: ")
}
