//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Links to folders are followed once, whatever they lead to, and links that
// lead to each other end.
func TestHostileLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := hostileSkill(t, filepath.Join(root, "tree", "good"))
	for path, target := range map[string]string{
		"tree/up": "..", "tree/self": ".", "tree/a": "b", "tree/b": "a", "tree/again": "good", "tree/x/y/top": "../../..",
		"tree/good/up": "..", "tree/good/self": ".", "tree/good/references/a": "b", "tree/good/references/b": "a",
		"one": "two", "two": "one", "away": "tree",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.Symlink(target, path))
	}
	for i := range 8 { // each in each of them: a quarter of a million ways
		must(t, os.Symlink(".", filepath.Join(root, "tree", "self"+strconv.Itoa(i))))
	}
	for _, path := range []string{".", "tree", "away", "tree/up", "tree/self/self/self", "tree/x/y/top"} {
		r := skillsIn(t, root, "validate", path)
		r.wants(t, exitFine, `references/a" leads to "b"`, `references/b" leads to "a"`, "good/up: warning: ", "Valid skill: ")
		if n := strings.Count(r.out, "Valid skill: "); n != 1 || r.errors != "" {
			t.Errorf("%s: %d skills, want one and nothing else:\n%s%s", path, n, r.out, r.errors)
		}
		skillsIn(t, root, "list", path).wants(t, exitFine, "3 warnings")
		skillsIn(t, root, "to-prompt", path).wants(t, exitFine, "<name>\ngood\n</name>")
	}
	for _, command := range []string{"validate", "list", "to-prompt", "read-properties"} {
		skillsIn(t, root, command, "one").wants(t, exitUsage, "error: one: cannot be read: too many levels of symbolic links", "hint: repair the links")
	}
	skillsIn(t, root, "read-properties", filepath.Join(dir, "self", "self")).wants(t, exitFine, `"name": "good"`)
}

// Of a deep tree the upper folders are searched, and that is said; so it is of
// a deep skill.
func TestHostileDepth(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	deepen(t, filepath.Join(root, "deep"))
	skill := hostileSkill(t, filepath.Join(root, "skill"))
	deepen(t, filepath.Join(skill, "deep"))

	const notice = "warning: deep: no skill in 6 levels of folders below it; those further down were not searched"
	skillsIn(t, root, "validate", "deep").wants(t, exitProblems, "Missing required file: SKILL.md", notice, "  hint: name a folder nearer to the skills")
	skillsIn(t, root, "list", "deep").wants(t, exitFine, notice)
	skillsIn(t, root, "to-prompt", "deep").wants(t, exitProblems, notice, "SKILL.md not found in deep")
	skillsIn(t, root, "read-properties", "deep").wants(t, exitProblems, "SKILL.md not found in deep")
	skillsIn(t, root, "validate", "skill").wants(t, exitFine, "skill/deep/d/d", "is more than 12 folders deep", "[unread-file]", "Valid skill: skill")
	skillsIn(t, root, "validate").wants(t, exitFine, "Valid skill: skill")
}

// deepen makes a chain of folders that is longer than any path may be.
func deepen(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	at, err := os.OpenRoot(dir)
	must(t, err)
	for range 2100 {
		must(t, at.Mkdir("d", 0o755))
		next, err := at.OpenRoot("d")
		must(t, err)
		must(t, at.Close())
		at = next
	}
	must(t, at.Close())
}
