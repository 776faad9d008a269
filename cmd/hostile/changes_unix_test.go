//go:build unix

package hostile

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestHostileSettings checks that configuration files are read only if they are regular
// files of a reasonable size, and that invalid ones stop the run before it begins.
func TestHostileSettings(t *testing.T) {
	t.Parallel()
	messages := map[string]string{"large": "is larger than ", "circle": "cannot be read: too many levels of symbolic links", "dangling": "does not exist"}
	for _, e := range hostileEntries {
		t.Run(e.name, func(t *testing.T) {
			message := cmp.Or(messages[e.name], "is not a regular file")
			root := t.TempDir()
			must(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
			hostileSkill(t, filepath.Join(root, "good"))
			e.make(t, filepath.Join(root, "odd"))
			for _, flag := range []string{"--config", "--baseline"} {
				skillsIn(t, root, "validate", flag, "odd", "good").wants(t, exitUsage, "error: ", "/odd: "+message, "hint: ")
			}
			skillsIn(t, root, "validate", "--no-config", "good").wants(t, exitFine, "Valid skill: good")

			// A file that is found, not named: a broken link is refused as well.
			found := t.TempDir()
			must(t, os.Mkdir(filepath.Join(found, ".git"), 0o755))
			hostileSkill(t, filepath.Join(found, "good"))
			e.make(t, filepath.Join(found, ".skills.yaml"))
			switch e.name {
			case "device-link", "circle", "dangling":
				message = "is a broken link, or a link out of the repository"
			}
			skillsIn(t, found, "validate", "good").wants(t, exitUsage, "error: ", "/.skills.yaml: "+message, "hint: ")
		})
	}
}

// TestHostileIgnoreFiles checks that an invalid ignore file is skipped with a warning:
// the search then covers more files, never fewer.
func TestHostileIgnoreFiles(t *testing.T) {
	for _, e := range hostileEntries {
		t.Run(e.name, func(t *testing.T) {
			root := t.TempDir()
			hostileSkill(t, filepath.Join(root, "good"))
			must(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
			e.make(t, filepath.Join(root, ".gitignore"))
			skillsIn(t, root, "validate").wants(t, exitFine, "Valid skill: good", "warning: .gitignore: cannot be used: it is ", "  hint: ")
			skillsIn(t, root, "list", ".").wants(t, exitFine, "good", "warning: .gitignore: cannot be used: it is ")
			skillsIn(t, root, "validate", "good").wants(t, exitFine, "Valid skill: good")
		})
	}
}

// TestHostileRepository checks that the search continues if Git's own files are
// damaged.
func TestHostileRepository(t *testing.T) {
	for _, name := range []string{".git", ".git/info/exclude", ".git/commondir"} {
		for _, e := range hostileEntries {
			root := t.TempDir()
			hostileSkill(t, filepath.Join(root, "good"))
			path := filepath.Join(root, filepath.FromSlash(name))
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			e.make(t, path)
			r := skillsIn(t, root, "validate")
			r.wants(t, exitFine, "Valid skill: good")
			if strings.Contains(r.out+r.errors, "warning") {
				t.Errorf("%s as %s:\n%s%s", name, e.name, r.out, r.errors)
			}
		}
	}
}

// TestHostileSwaps replaces and removes files while they are read. The skill is lost, but
// never the run.
func TestHostileSwaps(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	places := hostilePlaces(t, root)
	hostileSkill(t, filepath.Join(root, "swapped", "still"))
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				places[n%len(places)].swap(t, n/len(places))
			}
		}
	})
	defer swapper.Wait()
	defer close(stop)
	for range 10 {
		for _, command := range []string{"validate", "list", "to-prompt"} {
			r := skillsIn(t, root, command, "swapped")
			if r.code != exitFine && r.code != exitProblems {
				t.Errorf("%s: exit code %d:\n%s%s", command, r.code, r.out, r.errors)
			}
			harmless(t, r, r.code)
		}
		skillsIn(t, root, "list", "swapped").wants(t, exitFine, "\nstill ")
	}
}

// hostilePlace is where a file is, and other things that take its place.
type hostilePlace struct {
	path   string
	others []string
}

// hostilePlaces creates skills and, for each of their files, replacements that can be
// renamed into its place.
func hostilePlaces(t *testing.T, root string) []hostilePlace {
	t.Helper()
	var places []hostilePlace
	for i := range 4 {
		dir := hostileSkill(t, filepath.Join(root, "swapped", strconv.Itoa(i)))
		for _, name := range []string{"SKILL.md", "references/a.md", "scripts/x.py"} {
			p := hostilePlace{path: filepath.Join(dir, filepath.FromSlash(name))}
			for _, e := range hostileEntries {
				other := filepath.Join(root, "others", strconv.Itoa(len(places)), "as-"+e.name)
				must(t, os.MkdirAll(filepath.Dir(other), 0o755))
				e.make(t, other)
				p.others = append(p.others, other)
			}
			places = append(places, p)
		}
	}
	return places
}

// swap puts the next thing into the place, and the file back again.
func (p hostilePlace) swap(t *testing.T, n int) {
	other := p.others[n%len(p.others)]
	for _, step := range [][2]string{{p.path, other + "~"}, {other, p.path}, {p.path, other}, {other + "~", p.path}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			t.Error(err)
		}
	}
}
