package audit

import (
	"slices"
	"testing"
)

// TestCompareNames checks that the order is that of localeCompare in Node 20 with the
// locale en-US.
func TestCompareNames(t *testing.T) {
	want := []string{
		"_x", "-", "-x", "a", "A", "a b", "a_b", "a-b", "a,b", "a.md", "a.MD", "A.md", "a'b", "a(b)", "a@b", "a/b", "a/B", "a/c", "A/c", "a&b", "a#b", "a+b", "a~b", "a$b", "a1", "a10", "a2", "ab", "aB", "Ab", "AB", "abc", "agents/x",
		"SKILL.md", "Zed.md",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortStableFunc(got, compareNames)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFolderName(t *testing.T) {
	for name, want := range map[string]string{"pdf-forms": "pdf-forms", "PDF Forms!": "pdf-forms", "../../x": "x", "Web_App.v2": "web_app.v2", "中文": "unnamed-skill", "": "unnamed-skill"} {
		if got := folderName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
