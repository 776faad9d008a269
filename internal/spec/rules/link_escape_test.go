package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestLinkEscape(t *testing.T) {
	for body, want := range map[string]string{
		"[a](../other/SKILL.md)":                     `"../other/SKILL.md" leads out of the skill's folder`,
		"[a](references/../../x.md#y)":               `"references/../../x.md#y" leads out of the skill's folder`,
		"[a](/etc/passwd)":                           `"/etc/passwd" is a path of one machine`,
		"[a](file:///home/x/y.md)":                   `"file:///home/x/y.md" is a path of one machine`,
		"[a](FILE:///home/x/y.md)":                   `"FILE:///home/x/y.md" is a path of one machine`,
		`[a](<..\x.md>)`:                             `"..\x.md" leads out of the skill's folder`,
		`[a](<references\..\forms.md>)`:              "",
		"[a](~/notes.md)":                            `"~/notes.md" is a path of one machine`,
		"[a](<C:\\x\\y.md>)":                         `"C:\x\y.md" is a path of one machine`,
		"[a](/references/forms.md)":                  `"/references/forms.md" starts at the root of the disk, but the file is in the skill`,
		"[a](references/../assets/logo.png)":         "",
		"[a](../my-skill/references/forms.md)":       "",
		"[a](/docs/x) [b](../../pulls) [c](../<n>/)": "",
		"`[a](../x.md)`":                             "",
	} {
		var got []string
		for _, f := range Check(bodyWith("\n"+body+"\n", linkFiles), spec.Options{}) {
			if f.Rule == "link-escape" {
				got = append(got, f.Message)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	d := bodyWith("\nText.\n", map[string]string{"references/x.md": "-> ../../y.md", "references/z.md": "-> x.md"})
	want := []string{`references/x.md: the symbolic link "references/x.md" leads to "../../y.md", which is outside the skill's folder or does not exist`}
	if got := findings(d, "link-escape"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := findings(parse("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\n[a](../x.md) [b](#none)\n"), "link-escape"); len(got) != 1 {
		t.Errorf("without a folder: got %q", got)
	}
}

// TestLinkInsidePlugin verifies that a file of the same plugin is advice: the plugin
// is installed whole.
func TestLinkInsidePlugin(t *testing.T) {
	around := map[string]string{"../../.claude-plugin/plugin.json": "{}", "../../docs/a.md": "x", "../../../b.md": "x"}
	for body, want := range map[string]spec.Level{
		"[a](../../docs/a.md)": spec.Info, "[a](../../docs/c.md)": spec.Warning, "[a](../../../b.md)": spec.Warning,
	} {
		for _, f := range Check(bodyWith("\n"+body+"\n", around), spec.Options{}) {
			if f.Rule == "link-escape" && f.Level == want {
				want = 0
			}
		}
		if want != 0 {
			t.Errorf("%s: not reported at level %s", body, want)
		}
	}
}

// TestLinkToAnotherSkill verifies that a link to an existing skill is advice, unless
// the rule was given a level, and that a link to a missing one is not.
func TestLinkToAnotherSkill(t *testing.T) {
	around := map[string]string{
		"../other/SKILL.md": "x", "../other/references/x.md": "x", "../../more/third/SKILL.md": "x",
		"../notes.md": "x", "../../SKILL.md": "x", "references/a.md": "[up](../../other/SKILL.md)",
	}
	const words = "name the other skill in words: only the folder of this one is installed with it"
	const inside = "put what it needs into the skill"
	for body, want := range map[string]string{
		"[a](../other/SKILL.md)":          `info: "../other/SKILL.md" leads to another skill, "other", which need not be installed with this one; ` + words,
		"[a](../other/)":                  `info: "../other/" leads to another skill, "other", which need not be installed with this one; ` + words,
		"[a](../other/references/x.md#y)": `info: "../other/references/x.md#y" leads to another skill, "other", which need not be installed with this one; ` + words,
		"[a](../../more/third)":           `info: "../../more/third" leads to another skill, "third", which need not be installed with this one; ` + words,
		"[a](references/a.md)":            `info: "../../other/SKILL.md" leads to another skill, "other", which need not be installed with this one; ` + words,
		"[a](../other/gone.md)":           `warning: "../other/gone.md" leads out of the skill's folder, and does not exist; ` + words,
		"[a](../gone/SKILL.md)":           `warning: "../gone/SKILL.md" leads out of the skill's folder, and does not exist; ` + words,
		"[a](../gone.md)":                 `warning: "../gone.md" leads out of the skill's folder, and does not exist; ` + inside,
		"[a](../notes.md)":                `warning: "../notes.md" leads out of the skill's folder; ` + inside,
	} {
		for _, set := range []spec.Level{spec.Off, spec.Warning, spec.Error} {
			opts := spec.Options{}
			if set != spec.Off {
				opts.Levels = map[string]spec.Level{"link-escape": set}
				_, rest, _ := strings.Cut(want, ":")
				want = set.String() + ":" + rest
			}
			var got []string
			for _, f := range Check(bodyWith("\n"+body+"\n", around), opts) {
				if f.Rule == "link-escape" {
					got = append(got, f.Level.String()+": "+f.Message+"; "+f.Help)
				}
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("%s: got %q, want %q", body, got, want)
			}
		}
	}
}

// TestProjectSkills checks that a skill in a folder of a repository may use the
// repository.
func TestProjectSkills(t *testing.T) {
	d := bodyWith("\n[a](../../../docs/a.md) [b](../../../../b.md)\n", nil)
	d.Files.(*memoryFiles).around = map[string]bool{}
	for _, name := range []string{"../../../.claude/skills/my-skill/SKILL.md", "../../../docs/a.md", "../../../../b.md"} {
		d.Files.(*memoryFiles).around[name] = true
	}
	var got []string
	for _, f := range Check(d, spec.Options{}) {
		if f.Rule == "link-escape" {
			got = append(got, f.Level.String()+" "+f.Message)
		}
	}
	want := []string{
		`info "../../../docs/a.md" leads out of the skill's folder to another file of its project`,
		`warning "../../../../b.md" leads out of the skill's folder`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLinkToInstructions verifies that the instructions at the root of the repository are
// advice: an agent that works there has them.
func TestLinkToInstructions(t *testing.T) {
	for _, tt := range []struct {
		around, body string
		want         spec.Level
	}{
		{"../../.git ../../AGENTS.md", "[a](../../AGENTS.md)", spec.Info},
		{"../../.git ../../CLAUDE.md", "[a](../../CLAUDE.md#rules)", spec.Info},
		{"../../.git", "[a](../../AGENTS.md)", spec.Warning},
		{"../../.git ../../docs/AGENTS.md", "[a](../../docs/AGENTS.md)", spec.Warning},
		{"../../../.git ../../AGENTS.md", "[a](../../AGENTS.md)", spec.Warning},
		{"../../AGENTS.md", "[a](../../AGENTS.md)", spec.Warning},
		{"../../.git ../../docs/a.md", "[a](../../docs/a.md)", spec.Warning},
	} {
		files := map[string]string{}
		for _, name := range strings.Fields(tt.around) {
			files[name] = "x"
		}
		found := Check(bodyWith("\n"+tt.body+"\n", files), spec.Options{})
		if !slices.ContainsFunc(found, func(x spec.Diagnostic) bool { return x.Rule == "link-escape" && x.Level == tt.want }) {
			t.Errorf("%s in %s: got %v, want %v", tt.body, tt.around, found, tt.want)
		}
	}
}
