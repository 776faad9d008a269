package fix

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// TestSkillOnDisk goes the whole way: find, plan, apply, find again.
func TestSkillOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-skill")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "skill.md"), []byte("\uFEFF----\nname: My Skill\ndescription: Does: a thing. Use when testing.\n---\n# Body\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func() *spec.Document {
		found, err := loader.Search{}.Inspect(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return loader.OpenDocument(found)
	}
	c := Plan(open(), spec.Options{})
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	doc := open()
	if ds := rules.Check(doc, spec.Options{}); len(ds) > 0 || string(doc.Source) != c.text() || doc.Path != c.Document.Path {
		t.Errorf("got %s, %q with %v, want %s, %q", doc.Path, doc.Source, ds, c.Document.Path, c.text())
	}
	if names(t, dir) != "SKILL.md" {
		t.Errorf("the folder holds %s", names(t, dir))
	}
	if c := Plan(doc, spec.Options{}); !c.Empty() {
		t.Errorf("a second time: got %+v", c)
	}
}

// TestLinkedFileIsNotRenamed does not fix a link with a wrong name.
func TestLinkedFileIsNotRenamed(t *testing.T) {
	dir := skillDir(t, "text.md", good, 0o644)
	link(t, "text.md", dir, "skill.md")
	doc := loader.OpenDocument(loader.Found{Dir: dir, Real: dir, File: "skill.md"})
	c := Plan(doc, spec.Options{Levels: map[string]spec.Level{"name-directory": spec.Off}})
	if !c.Empty() {
		t.Errorf("got %+v, want no changes", c.Files)
	}
}

// TestNeighbours checks that after the fixes the rules see what is around the
// skill's folder as before: existing files must not become errors.
func TestNeighbours(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "skills", "my-skill")
	for name, text := range map[string]string{
		filepath.Join(dir, "SKILL.md"):              "---\nname: my-skill\ndescription: Does: a thing. Use when testing.\n---\nRun `node scripts/x.js`.\n",
		filepath.Join(root, "scripts", "x.js"):      "x",
		filepath.Join(root, "skills", "b", "b.txt"): "x",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	doc := loader.OpenDocument(loader.Found{Dir: dir, Real: dir, File: "SKILL.md"})
	opts := spec.Options{Levels: map[string]spec.Level{"script-target": spec.Error}}
	c := Plan(doc, opts)
	if c.Empty() {
		t.Fatalf("got %+v, want a change", c.Files)
	}
	if ds := rules.Check(c.Document, opts); len(ds) > 0 {
		t.Errorf("got %v", ds)
	}
}
