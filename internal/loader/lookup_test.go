package loader

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	names := []string{"refs/doc.md", "refs/FAQ.md", "README.md", "readme.md", "style-guide.md", `odd\name`, "scripts/convert.py", "..hidden.md"}
	tests := []struct {
		name, match string
		suggestions []string
	}{
		{"refs/doc.md", "refs/doc.md", nil},
		{"./refs/doc.md", "refs/doc.md", nil},
		{`refs\doc.md`, "refs/doc.md", nil},
		{`.\refs\doc.md`, "refs/doc.md", nil},
		{" refs//doc.md\n", "refs/doc.md", nil},
		{`odd\name`, `odd\name`, nil},
		{"REFS/faq.md", "refs/FAQ.md", nil},
		{"README.md", "README.md", nil},
		{"Readme.md", "", []string{"README.md", "readme.md"}},
		{"FAQ.md", "", []string{"refs/FAQ.md"}},
		{"style-guide", "", []string{"style-guide.md"}},
		{"convert", "", []string{"scripts/convert.py"}},
		{"refs/dcos.md", "", []string{"refs/doc.md"}},
		{"..hidden.md", "..hidden.md", nil},
		{"completely different", "", nil},
		{"", "", nil},
		{"  ", "", nil},
		{strings.Repeat("x", 5000), "", nil},
		{"\xff\xfe", "", nil},
	}
	for _, tt := range tests {
		match, suggestions := Lookup(names, tt.name)
		if match != tt.match {
			t.Errorf("%q: got %q, want %q", tt.name, match, tt.match)
		}
		same(t, tt.name, suggestions, tt.suggestions)
	}
	for _, name := range []string{"../refs/doc.md", "refs/../refs/doc.md", `refs\..\refs\doc.md`, "/refs/doc.md", "//refs/doc.md", `C:\refs\doc.md`,
		"C:refs/doc.md", "refs/doc.md\x00", "%2e/refs/doc.md", "refs%2fdoc.md", "~/refs/doc.md", "file:///refs/doc.md", "refs/doc.md/", "refs/doc.md/."} {
		match, _ := Lookup(names, name)
		if match != "" && !strings.HasPrefix(name, "refs/doc.md/") {
			t.Errorf("%q: got %q, want no match", name, match)
		}
	}
}

// FuzzLookup: a match is always a listed name that differs in spelling alone,
// what climbs matches nothing, and what is offered is listed.
func FuzzLookup(f *testing.F) {
	for _, name := range []string{"./refs/doc.md", `a\b`, "../x", "%2e%2e/", "~/.ssh", "/etc/passwd", "REFS/DOC.MD", "\x00", "ſcripts", "K"} {
		f.Add("refs/doc.md\nscripts/x.py\nk\nREADME.md", name)
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		names := strings.Split(list, "\n")
		match, suggestions := Lookup(names, name)
		if match != "" {
			if !slices.Contains(names, match) || len(suggestions) > 0 {
				t.Errorf("%q: matched %q with %q suggestions, of %q", name, match, suggestions, names)
			}
			if match != name && (!strings.EqualFold(match, plainName(name)) || strings.Contains(name, "..") && !filepath.IsLocal(strings.ReplaceAll(name, `\`, "/"))) {
				t.Errorf("%q: matched %q", name, match)
			}
		}
		if len(suggestions) > maxSuggestions {
			t.Errorf("%q: %d suggestions, want at most %d", name, len(suggestions), maxSuggestions)
		}
		for _, n := range suggestions {
			if !slices.Contains(names, n) {
				t.Errorf("%q: offers %q, which is not listed", name, n)
			}
		}
	})
}
