package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

// TestBodyWithoutFrontmatter: a body is checked although the
// frontmatter is missing, or could not be read; where no body is certain,
// nothing is.
func TestBodyWithoutFrontmatter(t *testing.T) {
	const body = "# Hi\n\nSee [x](references/none.md) and run `python3 scripts/none.py`.\n"
	for src, want := range map[string][]string{
		body: {
			`SKILL.md:1:1: SKILL.md must start with YAML frontmatter (---)`,
			`SKILL.md:3:9: "references/none.md" does not exist in the skill's folder`,
			`SKILL.md:3:46: the script "scripts/none.py" does not exist in the skill's folder`,
		},
		"---\n- a list\n---\n" + body: {
			`SKILL.md:2:1: SKILL.md frontmatter must be a YAML mapping; it is a list`,
			`SKILL.md:6:9: "references/none.md" does not exist in the skill's folder`,
			`SKILL.md:6:46: the script "scripts/none.py" does not exist in the skill's folder`,
		},
		"----\nname: my-skill\n----\n" + body: {
			`SKILL.md:1:1: Missing required field in frontmatter: description`,
			`SKILL.md:1:1: SKILL.md must start with YAML frontmatter (---); the fence does not have three dashes: "----"`,
			`SKILL.md:3:1: SKILL.md frontmatter not properly closed with ---; the fence does not have three dashes: "----"`,
			`SKILL.md:6:9: "references/none.md" does not exist in the skill's folder`,
			`SKILL.md:6:46: the script "scripts/none.py" does not exist in the skill's folder`,
		},
		"---\nname: my-skill\n" + body:                 nil,
		"x\n---\nname: my-skill\n---\n" + body:         nil,
		"--- x\nname: my-skill\n---\n" + body:          nil,
		"----\n\nSome text.\n\n---\n" + body:           nil,
		"\uFEFF# Hi\n\nSee [x](references/none.md).\n": nil,
	} {
		var got []string
		for _, x := range Check(skillWith(src, nil), spec.Options{}) {
			got = append(got, strings.TrimPrefix(x.Place(), "my-skill/")+": "+x.Message)
			if want == nil && (x.Rule == "link-target" || x.Rule == "script-target") {
				t.Errorf("%q: got %s", src, x)
			}
		}
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("%q: got %q\nwant %q", src, got, want)
		}
	}
}

func TestBodyLength(t *testing.T) {
	long := strings.Repeat("Several words that are in every text.\n", 800)
	near := long[:len(long)*4/5]
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"500 lines": {strings.Repeat("x\n", 496), nil},
		"501 lines": {strings.Repeat("x\n", 497), []string{"SKILL.md:501:1: SKILL.md has 501 lines, more than the recommended 500"}},
		"tokens": {strings.ReplaceAll(long, "\n", " "),
			[]string{fmt.Sprintf("SKILL.md:5:1: the body is about %d tokens long, more than the recommended 5000; this is an estimate, usually within 10 %%", tokens.Estimate(strings.ReplaceAll(long, "\n", " ")))}},
		"both": {long,
			[]string{fmt.Sprintf("SKILL.md:501:1: SKILL.md has 804 lines and a body of about %d tokens (an estimate, usually within 10 %%), more than the recommended 500 and 5000", tokens.Estimate(long))}},
		"within the error": {strings.ReplaceAll(near, "\n", " "),
			[]string{fmt.Sprintf("SKILL.md:5:1: the body is about %d tokens long, at the limit of the recommended 5000; this is an estimate, usually within 10 %%: it may be less", tokens.Estimate(strings.ReplaceAll(near, "\n", " ")))}},
	} {
		d := bodyWith(tt.body, nil)
		if got := findings(d, "body-length"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		for _, f := range Check(d, spec.Options{}) {
			if f.Rule == "body-length" && (f.Level == spec.Info) != (name == "within the error") {
				t.Errorf("%s: got level %s", name, f.Level)
			}
		}
	}
}

func TestBodyEmpty(t *testing.T) {
	for body, want := range map[string]int{"": 1, "\n \n": 1, "x": 0, "<!-- x -->": 0} {
		if got := findings(bodyWith(body, nil), "body-empty"); len(got) != want {
			t.Errorf("%q: got %q, want %d", body, got, want)
		}
	}
}

// TestHostileBodies runs the rules on bodies that are made to be slow to
// check; the test's own time limit is the assertion.
func TestHostileBodies(t *testing.T) {
	files := map[string]string{}
	files["../around.md"] = "x"
	for i := range 3000 {
		files[fmt.Sprintf("references/f%d.md", i)] = "[a](g.md)"
	}
	for name, s := range map[string]string{
		"links":    "[a](references/none%d.md) ",
		"mentions": "See references/none%d.md. ",
		"spans":    "`references/none%d.md` ",
		"commands": "`python scripts/none%d.py` ",
		"prose":    "python scripts/none%d.py ",
		"ways out": "[a](../" + strings.Repeat("a/", 10_000) + "%d) ",
		"deep":     "[a](" + strings.Repeat("a/", 30_000) + "%d) ",
		"words":    "- references/a/b/c/d/e%d.md *x{y}%[1]d ",
	} {
		var b strings.Builder
		for i := 0; b.Len() < 1<<17; i++ {
			fmt.Fprintf(&b, s, i)
		}
		if ds := Check(bodyWith("\n"+b.String(), files), spec.Options{}); len(ds) > 1000 {
			t.Errorf("%s: %d findings", name, len(ds))
		}
	}
}
