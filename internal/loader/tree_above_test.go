package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"skills/internal/spec"
)

// TestAbove holds what is told of the places around a skill's folder: those of
// its repository, or, outside of one, of the two folders above it.
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
		files := newTree(filepath.Join(root, filepath.FromSlash(skill)), "SKILL.md", nil)
		for place, want := range places {
			for range 2 { // the second time from memory
				there, known := files.Above(place)
				if got := (answer{there, known}); got != want {
					t.Errorf("%s from %s: got %v, want %v", place, skill, got, want)
				}
			}
		}
		for i := range maxAbove + 1 {
			files.Above(fmt.Sprintf("../none%d", i))
		}
		if there, known := files.Above("../b/other"); there || known {
			t.Errorf("after %d places another one is looked at", maxAbove)
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
		if there, _ := files.Above("../b/SKILL.md"); !there {
			t.Error("nothing is told after Close")
		}
	}
	if _, known := newTree(filepath.Join(root, "none"), "", nil).Above("../alone"); known {
		t.Error("something is told of a folder that is not there")
	}
}

// TestLinkBetweenSkills holds that a link to the skill beside this one is told
// as advice.
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
	found := spec.Check(OpenDocument(Found{Dir: dir, Real: dir, File: "SKILL.md"}), spec.Options{})
	if len(found) != 1 || found[0].Rule != "link-escape" || found[0].Level != spec.Info {
		t.Errorf("got %v", found)
	}
}
