package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestOneHabit checks that a habit is one finding with its places, and what is left of
// it without some of them.
func TestOneHabit(t *testing.T) {
	linked := map[string]string{
		"references/a.md": "[u](../../docs/a.md) [v](../../docs/b.md) [w](../../other/c.md)\n",
		"scripts/a.py":    "x = input('a')\n", "scripts/b.sh": "read -p 'b' x\n",
	}
	found := Check(skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n"+
		"version: 1\nauthor: me\ntag: a\nmetadata:\n  a: [x]\n  b: {y: z}\nmodel: opus\nhooks: {}\n---\n"+
		"\n[a](references/a.md) [x](../docs/x.md)\n", linked), spec.Options{})
	want := map[string][]string{
		"field-unknown": {`Unexpected fields in frontmatter: "version", "author" and "tag" are outside the specification; OpenClaw and Hermes document version; Hermes documents author`},
		"field-client":  {`fields "model" and "hooks" are read only by Claude Code`},
		"metadata-values": {
			`metadata values must be strings: "a" is a list and "b" is a mapping`,
		},
		"link-escape": {
			`"../../other/c.md" leads out of the skill's folder`,
			`"../docs/x.md" leads out of the skill's folder (and 2 more links to ../docs)`,
		},
		"script-interactive": {`2 scripts wait for user input: scripts/a.py, scripts/b.sh`},
	}
	for rule, messages := range want {
		var got []string
		for _, d := range found {
			if d.Rule == rule {
				got = append(got, d.Message)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, messages) {
			t.Errorf("%s: got %q, want %q", rule, got, messages)
		}
	}
	i := slices.IndexFunc(found, func(d spec.Diagnostic) bool { return d.Rule == "field-unknown" })
	d := found[i]
	if len(d.Places) != 3 || d.Places[2].Span.Start.Line != d.Span.Start.Line+2 || !strings.Contains(d.Places[2].Message, `"tag" is outside`) {
		t.Errorf("places: %+v", d.Places)
	}
	rest := OnlyPlaces(d, func(i int) bool { return i == 1 })
	if rest.Places != nil || rest.Span != d.Places[1].Span || rest.Message != d.Places[1].Message {
		t.Errorf("one place is left: %+v", rest)
	}
	rest = OnlyPlaces(d, func(i int) bool { return i > 0 })
	if len(rest.Places) != 2 || strings.Contains(rest.Message, `"version"`) {
		t.Errorf("two places are left: %+v", rest)
	}
}
