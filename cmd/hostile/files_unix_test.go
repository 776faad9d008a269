//go:build unix

package hostile

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// hostileEntries are things to find in the place of a file.
var hostileEntries = []struct {
	name    string
	make    func(t *testing.T, path string)
	message string // about a SKILL.md
}{
	{"pipe", fifo, "is a pipe, not a file"},
	{"socket", socket, "is a socket, not a file"},
	{"folder", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) }, "is a folder, not a file"},
	{"large", sparse, "is 1.0 GiB, the limit is 8 MiB"},
	{"device-link", func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) }, "is a link that leaves the skill's folder (to /dev/zero)"},
	{"pipe-link", func(t *testing.T, path string) {
		fifo(t, filepath.Join(filepath.Dir(path), "pipe"))
		must(t, os.Symlink("pipe", path))
	}, "is a pipe, not a file"},
	{"circle", func(t *testing.T, path string) { must(t, os.Symlink(filepath.Base(path), path)) }, "too many levels of symbolic links"},
	{"dangling", func(t *testing.T, path string) { must(t, os.Symlink("nothing", path)) }, "is a link to nothing, which does not exist"},
}

func fifo(t *testing.T, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o644))
}

// socket creates a socket with a short path, because the system limits it to a hundred
// bytes.
func socket(t *testing.T, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	must(t, err)
	defer os.RemoveAll(dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
	must(t, os.Rename(filepath.Join(dir, "s"), path))
}

// TestHostileSkillFile checks that every command reports a SKILL.md that is not a
// regular file, with the cause and a hint.
func TestHostileSkillFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, e := range hostileEntries {
		dir := filepath.Join(root, e.name)
		must(t, os.Mkdir(dir, 0o755))
		e.make(t, filepath.Join(dir, "SKILL.md"))
		place := e.name + "/SKILL.md"
		for _, path := range []string{e.name, place} {
			if e.name == "circle" && path == place || e.name == "dangling" && path == place {
				skillsIn(t, root, "validate", path).wants(t, exitUsage, "error: "+place, "hint: ")
				continue
			}
			skillsIn(t, root, "validate", path).wants(t, exitProblems, place+": error: ", e.message, "  help: ", "1 skill: 1 error")
			skillsIn(t, root, "to-prompt", path).wants(t, exitProblems, "error: "+place+": ", e.message, "hint: ")
		}
		skillsIn(t, root, "read-properties", e.name).wants(t, exitProblems, "error: "+place+": ", e.message, "hint: ")
		skillsIn(t, root, "list", e.name).wants(t, exitFine, "("+e.name+")", "1 error")
	}
	whole := skillsIn(t, root, "validate")
	whole.wants(t, exitProblems, "8 skills: 8 errors, 0 warnings")
	for _, e := range hostileEntries {
		whole.wants(t, exitProblems, e.name+"/SKILL.md: error: ")
	}
	skillsIn(t, root, "to-prompt", "--keep-going", ".", hostileSkill(t, filepath.Join(root, "good"))).
		wants(t, exitProblems, "\ngood\n", "error: circle/SKILL.md: ")
}

// TestHostileFiles checks that a folder or a pipe in place of another file of the skill
// is reported and affects nothing else.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	messages := map[string]string{
		"pipe": "is a pipe, not a file [unread-file]", "pipe-link": "is a pipe, not a file [unread-file]",
		"socket": "is a socket, not a file [unread-file]", "large": "is 1.0 GiB, of which only the first MiB was checked [unread-file]",
		"device-link": `leads to "/dev/zero", which is outside the skill's folder or does not exist [link-escape]`,
		"circle":      "outside the skill's folder or does not exist [link-escape]",
		"dangling":    `leads to "nothing", which is outside the skill's folder or does not exist [link-escape]`,
		"folder":      "",
	}
	for _, name := range []string{"scripts/x.py", "references/a.md", "LICENSE.txt", "evals/evals.json"} {
		root := t.TempDir()
		for _, e := range hostileEntries {
			dir := hostileSkill(t, filepath.Join(root, e.name))
			path := filepath.Join(dir, filepath.FromSlash(name))
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			e.make(t, path)
			if e.name == "large" && name == "evals/evals.json" {
				continue // data may be long
			}
			r := skillsIn(t, root, "validate", e.name)
			r.wants(t, exitFine, messages[e.name], "Valid skill: "+e.name)
			if messages[e.name] != "" && !strings.Contains(r.out, "  help: ") {
				t.Errorf("%s as %s: no help in\n%s", name, e.name, r.out)
			}
		}
		skillsIn(t, root, "validate").wants(t, exitFine, "8 skills: 0 errors, ")
		skillsIn(t, root, "list").wants(t, exitFine)
		skillsIn(t, root, "to-prompt", ".").wants(t, exitFine, "\npipe\n")
		skillsIn(t, root, "validate", "pipe/"+name).wants(t, exitFine, "Valid skill: pipe")
	}
}

// TestHostileLinks checks that links to folders are followed once, wherever they lead,
// and that loops end.
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
		r.wants(t, exitFine, `references/a" leads to "b"`, "good/references/b, ", "good/up\n", "Valid skill: ")
		if n := strings.Count(r.out, "Valid skill: "); n != 1 || r.errors != "" {
			t.Errorf("%s: %d skills, want one and nothing else:\n%s%s", path, n, r.out, r.errors)
		}
		skillsIn(t, root, "list", path).wants(t, exitFine, "1 warning")
		skillsIn(t, root, "to-prompt", path).wants(t, exitFine, "<name>\ngood\n</name>")
	}
	for _, command := range []string{"validate", "list", "to-prompt", "read-properties"} {
		skillsIn(t, root, command, "one").wants(t, exitUsage, "error: one: cannot be read: too many levels of symbolic links", "hint: repair the links")
	}
	skillsIn(t, root, "read-properties", filepath.Join(dir, "self", "self")).wants(t, exitFine, `"name": "good"`)
}

// TestHostileDepth checks that a tree or a skill that is too deep is searched down to the
// limit, and that the limit is reported.
func TestHostileDepth(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	deepen(t, filepath.Join(root, "deep"))
	skill := hostileSkill(t, filepath.Join(root, "skill"))
	deepen(t, filepath.Join(skill, "deep"))

	const notice = "warning: no skills found in deep (searched 6 levels deep)"
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
