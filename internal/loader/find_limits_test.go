package loader

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestFindStopsAtFolders(t *testing.T) {
	tr := tree{}
	for i := range 40 {
		tr[fmt.Sprintf("d%02d/x/SKILL.md", i)] = ""
	}
	root := tr.in(t)
	w, err := Search{}.start(root)
	ok(t, err)
	w.folders = 51
	ok(t, w.run(t.Context()))
	n, found := notes{w.notices}, w.found
	if len(found) != 10 || filepath.Base(filepath.Dir(found[9].Dir)) != "d09" {
		t.Errorf("got %d skills, want the first 10", len(found))
	}
	if len(n.all) != 1 || !strings.Contains(n.all[0].Message, "51 folders") || n.all[0].Hint == "" {
		t.Errorf("notices: got %q, want one that names the limit", n.text())
	}
}

// TestFindInFolderWithTooManyEntries checks that a folder with too many entries is
// searched as far as it was read.
func TestFindInFolderWithTooManyEntries(t *testing.T) {
	root := tree{"a/SKILL.md": "", "b/c/SKILL.md": "", "b/d/SKILL.md": ""}.in(t)
	cut := func(dir string) ([]fs.DirEntry, fileStamp, error) {
		entries, stamp, err := readDir(dir)
		if filepath.Base(dir) == "b" {
			return entries[:1], stamp, errEntries
		}
		return entries, stamp, err
	}
	var n notes
	found, err := Search{readDir: cut, Notify: n.add}.Find(t.Context(), root)
	ok(t, err)
	same(t, "skills", relative(t, root, found), []string{"a", "b/c"})
	if len(n.all) != 1 || n.all[0].Hint == "" || !strings.Contains(n.all[0].Message, "100,000 entries") {
		t.Errorf("notices: got %q, want one that says what to do", n.text())
	}
}

// TestFindIsDeterministic checks that the result does not depend on the order of folders
// on disk or on the workers.
func TestFindIsDeterministic(t *testing.T) {
	var want []string
	for run := range 5 {
		dir := t.TempDir()
		names := make([]int, 60)
		for i := range names {
			names[i] = (i*37 + run*13) % 60
		}
		for _, i := range names {
			tree{fmt.Sprintf("g%d/s%02d/SKILL.md", i%4, i): ""}.write(t, dir)
		}
		tree{"l1": "-> g1", "l2": "-> .ext", ".ext/q/SKILL.md": "", "g2/back": "-> .."}.write(t, dir)
		found, err := Search{Exclude: []string{"/.ext"}}.Find(t.Context(), dir)
		ok(t, err)
		got := relative(t, dir, found)
		if run == 0 {
			want = got
		}
		same(t, fmt.Sprintf("run %d", run), got, want)
	}
	if len(want) != 61 || !slices.Contains(want, "l2/q") {
		t.Errorf("got %d skills, want 61 with l2/q", len(want))
	}
}

func TestFindReadsFoldersOnce(t *testing.T) {
	root := tree{
		"a/SKILL.md": "", "a/refs/in/": "", "b/c/SKILL.md": "", "b/d/": "", "l1": "-> b", "l2": "-> b/d", "b/up": "-> ..", "a/link": "-> ../b",
	}.in(t)
	var mu sync.Mutex
	times := map[string]int{}
	search := Search{readDir: func(dir string) ([]fs.DirEntry, fileStamp, error) {
		real, err := resolve(dir)
		ok(t, err)
		mu.Lock()
		defer mu.Unlock()
		times[real]++
		return readDir(dir)
	}}
	found, err := search.Find(t.Context(), root)
	ok(t, err)
	if n := times[filepath.Join(root, "a/refs")]; n != 0 {
		t.Errorf("a folder of a skill was read %d times before it was needed", n)
	}
	for range 2 {
		for _, f := range found {
			if f.nested != nil {
				f.nested()
			}
		}
	}
	for dir, want := range map[string]int{"": 1, "a": 2, "a/refs": 1, "a/refs/in": 1, "b": 1, "b/c": 1, "b/d": 1} { // a skill with folders again, for skills inside it
		if n := times[filepath.Join(root, dir)]; n != want {
			t.Errorf("%q: read %d times, want %d", dir, n, want)
		}
	}
	if len(times) != 7 {
		t.Errorf("read %d folders, want 7", len(times))
	}
}
