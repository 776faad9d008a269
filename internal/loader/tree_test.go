package loader

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree is a folder to be made: slash paths to contents. A path that ends in a
// slash is a folder, a content that starts with "-> " makes a link.
type tree map[string]string

func (tr tree) write(t testing.TB, dir string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(tr)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			ok(t, os.MkdirAll(path, 0o755))
			continue
		}
		ok(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, link := strings.CutPrefix(tr[name], "-> "); link {
			ok(t, os.Symlink(filepath.FromSlash(target), path))
			continue
		}
		ok(t, os.WriteFile(path, []byte(tr[name]), 0o644))
	}
}

// in makes the tree in a new folder whose path has no links in it.
func (tr tree) in(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	tr.write(t, dir)
	return dir
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func skillText(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ". Use when testing.\n---\n# " + name + "\n"
}

// relative returns the found folders relative to root, with slashes.
func relative(t testing.TB, root string, found []Found) []string {
	t.Helper()
	out := []string{}
	for _, f := range found {
		rel, err := filepath.Rel(root, f.Dir)
		ok(t, err)
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// notes collects notices as "path: message".
type notes struct{ all []Notice }

func (n *notes) add(x Notice) { n.all = append(n.all, x) }

func (n *notes) text() string {
	var b strings.Builder
	for _, x := range n.all {
		b.WriteString(x.Path + ": " + x.Message + " (" + x.Hint + ")\n")
	}
	return b.String()
}
