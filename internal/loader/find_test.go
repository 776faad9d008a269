package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"skills/internal/fault"
)

func TestFind(t *testing.T) {
	s := skillText("x")
	tests := []struct {
		name   string
		tree   tree
		search Search
		want   []string
	}{
		{"empty folder", tree{"a/": ""}, Search{}, nil},
		{"skills in folders", tree{"b/SKILL.md": s, "a/SKILL.md": s}, Search{}, []string{"a", "b"}},
		{"the root is a skill", tree{"SKILL.md": s, "a/SKILL.md": s}, Search{}, []string{"."}},
		{"six levels", tree{"1/2/3/4/5/6/SKILL.md": s, "1/2/3/4/5/y/7/SKILL.md": s}, Search{}, []string{"1/2/3/4/5/6"}},
		{"depth 1", tree{"a/SKILL.md": s, "b/c/SKILL.md": s}, Search{Depth: 1}, []string{"a"}},
		{"a skill in a skill", tree{"a/SKILL.md": s, "a/sub/SKILL.md": s}, Search{}, []string{"a"}},
		{"byte order of paths", tree{"a/b/SKILL.md": s, "a-b/SKILL.md": s, "a.b/SKILL.md": s, "B/SKILL.md": s}, Search{}, []string{"B", "a-b", "a.b", "a/b"}},
		{"hidden folders", tree{".claude/skills/a/SKILL.md": s, ".agents/skills/b/SKILL.md": s}, Search{}, []string{".agents/skills/b", ".claude/skills/a"}},
		{"never searched", tree{"node_modules/a/SKILL.md": s, "x/node_modules/SKILL.md": s, "y/.git/SKILL.md": s}, Search{}, nil},
		{"a link to a skill elsewhere", tree{"in/link": "-> ../out", "out/SKILL.md": s}, Search{}, []string{"out"}},
		{"a link and its target", tree{"a": "-> z", "z/SKILL.md": s}, Search{}, []string{"z"}},
		{"two links to one folder", tree{"b": "-> .hid/x", "a": "-> .hid/x", ".hid/x/node_modules/": "", ".hid/x/y/SKILL.md": s}, Search{Exclude: []string{".hid"}}, []string{"a/y"}},
		{"a link to the folder above", tree{"a/loop": "-> ..", "a/self": "-> self", "a/dot": "-> .", "a/b/SKILL.md": s}, Search{}, []string{"a/b"}},
		{"links that cross", tree{"a/to": "-> ../b", "b/to": "-> ../a", "b/s/SKILL.md": s}, Search{}, []string{"b/s"}},
		{"a link that leads nowhere, one to a file", tree{"a": "-> nothing", "b": "-> f", "f": "", "c/SKILL.md": s}, Search{}, []string{"c"}},
		{"a link reaches what is too deep otherwise", tree{"1/2/3/4/SKILL.md": s, "z": "-> 1/2/3"}, Search{Depth: 2}, []string{"z/4"}},
		{"lower case", tree{"a/skill.md": s, "b/Skill.MD": s, "c/skill.md": "---\ndescription: x\n---\n"}, Search{}, []string{"a", "b", "c"}},
		{"a page called skill.md", tree{"skill.md": "docs", "a/SKILL.md": s, "b/skill.md": "---\ntitle: x\n---\nname: y\n"}, Search{}, []string{"a"}},
		{"skills and samples in a skill", tree{"SKILL.md": s, "a/SKILL.md": s, "a/b/SKILL.md": s, "a/templates/b/SKILL.md": s, "evals/x/SKILL.md": s}, Search{Nested: true}, []string{".", "a", "a/b"}},
		{"samples below a page", tree{"SKILL.md": "# Index", "examples/a/SKILL.md": s}, Search{Nested: true}, []string{".", "examples/a"}},
		{"a folder called skill.md", tree{"a/skill.md/x": s}, Search{}, nil},
		{"a folder called SKILL.md", tree{"a/SKILL.md/x": s}, Search{}, []string{"a"}},
		{"a link called SKILL.md", tree{"a/SKILL.md": "-> nothing"}, Search{}, []string{"a"}},
		{"strange names", tree{"new\nline/SKILL.md": s, "bad\xffutf/SKILL.md": s, "技能/SKILL.md": s}, Search{}, []string{"bad\xffutf", "new\nline", "技能"}},
		{"excluded", tree{"a/SKILL.md": s, "old/b/SKILL.md": s, "c/old/SKILL.md": s}, Search{Exclude: []string{"/old/"}}, []string{"a", "c/old"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS != "linux" && tt.name == "strange names" {
				return // not every disk takes such names
			}
			root := tt.tree.in(t)
			var n notes
			tt.search.Notify = n.add
			found, err := tt.search.Find(t.Context(), root)
			ok(t, err)
			same(t, "skills", relative(t, root, found), append([]string{}, tt.want...))
			deep := tt.name == "six levels" || tt.name == "depth 1"
			if len(n.all) > 0 && !deep {
				t.Errorf("notices: got %s want none", n.text())
			}
		})
	}
}

