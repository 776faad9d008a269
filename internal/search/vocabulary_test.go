package search

import (
	"slices"
	"strings"
	"testing"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"docker", "docker", 2, 0},
		{"docker", "dockr", 2, 1},
		{"docker", "doccker", 2, 1},
		{"docker", "tocker", 2, 1},
		{"docker", "dokcer", 2, 1},
		{"kubernets", "kubernetes", 2, 1},
		{"kubernetis", "kubernetes", 2, 1},
		{"pyhton", "python", 1, 1},
		{"", "ab", 2, 2},
		{"abcd", "wxyz", 2, 3},
	} {
		if got := edits(c.a, c.b, c.limit); got != c.want {
			t.Errorf("edits(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
		if got := edits(c.b, c.a, c.limit); got != c.want {
			t.Errorf("edits(%q, %q, %d) = %d, want %d", c.b, c.a, c.limit, got, c.want)
		}
	}
}

// known returns a vocabulary of words that are in names.
func known(text string) *vocabulary {
	forms := map[string]*form{"unseen": {leading: false}}
	for _, w := range strings.Fields(text) {
		forms[w] = &form{leading: true}
	}
	return newVocabulary(forms, map[string]bool{"picture": true})
}

func TestNear(t *testing.T) {
	v := known("kubernetes docker locker python pythons git gif statistics react18 文書")
	for text, want := range map[string]struct {
		found    string
		distance int
	}{
		"kubernets":  {"kubernetes", 1},
		"pictrue":    {"picture", 1},
		"kuberntes":  {"kubernetes", 1},
		"kubernetas": {"kubernetes", 1},
		"cubernets":  {"kubernetes", 2},
		"pyhton":     {"python", 1},
		"pythons":    {"pythons", 0},
		"pythonx":    {"python pythons", 1},
		"bocker":     {"docker locker", 1},
		"dogger":     {"", 1}, // two edits, in a short word
		"gix":        {"", 0}, // too short
		"unseem":     {"", 1}, // a word of bodies only
		"statistixx": {"statistics", 2},
		"react19":    {"", 0},
		"文字":         {"", 0},
	} {
		found, distance := v.near(text)
		if !slices.Equal(found, strings.Fields(want.found)) || distance != want.distance {
			t.Errorf("near(%q) = %q, %d, want %q, %d", text, found, distance, want.found, want.distance)
		}
	}
	if found, _ := v.near(strings.Repeat("x", maxWord+1)); found != nil {
		t.Errorf("a word above the limit is near %q", found)
	}
	if found, _ := v.near(strings.Repeat("x", maxWord)); found != nil {
		t.Errorf("a word at the limit is near %q", found)
	}
}

func TestSplit(t *testing.T) {
	v := known("power point powerp oint data base ab")
	for text, want := range map[string]string{
		"powerpoint": "powerp oint", // the longest first word
		"database":   "data base",
		"datapoint":  "data point",
		"dataab":     "", // parts have three letters
		"datafoo":    "",
		"data":       "",
	} {
		if got := v.split(text); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("split(%q) = %q, want %q", text, got, want)
		}
	}
}
