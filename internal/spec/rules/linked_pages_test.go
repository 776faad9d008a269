package rules

import (
	"slices"
	"testing"
)

func TestReferenceDepth(t *testing.T) {
	files := map[string]string{
		"references/a.md": "x [b](b.md)\n",
		"references/b.md": "[c](c.md) [a](a.md)\n",
		"references/c.md": "c\n",
		"references/d.md": "[l](../LICENSE.md) [c](../CHANGELOG.md) [n](changelog.md) [s](security.md) [S](../SECURITY.md) [v](versions.md)\n",
		"LICENSE.md":      "x", "CHANGELOG.md": "x", "references/changelog.md": "x", "references/security.md": "x", "SECURITY.md": "x", "references/versions.md": "x",
	}
	for body, want := range map[string][]string{
		"[a](references/a.md)": {
			`references/a.md:1:7: 2 files are reached only through other files: agents may read them in part or not at all: references/b.md, references/c.md`,
		},
		"Read `references/a.md`.": {
			`references/a.md:1:7: 2 files are reached only through other files: agents may read them in part or not at all: references/b.md, references/c.md`,
		},
		"[a](references/a.md), b.md and `references/c.md`":               nil,
		"[a](references/a.md), the others in `references/`":              nil,
		"[a](references/a.md), then references/<letter>.md":              nil,
		"[a](references/a.md)\n\n```\nreferences/*.md\n```":              nil,
		"[a](references/a.md) [b](references/b.md) [c](references/c.md)": nil,
		"[d](references/d.md)": {
			`references/d.md:1:63: 2 files are reached only through other files: agents may read them in part or not at all: references/security.md, references/versions.md`,
		},
		"Text.": nil,
	} {
		if got := findings(bodyWith("\n"+body+"\n", files), "reference-depth"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// TestTemplates checks that links of files that are copied and filled in are
// ignored.
func TestTemplates(t *testing.T) {
	links := "![step](screenshots/1.png) [up](../../x.md) [a](#none) [b](gone.md)\n"
	for _, name := range []string{"templates/report.md", "assets/template/x.md", "assets/README.template.md", "TEMPLATES.md", "references/report-template.md"} {
		d := bodyWith("\n[a]("+name+")\n", map[string]string{name: links})
		for _, rule := range []string{"link-target", "link-escape", "reference-depth"} {
			if got := findings(d, rule); got != nil {
				t.Errorf("%s: got %q", name, got)
			}
		}
	}
	if got := findings(bodyWith("\n[a](templates/gone.md)\n", nil), "link-target"); len(got) != 1 {
		t.Errorf("a missing template: got %q", got)
	}
}

// TestNamedInCode checks that Markdown files named in code by their path are
// looked into, wherever they are.
func TestNamedInCode(t *testing.T) {
	d := bodyWith("\n| A | `docs/a.md` |\n\nRead `./docs/c.md`, `d.md`, `none.md`, `README.md` and `e f.md`.\n", map[string]string{
		"docs/a.md": "[x](gone.md)", "docs/c.md": "[x](gone.md)", "d.md": "[x](gone.md)", "README.md": "[x](gone.md)", "e f.md": "[x](gone.md)", "g.md": "[x](gone.md)",
	})
	want := []string{
		`d.md:1:5: "gone.md" does not exist in the skill's folder (and 1 more link to it)`,
		`docs/a.md:1:5: "docs/gone.md" does not exist in the skill's folder (and 1 more link to it)`,
	}
	if got := findings(d, "link-target"); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestWrongCaseIsFollowed checks that the links of a file are checked although
// the link to it is wrong in case.
func TestWrongCaseIsFollowed(t *testing.T) {
	d := bodyWith("\n[a](references/A.md)\n", map[string]string{"references/a.md": "[b](gone.md)"})
	if got := findings(d, "link-target"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
	if got := findings(d, "orphan-file"); got != nil {
		t.Errorf("got %q", got)
	}
}

// TestLinkedFrontmatter verifies that the YAML of a linked file is not text.
func TestLinkedFrontmatter(t *testing.T) {
	files := map[string]string{
		"a.md": "---\ntitle: See [x](gone.md)\nh: x\n---\n[y](none.md) [h](#h-x)\n",
		"b.md": "---\n\nSee [x](lost.md).\n",
	}
	got := findings(bodyWith("\n[a](a.md) [b](b.md)\n", files), "link-target")
	want := []string{
		`a.md:5:5: "none.md" does not exist in the skill's folder`,
		`a.md:5:18: the file has no heading #h-x`,
		`b.md:3:9: "lost.md" does not exist in the skill's folder`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
