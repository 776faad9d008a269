package loader

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzIgnore: no line panics or stalls; the verdict on a path does not depend on how
// its folder is split off; negation changes what a match means, not whether there is
// one.
func FuzzIgnore(f *testing.F) {
	for _, line := range []string{"*.md", "/a/**/b", "!x", "[a-z]/", "a**/b", `\#x`, "[[:alpha:]]", "***", "**/*/**/*/**/a", "[", `a\`, "a  "} {
		f.Add(line, "a/b/c.md")
	}
	f.Fuzz(func(t *testing.T, line, name string) {
		if len(line) > 1<<10 || len(name) > 1<<10 {
			return
		}
		name = strings.TrimPrefix(path.Clean("/"+name), "/")
		if name == "" || strings.ContainsAny(line, "\r\n") {
			return
		}
		p, ok := parseIgnore([]byte(line))
		if !ok {
			return
		}
		isFile, isDir := p.matches(name, false), p.matches(name, true)
		if isFile && !isDir || isFile != isDir && !p.dirOnly {
			t.Errorf("%q on %q: as a file %t, as a folder %t", line, name, isFile, isDir)
		}
		if p.name && isDir != p.matches("above/"+name, true) {
			t.Errorf("%q without a slash judges %q by its folders", line, name)
		}
		if !p.negate && !strings.HasPrefix(line, "#") {
			if n, ok := parseIgnore([]byte("!" + line)); !ok || !n.negate || n.matches(name, true) != isDir {
				t.Errorf("%q on %q: negated it matches otherwise", line, name)
			}
		}
		g := &ignores{nil, "/r", []ignorePattern{p}}
		if got := g.ignored("/r/"+name, true); got != (isDir && !p.negate) {
			t.Errorf("%q on %q: a chain says %t, the pattern %t", line, name, got, isDir)
		}
	})
}

// TestGlobDoesNotExplode matches a pattern that would take a backtracking matcher years.
func TestGlobDoesNotExplode(t *testing.T) {
	p, ok := parseIgnore([]byte(strings.Repeat("*a", 400) + "**/" + strings.Repeat("**/a*", 200) + "b"))
	if !ok {
		t.Fatal("pattern refused")
	}
	if p.matches(strings.Repeat("a", 1000)+"/"+strings.Repeat("a", 3000), false) {
		t.Error("got a match, want none")
	}
}

func TestExcludeRoot(t *testing.T) {
	root := tree{"old/a/SKILL.md": "", "old/b/SKILL.md": "", "new/old/c/SKILL.md": ""}.in(t)
	tests := []struct{ from, exclude, want string }{
		{"", "old", ""}, // at any depth
		{"", "/old", "new/old/c"},
		{"", "/old/b", "new/old/c,old/a"},
		{"", "**/b/", "new/old/c,old/a"},
		{"", "# only a remark", "refused"},
		{"", "old/*[", "refused"},
		{"old", "old", "a,b"},     // excluded, but named
		{"old", "b", "a"},         // below a root that is not
		{"new", "/old", "old/c"},  // anchored at the configuration's folder
		{"new", "/new/old/c", ""}, // counted from there
	}
	for _, tt := range tests {
		start := filepath.Join(root, tt.from)
		found, err := Search{Exclude: []string{tt.exclude}, ExcludeFrom: root}.Find(t.Context(), start)
		got := "refused"
		if err == nil {
			got = strings.Join(relative(t, start, found), ",")
		}
		if got != tt.want {
			t.Errorf("%q from %q: got %q, want %q", tt.exclude, tt.from, got, tt.want)
		}
	}
}