// TestFindDeep checks that skills below the last level are counted, without what is
// ignored, excluded, inside a skill or found by a link.
func TestFindDeep(t *testing.T) {
	s := "---\nname: x\n---\n"
	root := tree{
		"1/2/3/SKILL.md": s, "1/2/3/4/5/SKILL.md": s, "1/2/4/5/6/SKILL.md": s, "1/2/node_modules/x/SKILL.md": s, "1/2/old/x/SKILL.md": s,
		"a/SKILL.md": s, "a/b/c/d/SKILL.md": s, "z": "-> 1/2/9", "1/2/9/SKILL.md": s, "1/2/y/": "",
	}.in(t)
	var n notes
	_, err := Search{Depth: 2, Nested: true, Exclude: []string{"old"}, Notify: n.add}.Find(t.Context(), root)
	ok(t, err)
	if len(n.all) != 1 || !n.all[0].Unseen || n.all[0].Message != "skipped 3 skills more than 2 levels deep; the first is "+filepath.Join(root, "1/2/3") {
		t.Errorf("got %q", n.text())
	}
}

// TestFindBelow checks that a link to a folder that contains the root does not widen
// the search.
func TestFindBelow(t *testing.T) {
	dir := tree{"other/SKILL.md": "", "root/a/up": "-> ../..", "root/b/disk": "-> /", "root/b/SKILL.md": "", "root/c": "-> ../linked", "linked/SKILL.md": ""}.in(t)
	root := filepath.Join(dir, "root")
	found, err := Search{Nested: true}.Find(t.Context(), root)
	ok(t, err)
	same(t, "skills", relative(t, root, found), []string{"b", "c"})
}

func TestFindNamesTheEntry(t *testing.T) {
	const named = "---\nname: x\n---\n"
	root := tree{"a/SKILL.md": "", "a/skill.md": "", "b/Skill.md": named, "b/skill.md": named, "c/SKILL.md/": ""}.in(t)
	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	var got []string
	for _, f := range found {
		got = append(got, f.File)
		if f.Real != f.Dir {
			t.Errorf("Real: got %q, want %q", f.Real, f.Dir)
		}
	}
	same(t, "entries", got, []string{"SKILL.md", "Skill.md", "SKILL.md"})
}

func TestFindNested(t *testing.T) {
	tr := tree{
		"a/SKILL.md": "", "a/z/SKILL.md": "", "a/b/c/SKILL.md": "", "a/SKILL.md.txt": "", "a/node_modules/SKILL.md": "",
		"a/d/SKILL.md/": "", "a/loop": "-> .", "a/e/skill.md": "", "a/1/2/3/4/5/6/7/8/9/SKILL.md": "",
	}
	root := tr.in(t)
	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	if len(found) != 1 {
		t.Fatalf("got %d skills, want 1", len(found))
	}
	same(t, "nested", found[0].nested(), []string{"b/c/SKILL.md", "z/SKILL.md"})
}

func TestFindRootSpelling(t *testing.T) {
	root := tree{"s/a/SKILL.md": "", "link": "-> s"}.in(t)
	t.Chdir(root)
	for spelling, want := range map[string]string{
		".": "s/a", "s": "s/a", "./s/": "s/a", "s/a": "s/a", "link": "link/a", "link/a": "link/a", "s/../s": "s/a",
		root: filepath.ToSlash(root) + "/s/a",
	} {
		found, err := Search{}.Find(t.Context(), spelling)
		ok(t, err)
		if len(found) != 1 || filepath.ToSlash(found[0].Dir) != want || found[0].Real != filepath.Join(root, "s", "a") {
			t.Errorf("%s: got %+v, want Dir %s and Real below %s", spelling, found, want, root)
		}
	}
}

