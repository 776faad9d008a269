package spec

import (
	"strings"
	"testing"
)

// parse reads a document the way the loader does, without a file.
func parse(src string) *Document {
	d := Scan("my-skill/SKILL.md", "my-skill", []byte(src))
	d.File = FileName
	if b := d.Block(); b.Closed() {
		d.Decode(d.Source[b.Start:b.End])
	}
	return d
}

// TestPages runs the examples of every rule's page: the bad one must be
// reported by the rule, the good one by none.
func TestPages(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			page := rule.Page()
			if !strings.HasPrefix(page, "# "+rule.ID+"\n") {
				t.Fatalf("the page of %s is missing or has another title", rule.ID)
			}
			if rule.ID == "skill-file" {
				return // its examples are file names; the loader's tests run them
			}
			bad, good := example(t, page, "Bad:"), example(t, page, "Good:")
			found := false
			for _, d := range Check(parse(bad), Options{}) {
				found = found || d.Rule == rule.ID
			}
			if !found {
				t.Errorf("the bad example is not reported by %s, but as %v", rule.ID, Check(parse(bad), Options{}))
			}
			if ds := Check(parse(good), Options{}); len(ds) > 0 {
				t.Errorf("the good example is reported: %v", ds)
			}
		})
	}
}

// example returns the code block after a heading of a page.
func example(t *testing.T, page, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(page, "\n"+heading+"\n\n```markdown\n")
	block, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatalf("the page has no block after %q", heading)
	}
	return strings.ReplaceAll(block, `\uFEFF`, "\uFEFF")
}

func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] {
			t.Errorf("%s is listed twice", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" || r.Source == "" || r.Level == Off {
			t.Errorf("%s lacks a title, a source or a level", r.ID)
		}
		if FindRule(r.ID) == nil {
			t.Errorf("FindRule does not find %s", r.ID)
		}
	}
	if FindRule("no-such-rule") != nil {
		t.Error("FindRule finds a rule there is not")
	}
	files, err := pages.ReadDir("doc")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[strings.TrimSuffix(f.Name(), ".md")] {
			t.Errorf("doc/%s is the page of no rule", f.Name())
		}
	}
}
