package rules

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// linkFiles is the folder of the tests about links.
var linkFiles = map[string]string{
	"references/forms.md":     "# Forms\n\n## Field types\n",
	"references/x y.md":       "# X\n",
	"references/a(1).md":      "# A\n",
	"references/100%.md":      "# P\n",
	"references/c#.md":        "# C\n",
	"references/Übersicht.md": "# Ü\n",
	"assets/logo.png":         "png",
	"scripts/run.py":          "print()\n",
	"node_modules/":           "",
	"linked":                  "-> references",
	".hidden/":                "",
	"LICENSE":                 "x",
}

// TestLinkTarget runs the cases of testdata/link_target.txt on the folder
// above.
func TestLinkTarget(t *testing.T) {
	cases, err := os.ReadFile("testdata/link_target.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(cases), "\n=== ")
	for text := range strings.SplitSeq(rest, "\n=== ") {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		t.Run(lines[0], func(t *testing.T) {
			body, want := strings.ReplaceAll(lines[1], "⏎", "\n"), lines[2:]
			var got []string
			for _, f := range Check(bodyWith("\n"+body+"\n", linkFiles), spec.Options{}) {
				if f.Rule == "link-target" {
					got = append(got, "=> "+f.Message)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestLinkPositions checks links of linked files, and where findings point.
func TestLinkPositions(t *testing.T) {
	d := bodyWith("\nÜ [a](references/one.md), [b](#).\n", map[string]string{
		"references/one.md": "[c](two.md) [d](references/two.md) [e](../scripts/x.py) [f](scripts/x.py)\n<p>é <a href='gone.md#x'>g</a></p>\n",
		"references/two.md": "# T\n\n[back](one.md) [home](../SKILL.md#top) [self](#t) [h](#u)\n",
		"scripts/x.py":      "",
	})
	want := []string{
		`references/one.md:2:15: "references/gone.md" does not exist in the skill's folder`,
		`references/two.md:3:55: the file has no heading #u`,
	}
	if got := findings(d, "link-target"); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestMentionedPositions checks paths that linked files name without a link: from the
// skill's folder, or from their own.
func TestMentionedPositions(t *testing.T) {
	d := bodyWith("\n[a](guides/one.md)\n\nSee `guides/gone.md`. Other skills have\n`references/theirs.md` for that.\n", map[string]string{
		"guides/one.md":       "See `guides/gone.md` and `references/two.md`.\n\nRead `references/gone.md`, then `sub/three.md`.\n",
		"guides/sub/three.md": "x",
		"references/two.md":   "x",
	})
	want := []string{
		`SKILL.md:8:6: "guides/gone.md" does not exist in the skill's folder`,
		`guides/one.md:3:7: "references/gone.md" does not exist in the skill's folder`,
	}
	if got := findings(d, "link-target"); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLinkFix(t *testing.T) {
	for body, want := range map[string]string{
		"[a](references/Forms.md#field-types)":      "[a](references/forms.md#field-types)",
		"[a](./References/forms.md \"T\")":          "[a](./references/forms.md \"T\")",
		"[a](<references/X y.md>)":                  "[a](<references/x y.md>)",
		"[a][b]\n\n[b]: references/FORMS.md":        "[a][b]\n\n[b]: references/forms.md",
		"[a](../my-skill/references/FORMS.md)":      "[a](../my-skill/references/forms.md)",
		`[a](references\forms.md)`:                  "[a](references/forms.md)",
		`[a](references\\forms.md)`:                 "", // an escaped backslash
		"[a](references/TWO.md)":                    "", // two files have this name in other cases
		"[a](Ambiguous/forms.md)":                   "",
		"<a href=\"references/FORMS.md?x#y\">a</a>": "<a href=\"references/forms.md?x#y\">a</a>",
	} {
		files := maps.Clone(linkFiles)
		files["references/two.md"], files["references/Two.md"], files["ambiguous/forms.md"], files["AMBIGUOUS/forms.md"] = "1", "2", "3", "4"
		d := bodyWith("\n"+body, files)
		got := ""
		for _, f := range Check(d, spec.Options{}) {
			if f.Rule == "link-target" && f.Fix != nil {
				e := f.Fix.Edits[0]
				got = string(d.Source[d.Block().BodyStart+1:e.Start]) + e.Text + string(d.Source[e.End:])
			}
		}
		if got != want {
			t.Errorf("the fix of %q gives %q, want %q", body, got, want)
		}
	}
}

// TestLinkHelpIsFix checks that the help shows what the fix writes.
func TestLinkHelpIsFix(t *testing.T) {
	for body, want := range map[string]string{
		"[a](./references/FORMS.md)": "write the name as on disk: ./references/forms.md",
	} {
		got := ""
		for _, f := range Check(bodyWith("\n"+body, linkFiles), spec.Options{}) {
			if f.Rule == "link-target" && got == "" {
				got = f.Help
			}
		}
		if got != want {
			t.Errorf("the help for %q is %q, want %q", body, got, want)
		}
	}
}

func TestLinkFixInAnotherFile(t *testing.T) {
	d := bodyWith("\n[a](references/one.md)\n", map[string]string{"references/one.md": "x [b](Two.md)", "references/two.md": "y"})
	for _, f := range Check(d, spec.Options{}) {
		if f.Rule == "link-target" {
			if want := (spec.Edit{File: "references/one.md", Start: 6, End: 12, Text: "two.md"}); f.Fix == nil || f.Fix.Edits[0] != want {
				t.Errorf("got %+v, want %+v", f.Fix, want)
			}
			return
		}
	}
	t.Error("nothing is reported")
}

// TestLinkHelp checks what is proposed instead.
func TestLinkHelp(t *testing.T) {
	for target, want := range map[string]string{
		"references/form.md":     "did you mean references/forms.md?",
		"docs/forms.md":          "did you mean references/forms.md?",
		"references/nothing.md":  "correct the path, or take the link out",
		"references/Forms.md":    "write the name as on disk: references/forms.md",
		"#lings":                 "did you mean #links?",
		"../my-skill/x/SKILL.md": "correct the path, or take the link out", // that of another skill
		"../other/SKILL.md":      "name the other skill in words: only the folder of this one is installed with it",
		"../x.md":                "put what it needs into the skill",
	} {
		for _, f := range Check(bodyWith("\n# Links\n\n[a]("+target+")\n", linkFiles), spec.Options{}) {
			if strings.HasPrefix(f.Rule, "link-") && f.Help != want {
				t.Errorf("%s: got help %q, want %q", target, f.Help, want)
			}
		}
	}
}

// TestFileAbove checks that a file of the plugin is advice.
func TestFileAbove(t *testing.T) {
	d := bodyWith("\nRead `references/a.md`.\n", map[string]string{"references/b.md": "x"})
	d.Files.(*memoryFiles).around = map[string]bool{"../../references/a.md": true}
	want := `"references/a.md" is not in the skill's folder, but in one above`
	for _, f := range Check(d, spec.Options{}) {
		if f.Rule == "link-target" && (f.Level != spec.Info || f.Message != want) {
			t.Errorf("got %s", f)
		}
	}
}

// TestLinksOfOthers checks what looks like a link or a file of the skill and is none.
func TestLinksOfOthers(t *testing.T) {
	for body, want := range map[string]int{
		"Every [0,2,4](MON/WED/FRI) at nine.":                                        0,
		"The file is `SKILL.md`, not `skill.md`.":                                    0,
		"- **Examples**: `references/a.md` for finance, and others":                  0,
		"- **Details**: see `references/a.md`":                                       1,
		"Its `pdf-tools`'s `references/a.md` and `pdf-tools` `references/c.md`":      0,
		"`references/inbox.jsonl` has one object a line.":                            0,
		"Owned by the `pdf` skill, `references/a.md` is there.":                      0,
		"| 2.0.0 | Renamed, see `references/a.md` |":                                 0,
		"Read `STYLE_GUIDE.md` of the repo, or `STYLE_GUIDE.md`.":                    0,
		"See `/core:tdd` `references/a.md` for the rule.":                            0,
		"Write \"See [patterns](references/a.md) for more\".":                        0,
		"It is in the hotwire skill's `references/a.md`.":                            0,
		"- `pdf-tools` (community) for forms (`references/a.md`, `references/c.md`)": 0,
		"- `pdf-tools` — `references/a.md` for forms":                                0,
		"Check `MEMORY.md` first.":                                                   0,
		"[a](references/README.md)":                                                  0,
	} {
		var got []spec.Diagnostic
		for _, f := range Check(bodyWith("\n"+body+"\n", map[string]string{"references/README.md": "[x](docs/x.md)\n", "references/b.md": "x"}), spec.Options{}) {
			if f.Rule == "link-target" && f.Level > spec.Info {
				got = append(got, f)
			}
		}
		if len(got) != want {
			t.Errorf("%s: got %v, want %d", body, got, want)
		}
	}
}
