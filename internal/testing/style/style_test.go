// Package style checks how the code of this module reads, as far as a program
// can see it. The rules are in docs/design.md, "Conventions".
package style

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"testing"
)

// root is the module's folder as seen from this package.
const root = "../../.."

// pending lists the folders whose problems are not reported yet. It only gets
// shorter: a folder without problems must be removed.
var pending = map[string]bool{}

// TestStyle checks every file that is not a test.
func TestStyle(t *testing.T) {
	problems := map[string][]string{} // by folder
	for folder, files := range sources(t) {
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, "_test.go") })
		problems[folder] = check(files)
	}
	for folder, found := range problems {
		for _, problem := range found {
			if !pending[folder] {
				t.Error(problem)
			}
		}
	}
	for folder := range pending {
		if len(problems[folder]) == 0 {
			t.Errorf("%s has no problem any more: remove it from the list pending", folder)
		}
	}
}

// TestHeaders checks the headers of if and switch in every file, also in tests.
func TestHeaders(t *testing.T) {
	for _, files := range sources(t) {
		for name, text := range files {
			for _, problem := range checkHeaders(name, text) {
				t.Error(problem)
			}
		}
	}
}

// sources returns the text of the module's Go files, by folder and path.
func sources(t *testing.T) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	module := os.DirFS(root)
	err := fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		if out[folder] == nil {
			out[folder] = map[string]string{}
		}
		out[folder][name] = string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 40 {
		t.Fatalf("found only %d packages", len(out))
	}
	return out
}
