package trigger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/clients"
	"skills/internal/eval/suite"
	"skills/internal/loader"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDescribe holds that a description of any style is replaced, and nothing else.
func TestDescribe(t *testing.T) {
	for _, c := range [][2]string{
		{"name: a\ndescription: b\n", "name: a\ndescription: \"x: \\\"y\\\"\"\n"},
		{"description: |\n  b\n  c\nname: a\n", "description: \"x: \\\"y\\\"\"\nname: a\n"},
		{"description: b\n  c\nname: a\n", "description: \"x: \\\"y\\\"\"\nname: a\n"},
	} {
		doc := loader.ParseDocument("SKILL.md", "a", []byte("---\n"+c[0]+"---\nBody\n"))
		if got, want := string(describe(doc, `x: "y"`)), "---\n"+c[1]+"---\nBody\n"; got != want {
			t.Errorf("%q becomes %q, want %q", c[0], got, want)
		}
	}
}

// TestClientCatalogue holds that --client measures the catalogue as that client shows it:
// Codex shortens descriptions that are too long for it.
func TestClientCatalogue(t *testing.T) {
	dir := t.TempDir()
	for i := range 60 {
		write(t, filepath.Join(dir, fmt.Sprint("skill-", i), "SKILL.md"),
			fmt.Sprintf("---\nname: skill-%d\ndescription: %s\n---\nBody\n", i, strings.Repeat("long words ", 90)))
	}
	for _, client := range []*clients.Client{nil, clients.Find("codex")} {
		h, err := Open(t.Context(), Options{Skill: filepath.Join(dir, "skill-7"), Client: client})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		root, err := h.stage(t.Context(), h.Description())
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(root, "0", "skill-7", "SKILL.md"))
		if short := len(data) < 800; err != nil || short != (client != nil) {
			t.Errorf("with %v the file has %d bytes (%v)", client != nil, len(data), err)
		}
	}
}

// TestSplit holds that the queries of each kind are divided 60 to 40, always in the same
// way, and that each kind has a query that decides.
func TestSplit(t *testing.T) {
	var queries []suite.Query
	for i := range 15 {
		queries = append(queries, suite.Query{Query: fmt.Sprint(i), ShouldTrigger: i < 10})
	}
	shown, kept := split(queries)
	again, _ := split(queries)
	count := map[bool]int{}
	for _, q := range kept {
		count[q.ShouldTrigger]++
	}
	if len(shown) != 9 || count[true] != 4 || count[false] != 2 || fmt.Sprint(again) != fmt.Sprint(shown) {
		t.Errorf("shown: %v, decide: %v", shown, kept)
	}
	if shown, kept = split(queries[9:11]); len(shown) != 0 || len(kept) != 2 {
		t.Errorf("one of each: shown %v, decide %v", shown, kept)
	}
}
