package clients

import (
	"fmt"
	"strings"
	"testing"
)

func entry(name, description, path string, scope int) Entry {
	root, _, _ := strings.Cut(path, "/skills/")
	return Entry{Skill: Skill{name, description, path}, Root: root + "/skills", Scope: scope, Listed: true}
}

// names writes the order of a catalogue: + is listed, - is not.
func names(c Catalogue) (out string) {
	for _, e := range c.Entries {
		mark := " -"
		if e.Listed {
			mark = " +"
		}
		out += mark + e.Name + strings.TrimSuffix(e.Path[strings.LastIndex(e.Path, "@"):], "/SKILL.md")
	}
	return strings.TrimSpace(out)
}

// TestEqualNames checks which skill of a name is listed, and in which order.
func TestEqualNames(t *testing.T) {
	found := []Entry{
		entry("b", "1", "/w/skills/z@1/SKILL.md", 0), entry("a", "2", "/w/skills/y@2/SKILL.md", 0),
		entry("b", "3", "/h/skills/x@3/SKILL.md", 1), entry("c", "4", "/h/skills/w@4/SKILL.md", 1),
	}
	for id, want := range map[string]string{
		"codex":    "+a@2 +b@1 +b@3 +c@4", // all of them, the project's first
		"copilot":  "+b@1 +a@2 +c@4 -b@3",
		"gemini":   "+b@3 +a@2 +c@4 -b@1", // the last one, in the place of the first
		"opencode": "+a@2 +b@3 +c@4 -b@1",
		"goose":    "+a@2 +b@1 +c@4 -b@3",
		"crush":    "+c@4 +a@2 +b@1 -b@3", // the last one by path
		"cursor":   "+b@1 +a@2 +b@3 +c@4",
	} {
		if got := names(Find(id).Catalogue(found, 0)); got != want {
			t.Errorf("%s lists %s, want %s", id, got, want)
		}
	}
}

// TestEntryText checks the text of one skill, with what needs escaping.
func TestEntryText(t *testing.T) {
	one := []Entry{entry("a", `"x" < y`, "/w/skills/a b/SKILL.md", 0)}
	for id, want := range map[string]string{
		"codex":    "### Available skills\n- a: \"x\" < y (file: /w/skills/a b/SKILL.md)\n",
		"goose":    "• a - \"x\" < y\n",
		"gemini":   "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>\"x\" < y</description>\n    <location>/w/skills/a b/SKILL.md</location>\n  </skill>\n</available_skills>\n",
		"opencode": "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>\"x\" < y</description>\n    <location>file:///w/skills/a%20b/SKILL.md</location>\n  </skill>\n</available_skills>\n",
		"zed":      "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>&quot;x&quot; &lt; y</description>\n    <location>/w/skills/a b/SKILL.md</location>\n  </skill>\n</available_skills>\n",
		"vscode":   "<skills>\n<skill>\n<name>a</name>\n<description>\"x\" < y</description>\n<file>/w/skills/a b/SKILL.md</file>\n</skill>\n</skills>\n",
	} {
		if got := Find(id).Catalogue(one, 0).Text; got != want {
			t.Errorf("%s shows %q, want %q", id, got, want)
		}
	}
	for _, c := range All() {
		if got := c.Catalogue(nil, 0); got.Text != "" || len(got.Entries) > 0 {
			t.Errorf("%s shows %q of nothing", c.ID, got.Text)
		}
	}
}

// TestBudget checks what each client does over its budget. The numbers are worked out
// by hand.
func TestBudget(t *testing.T) {
	skills := func(n, length int) (out []Entry) {
		for i := range n {
			name := fmt.Sprintf("s%02d", i)
			out = append(out, entry(name, strings.Repeat("x", length), "/w/skills/"+name+"/SKILL.md", 0))
		}
		return out
	}
	var deep []Entry
	for i := range 5 {
		name := fmt.Sprintf("s%02d", i)
		deep = append(deep, entry(name, strings.Repeat("x", 20), "/"+strings.Repeat("w", 192)+"/skills/"+name+"/SKILL.md", 0))
	}
	for name, tt := range map[string]struct {
		client               string
		skills               []Entry
		window               int
		used, limit, listed  int
		cuts                 []int // of the first skills
		starts, mustNotExist string
	}{
		// A line has 38 bytes, and 59 with a space and its description: 15 tokens. In 14
		// there is room for 17 characters.
		"codex shortens alike": {"codex", skills(4, 20), 2800, 56, 56, 4, []int{3, 3, 3, 3}, "### Available skills\n- s00: xxxxxxxxxxxxxxxxx (file", "Skill roots"},
		// With full paths, each of 40 lines has 11 tokens, enough for 5 characters. With short
		// ones they have 8, and the table costs 49: 71 are left for descriptions, so that 31
		// skills show 8 characters and 9 show 4.
		"codex takes short paths": {"codex", skills(40, 100), 22_000, 440, 440, 40, []int{92, 92}, "### Skill roots\n- `r0` = `/w/skills`\n### Available skills\n- s00: x", "/w/skills/s"},
		// With full paths, two names cost 116 tokens. With short ones they have 8 each, and
		// the table costs 97: as many are shown for less.
		"codex takes what is shorter": {"codex", deep, 5900, 113, 118, 2, []int{20, 20, 0}, "### Skill roots\n", "s02"},
		"codex leaves skills out":     {"codex", skills(3, 20), 1100, 20, 22, 2, []int{20, 20, 0}, "### Available skills\n- s00: (file: /w", "s02"},
		"codex does not know":         {"codex", skills(1, 20), 0, 59, 8000, 1, []int{0}, "### Available skills\n- s00: x", "roots"},
		// Names cost 6 characters each. 40 more are left: the first description fits, and
		// the second does not.
		"claude keeps names": {"claude-code", skills(3, 28), 1500, 48, 60, 3, []int{0, 28, 28}, "- s00: xxx", "s01: "},
		"claude by default":  {"claude-code", skills(3, 28), 0, 108, 8000, 3, []int{0, 0, 0}, "- s00: xxx", "none"},
		"zed stops":          {"zed", skills(60, 1000), 0, 51 * 1003, 51200, 51, []int{0}, "<available_skills>", "s51"},
	} {
		got := Find(tt.client).Catalogue(tt.skills, tt.window)
		listed := 0
		for _, e := range got.Entries {
			if e.Listed {
				listed++
			}
		}
		if got.Used != tt.used || got.Limit != tt.limit || listed != tt.listed {
			t.Errorf("%s: %d of %d used, %d listed, want %d of %d, %d", name, got.Used, got.Limit, listed, tt.used, tt.limit, tt.listed)
		}
		for i, cut := range tt.cuts {
			if got.Entries[i].Cut != cut {
				t.Errorf("%s: skill %d is cut by %d, want %d", name, i, got.Entries[i].Cut, cut)
			}
		}
		if !strings.HasPrefix(got.Text, tt.starts) || strings.Contains(got.Text, tt.mustNotExist) {
			t.Errorf("%s:\n%s", name, got.Text)
		}
	}
}