func TestFindRootErrors(t *testing.T) {
	root := tree{"file": ""}.in(t)
	if _, err := (Search{}).Find(t.Context(), filepath.Join(root, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing root: got %v, want ErrNotExist", err)
	}
	if _, err := (Search{}).Find(t.Context(), filepath.Join(root, "file")); !errors.Is(err, errNotFolder) {
		t.Errorf("root is a file: got %v, want %v", err, errNotFolder)
	}
	var setting *fault.Error
	if _, err := (Search{Exclude: []string{"a["}}).Find(t.Context(), root); !errors.As(err, &setting) {
		t.Errorf("bad exclude: got %v, want a Error", err)
	}
}

// refusing reads folders from disk except one. It simulates missing permissions, which
// do not apply to the superuser.
func refusing(name string) func(string) ([]fs.DirEntry, fileStamp, error) {
	return func(dir string) ([]fs.DirEntry, fileStamp, error) {
		if filepath.Base(dir) == name {
			return nil, stampOf(dir), &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
		}
		return readDir(dir)
	}
}

func TestFindUnreadableFolder(t *testing.T) {
	root := tree{"a/SKILL.md": "", "b/x/SKILL.md": "", "c/SKILL.md": "", "c/b/SKILL.md": ""}.in(t)
	var n notes
	found, err := Search{readDir: refusing("b"), Notify: n.add}.Find(t.Context(), root)
	ok(t, err)
	same(t, "skills", relative(t, root, found), []string{"a", "c"})
	if len(n.all) != 1 || n.all[0].Path != filepath.Join(root, "b") || !strings.Contains(n.all[0].Message, "permission denied") {
		t.Errorf("notices: got %q, want one about b", n.text())
	}
	if _, err := (Search{readDir: refusing(filepath.Base(root))}).Find(t.Context(), root); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("unreadable root: got %v, want ErrPermission", err)
	}
}

func TestFindUnreadableForReal(t *testing.T) {
	root := tree{"a/SKILL.md": "", "b/x/SKILL.md": ""}.in(t)
	ok(t, os.Chmod(filepath.Join(root, "b"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "b"), 0o755) })
	_, readable := os.ReadDir(filepath.Join(root, "b"))
	var n notes
	found, err := Search{Notify: n.add}.Find(t.Context(), root)
	ok(t, err)
	want := []string{"a"}
	if readable == nil { // the superuser, or a system without such permissions
		want = []string{"a", "b/x"}
	} else if len(n.all) != 1 {
		t.Errorf("notices: got %q, want one", n.text())
	}
	same(t, "skills", relative(t, root, found), want)
}

func TestFindCancelled(t *testing.T) {
	root := tree{"a/SKILL.md": ""}.in(t)
	ctx, cancel := context.WithCancel(t.Context())
	search := Search{readDir: func(dir string) ([]fs.DirEntry, fileStamp, error) {
		cancel()
		return readDir(dir)
	}}
	if _, err := search.Find(ctx, root); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

func TestUnique(t *testing.T) {
	root := tree{"a/SKILL.md": "", "A2/": "", "b": "-> a"}.in(t)
	a := Found{Dir: "a", Real: filepath.Join(root, "a")}
	again := Found{Dir: "b", Real: filepath.Join(root, "a")}
	other := Found{Dir: "A", Real: filepath.Join(root, "A")} // another folder that differs only in case
	got := Unique([]Found{a, again, other, a})
	want := 2
	if sameFile(a.Real, other.Real) {
		want = 1 // a disk that ignores case
	}
	if len(got) != want || got[0].Dir != "a" {
		t.Errorf("got %+v, want %d", got, want)
	}
}

func BenchmarkFind1000(b *testing.B) {
	root := manySkills(b, 1000)
	for b.Loop() {
		found, err := Search{}.Find(b.Context(), root)
		if err != nil || len(found) != 1000 {
			b.Fatalf("got %d, %v", len(found), err)
		}
	}
}

// manySkills makes n skills with a reference and a script each.
func manySkills(b *testing.B, n int) string {
	root := b.TempDir()
	for i := range n {
		name := fmt.Sprintf("skill-%04d", i)
		tree{
			name + "/SKILL.md":        skillText(name) + strings.Repeat("Some text of a usual length.\n", 100),
			name + "/references/a.md": "text",
			name + "/scripts/run.py":  "print(1)",
		}.write(b, filepath.Join(root, fmt.Sprintf("group-%d", i%10)))
	}
	return root
}
