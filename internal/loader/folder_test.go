package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// listed writes a list one entry a word: / is a folder, ~ one that is not
// listed, -> a link, ! one that leads out.
func listed(files []spec.File) string {
	var out []string
	for _, f := range files {
		text := f.Name
		if f.Mode.IsDir() {
			text += "/"
		}
		if f.Skipped {
			text += "~"
		}
		if f.Link != "" {
			text += "->" + f.Link
		}
		if f.Outside {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestFolderList(t *testing.T) {
	root := tree{
		"s/SKILL.md": skillText("s"), "s/b.md": "b", "s/a/x/y.md": "y", "s/a.md": "a", "s/.env": "E=1", "s/.hidden/x": "x", "s/.git/HEAD": "x",
		"s/node_modules/m/x.js": "x", "s/a/__pycache__/x.pyc": "x", "s/.venv/bin/x": "x", "s/empty/": "",
		"s/to-a": "-> a", "s/to-file": "-> a/x/y.md", "s/out": "-> ../other.md", "s/nowhere": "-> none", "s/self": "-> self", "s/up": "-> .", "s/a/loop": "-> ..",
		"other.md": "secret",
	}.in(t)
	ok(t, os.Symlink(filepath.Join(root, "s", "a.md"), filepath.Join(root, "s", "absolute")))
	ok(t, os.Chmod(filepath.Join(root, "s", "b.md"), 0o755))
	files := newFolder(filepath.Join(root, "s"), "SKILL.md", nil).List()
	want := ".env .git/~ .hidden/~ .venv/~ SKILL.md a/ a.md a/__pycache__/~ a/loop~->.. a/x/ a/x/y.md absolute->" + filepath.Join(root, "s", "a.md") + "! b.md " +
		"empty/ node_modules/~ nowhere->none! out->../other.md! self->self! to-a~->a to-file->a/x/y.md up~->."
	if got := listed(files); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	i := slices.IndexFunc(files, func(f spec.File) bool { return f.Name == "b.md" })
	if f := files[i]; f.Size != 1 || f.Mode != 0o755 {
		t.Errorf("got %+v, want 1 byte with mode 0755", f)
	}
}

func TestFolderRead(t *testing.T) {
	root := tree{"s/SKILL.md": skillText("s"), "s/a.md": "0123456789", "s/in": "-> a.md", "s/out": "-> ../x", "s/dir/": "", "s/empty": "", "x": "secret"}.in(t)
	dir := filepath.Join(root, "s")
	for _, listed := range []bool{false, true} {
		files := newFolder(dir, "SKILL.md", []byte("as read before"))
		if listed {
			files.List()
		}
		for _, tt := range []struct {
			name  string
			limit int64
			want  string
		}{
			{"a.md", 4, "0123"}, {"a.md", 2, "01"}, {"a.md", 7, "0123456"}, {"a.md", 10, "0123456789"}, {"a.md", 99, "0123456789"}, {"./a.md", 3, "012"},
			{"in", 3, "012"}, {"empty", 9, ""}, {"SKILL.md", 99, "as read before"}, {"a.md", 0, ""},
		} {
			if got, err := files.Read(tt.name, tt.limit); err != nil || string(got) != tt.want {
				t.Errorf("Read(%q, %d) = %q, %v, want %q", tt.name, tt.limit, got, err, tt.want)
			}
		}
		for _, name := range []string{"none", "dir", "out", "../x", filepath.Join(root, "x"), "", ".", "a.md/x", "a\x00b"} {
			got, err := files.Read(name, 9)
			if err == nil {
				t.Errorf("Read(%q) = %q, want an error", name, got)
			}
			if _, again := files.Read(name, 9); again == nil || err != nil && again.Error() != err.Error() {
				t.Errorf("Read(%q) again: got %v, want %v", name, again, err)
			}
		}
	}
}

// TestFolderReadsOnce checks that a file is read once, even if it changes afterwards.
func TestFolderReadsOnce(t *testing.T) {
	dir := tree{"a.md": "first", "b.md": "b"}.in(t)
	files := newFolder(dir, "", nil)
	read := func() string {
		text, err := files.Read("a.md", 99)
		ok(t, err)
		return string(text)
	}
	read()
	files.List()
	tree{"a.md": "second", "c.md": "c"}.write(t, dir)
	if got := read(); got != "first" {
		t.Errorf("got %q, want what was read first", got)
	}
	if got := listed(files.List()); got != "a.md b.md" {
		t.Errorf("got %s, want what was listed first", got)
	}
}

func TestFolderMissing(t *testing.T) {
	files := newFolder(filepath.Join(t.TempDir(), "none"), "", nil)
	if got := files.List(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if _, err := files.Read("x", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

func TestFolderBudget(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.bin", i)))
		ok(t, err)
		ok(t, f.Truncate(1<<30)) // sparse
		ok(t, f.Close())
	}
	files := newFolder(dir, "", nil)
	var sizes []int
	for i := range 5 {
		text, err := files.Read(fmt.Sprintf("%d.bin", i), 5<<20)
		if i == 4 {
			if !errors.Is(err, spec.ErrReadLimit) {
				t.Errorf("got %d bytes and %v, want ErrReadLimit", len(text), err)
			}
			continue
		}
		ok(t, err)
		sizes = append(sizes, len(text)>>20)
	}
	if !slices.Equal(sizes, []int{5, 5, 5, 1}) {
		t.Errorf("got %v MiB, want 5, 5, 5 and 1", sizes)
	}
	// What was read is still there.
	if text, err := files.Read("3.bin", 8<<20); err != nil || len(text) != 1<<20 {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
}

func TestFolderIsBounded(t *testing.T) {
	root := tree{"deep/" + strings.Repeat("d/", 40) + "x": "x", "wide/z.md": "z", "wide/a/x": "x"}.in(t)
	files := newFolder(filepath.Join(root, "deep"), "", nil).List()
	if n := len(files); n != maxFolderDepth+1 || !files[n-1].Skipped || files[n-2].Skipped {
		t.Errorf("got %d entries, %s", n, listed(files))
	}
	for i := range 30 {
		tree{fmt.Sprintf("wide/a/%02d", i): ""}.write(t, root)
	}
	narrow := folderWalk{depth: maxFolderDepth, entries: 20}
	first, unlisted := listFolder(filepath.Join(root, "wide"), narrow)
	if len(first) != 20 || first[0].Name != "a" || !first[0].Skipped || first[len(first)-1].Name != "z.md" {
		t.Errorf("got %d entries, %s, want the upper levels first", len(first), listed(first))
	}
	if len(unlisted) != 1 || !strings.Contains(unlisted[0].Reason, "more than 20 files and folders: the rest, from \"a/18\" on") {
		t.Errorf("unlisted: got %v", unlisted)
	}
	if again, _ := listFolder(filepath.Join(root, "wide"), narrow); listed(again) != listed(first) {
		t.Error("second run differs")
	}
}

// TestFolderIsLazy checks that the rules of the specification alone read nothing but
// the SKILL.md.
func TestFolderIsLazy(t *testing.T) {
	root := tree{"s/SKILL.md": skillText("s") + "\nRun `scripts/x.py a`.\n", "s/scripts/x.py": "print(1)\n", "s/sub/SKILL.md": skillText("sub")}.in(t)
	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	doc := OpenDocument(found[0])
	same(t, "nested", doc.Nested(), []string{"sub/SKILL.md"})
	off := map[string]spec.Level{}
	for _, r := range rules.All() {
		if r.Level != spec.Error {
			off[r.ID] = spec.Off
		}
	}
	files, lists := doc.Files.(*skillFolder), 0
	list := files.list
	files.list = func() ([]spec.File, []spec.Unlisted) { lists++; return list() }
	rules.Check(doc, spec.Options{Levels: off})
	if lists > 0 || len(files.read) > 0 {
		t.Errorf("rules of the specification read the folder: listed %d times, %d files read", lists, len(files.read))
	}
	rules.Check(doc, spec.Options{})
	if lists == 0 || files.read["scripts/x.py"] == nil {
		t.Errorf("all rules: listed %d times, read %v", lists, files.read)
	}
}

// TestAbove checks what is known of paths outside a skill's folder: those in its
// repository, or, outside of one, in the two folders above it.
func TestAbove(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"repo/.git/x", "repo/tools/x.sh", "repo/skills/a/SKILL.md", "repo/skills/b/SKILL.md", "alone/skills/a/SKILL.md", "alone/skills/b/SKILL.md", "alone/x.md"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type answer struct{ there, known bool }
	yes, no, unknown := answer{true, true}, answer{false, true}, answer{}
	for skill, places := range map[string]map[string]answer{
		"repo/skills/a": {
			"../b/SKILL.md": yes, "../b": yes, "../c/SKILL.md": no, "../b/SKILL.md/x": no, "../../tools/x.sh": yes, "../../tools/y.sh": no,
			"../../../alone": unknown, "../../../../x": unknown, "../b\x00": unknown,
		},
		"alone/skills/a": {"../b/SKILL.md": yes, "../c": no, "../../x.md": yes, "../../../repo/tools/x.sh": unknown},
	} {
		files := newFolder(filepath.Join(root, filepath.FromSlash(skill)), "SKILL.md", nil)
		for place, want := range places {
			for range 2 { // the second time from memory
				there, known := files.Above(place)
				if got := (answer{there, known}); got != want {
					t.Errorf("%s from %s: got %v, want %v", place, skill, got, want)
				}
			}
		}
		for i := range maxNeighbours + 1 {
			files.Above(fmt.Sprintf("../none%d", i))
		}
		if there, known := files.Above("../b/other"); there || known {
			t.Errorf("after %d paths another one is looked up", maxNeighbours)
		}
	}
	if _, known := newFolder(filepath.Join(root, "none"), "", nil).Above("../alone"); known {
		t.Error("something is known of a missing folder")
	}
}

// TestLinkBetweenSkills checks that a link to a neighbouring skill is reported as
// advice.
func TestLinkBetweenSkills(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: " + name + "\ndescription: Does a thing. Use when testing.\n---\n\nAs in [the other](../b/SKILL.md).\n"
		if err := os.WriteFile(filepath.Join(root, name, "SKILL.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(root, "a")
	found := rules.Check(OpenDocument(Found{Dir: dir, Real: dir, File: "SKILL.md"}), spec.Options{})
	if len(found) != 1 || found[0].Rule != "link-escape" || found[0].Level != spec.Info {
		t.Errorf("got %v", found)
	}
}
