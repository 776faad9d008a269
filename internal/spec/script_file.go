package spec

import (
	"path"
	"slices"
	"strings"

	"skills/internal/spec/references"
)

// scripts yields the skill's own scripts: files with the extension of a
// script language, and those without an extension that start with a shebang.
// Samples and tests are none of them.
func (p *Pass) scripts(yield func(t *text, language string) bool) {
	if p.Doc.Files == nil {
		return
	}
	for _, f := range p.Doc.Files.List() {
		ext := path.Ext(f.Name)
		if !f.Mode.IsRegular() || f.Size == 0 || sampleFolder(f.Name) || testFile(path.Base(f.Name)) ||
			ext != "" && references.Language(f.Name, nil) == "" {
			continue
		}
		t := p.text(f)
		if t == nil {
			continue
		}
		if language := references.Language(f.Name, t.src); language != "" || ext == "" && inScriptFolder(f.Name) {
			if !yield(t, language) {
				return
			}
		}
	}
}

func inScriptFolder(name string) bool {
	return strings.HasPrefix(name, "scripts/") || strings.HasPrefix(name, "bin/")
}

// testFile reports files that test others, by the names that test runners look
// for.
func testFile(base string) bool {
	base = strings.ToLower(base)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return stem == "conftest" || slices.ContainsFunc([]string{"test_", "test-"}, func(s string) bool { return strings.HasPrefix(stem, s) }) ||
		slices.ContainsFunc([]string{"_test", "-test", ".test", ".spec", "_spec"}, func(s string) bool { return strings.HasSuffix(stem, s) })
}
