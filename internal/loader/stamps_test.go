package loader

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// backdate sets the times of everything below a folder back, so that later changes
// show.
func backdate(t testing.TB, root string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	ok(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// TestFilesAgain checks that a source lists the folder again, and returns the same skill
// values if nothing has changed.
func TestFilesAgain(t *testing.T) {
	root := tree{"s/a/SKILL.md": skillText("a"), "s/b/SKILL.md": skillText("b"), "s/group/": "", "s/bad/SKILL.md": ""}.in(t)
	backdate(t, root)
	var n notes
	source := Files([]string{filepath.Join(root, "s"), filepath.Join(root, "later")}, FilesOptions{Optional: true, Notify: n.add})
	load := func() map[string]*Skill {
		skills, err := source.Skills(t.Context())
		ok(t, err)
		out := map[string]*Skill{}
		for _, s := range skills {
			out[s.Name] = s
		}
		return out
	}
	first := load()
	if len(first) != 2 || len(n.all) != 1 {
		t.Fatalf("got %v, %s", first, n.text())
	}
	// Nothing is searched: a source without roots would have no skills.
	roots := source.(*folders).roots
	source.(*folders).roots = nil
	if again := load(); again["a"] != first["a"] || len(again) != 2 {
		t.Errorf("unchanged: got %v, want %v", again, first)
	}
	source.(*folders).roots = roots

	for _, step := range []struct {
		name   string
		change func()
		want   []string // names; those that are new objects have a star
	}{
		{"created in a folder without skills", func() { tree{"s/group/c/SKILL.md": skillText("c")}.write(t, root) }, []string{"a", "b", "c*"}},
		{"a root that was missing", func() { tree{"later/d/SKILL.md": skillText("d")}.write(t, root) }, []string{"a", "b", "c", "d*"}},
		{"edited to the same length at once", func() { tree{"s/group/c/SKILL.md": strings.Replace(skillText("c"), "Does", "Goes", 1)}.write(t, root) }, []string{"a", "b", "c*", "d"}},
		{"removed", func() { ok(t, os.RemoveAll(filepath.Join(root, "s", "a"))) }, []string{"b", "c", "d"}},
		{"a file beside SKILL.md", func() { tree{"s/b/run.sh": ""}.write(t, root) }, []string{"b*", "c", "d"}},
		{"nothing", func() {}, []string{"b", "c", "d"}},
	} {
		before := load()
		step.change()
		after := load()
		var got []string
		for _, name := range []string{"a", "b", "c", "d"} {
			switch {
			case after[name] == nil:
			case after[name] != before[name]:
				got = append(got, name+"*")
			default:
				got = append(got, name)
			}
		}
		same(t, step.name, got, step.want)
	}
	if len(n.all) != 1 {
		t.Errorf("notices: got %s, want one, once", n.text())
	}
}

// TestFilesKeepDigests checks that the digests of approved scripts survive a change of
// their skill.
func TestFilesKeepDigests(t *testing.T) {
	root := tree{"a/SKILL.md": skillText("a"), "a/scripts/x.sh": "1", "a/scripts/y.sh": "1"}.in(t)
	source := Files([]string{root}, FilesOptions{})
	scripts := func() []Script {
		skills, err := source.Skills(t.Context())
		ok(t, err)
		c, err := skills[0].Contents(t.Context())
		ok(t, err)
		return c.Scripts
	}
	before := scripts()
	tree{"a/SKILL.md": skillText("a") + "More.\n", "a/scripts/x.sh": "2", "a/scripts/z.sh": "1"}.write(t, root)
	after := scripts()
	if len(after) != 3 || after[0].Digest != before[0].Digest || after[1].Digest != before[1].Digest || len(after[2].Digest) == 64 {
		t.Errorf("got %v, want the digests of %v, and none for the new script", after, before)
	}
}

func BenchmarkFilesAgain2000(b *testing.B) {
	root := manySkills(b, 2000)
	backdate(b, root)
	source := Files([]string{root}, FilesOptions{})
	for i := 0; b.Loop(); i++ {
		skills, err := source.Skills(b.Context())
		if err != nil || len(skills) != 2000 {
			b.Fatalf("got %d, %v", len(skills), err)
		}
		if i == 0 {
			b.ResetTimer()
		}
	}
}
