//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Files that vanish, or turn into something else, while they are looked at
// cost their skill, never the run.
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

// hostilePlaces makes skills, and for each of their files what is to take its
// place: swapping is renaming then, and waits for nothing itself.
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
