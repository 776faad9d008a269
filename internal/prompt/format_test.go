package prompt_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/prompt"
	"skills/internal/testing/filetest"
)

func catalogue() []prompt.Entry {
	return []prompt.Entry{
		{"pdf-forms", "Fills PDF forms. Use it's fields & \"boxes\" <b>as they are</b>.", "/home/ann & bob/skills/pdf-forms/SKILL.md"},
		{"注释", "first line\nsecond line\n</available_skills>\n# Not a heading", "/s/`odd`/SKILL.md"},
		{"in-memory", "Has no file.", ""},
	}
}

func format(t *testing.T, name string) prompt.Format {
	t.Helper()
	for _, f := range prompt.Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %q", name)
	return prompt.Format{}
}

func write(t *testing.T, name string, entries []prompt.Entry) string {
	t.Helper()
	return format(t, name).Text(entries)
}

// bare is entries without their locations.
func bare(entries []prompt.Entry) []prompt.Entry {
	for i := range entries {
		entries[i].Location = ""
	}
	return entries
}

func TestFormatsGolden(t *testing.T) {
	for _, f := range prompt.Formats() {
		filetest.Golden(t, "format_"+f.Name, write(t, f.Name, catalogue()))
		filetest.Golden(t, "format_"+f.Name+"_bare", write(t, f.Name, bare(catalogue())))
	}
	if first := prompt.Formats()[0].Name; first != "skills-ref" {
		t.Errorf("the default format is %s, want skills-ref", first)
	}
}

// TestSkillsRefIsTheReference checks that the expected texts are what the reference
// library prints.
func TestSkillsRefIsTheReference(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries []prompt.Entry
		want    string
	}{
		{"none", nil, "<available_skills>\n</available_skills>\n"},
		{"quotes and tags", []prompt.Entry{{"my-skill", `Use <b>tags</b> & "quotes" 'single'`, "/r/my-skill/SKILL.md"}},
			"<available_skills>\n<skill>\n<name>\nmy-skill\n</name>\n<description>\n" +
				"Use &lt;b&gt;tags&lt;/b&gt; &amp; &quot;quotes&quot; &#x27;single&#x27;\n</description>\n" +
				"<location>\n/r/my-skill/SKILL.md\n</location>\n</skill>\n</available_skills>\n"},
		{"already escaped", []prompt.Entry{{"a", "&lt;", "/a&b/<c>/SKILL.md"}},
			"<available_skills>\n<skill>\n<name>\na\n</name>\n<description>\n&amp;lt;\n</description>\n" +
				"<location>\n/a&b/<c>/SKILL.md\n</location>\n</skill>\n</available_skills>\n"},
		{"two, order kept, line feed kept", []prompt.Entry{{"b", "one\ntwo", "/b/SKILL.md"}, {"a", "x", "/a/SKILL.md"}},
			"<available_skills>\n<skill>\n<name>\nb\n</name>\n<description>\none\ntwo\n</description>\n<location>\n/b/SKILL.md\n</location>\n</skill>\n" +
				"<skill>\n<name>\na\n</name>\n<description>\nx\n</description>\n<location>\n/a/SKILL.md\n</location>\n</skill>\n</available_skills>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := write(t, "skills-ref", tt.entries); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestNoSkills(t *testing.T) {
	for name, want := range map[string]string{
		"skills-ref": "<available_skills>\n</available_skills>\n",
		"xml":        "",
		"json":       "{\n  \"available_skills\": []\n}\n",
		"markdown":   "",
	} {
		if got := write(t, name, nil); got != want {
			t.Errorf("%s without skills: got %q, want %q", name, got, want)
		}
	}
}

type block struct {
	Skills []struct {
		Name        string `xml:"name"`
		Description string `xml:"description"`
		Location    string `xml:"location"`
	} `xml:"skill"`
}

// FuzzFormats checks that, for any frontmatter, the XML block decodes to one skill with
// the same values, and the other formats stay well-formed.
func FuzzFormats(f *testing.F) {
	for _, e := range catalogue() {
		f.Add(e.Name, e.Description, e.Location)
	}
	f.Add("a\x00b", "\xff\xfe]]>", "\x1b[31m")
	f.Add("`", "``", "``` ` ")
	f.Fuzz(func(t *testing.T, name, description, location string) {
		entries := []prompt.Entry{{name, description, location}}
		var parsed block
		text := write(t, "xml", entries)
		if err := xml.Unmarshal([]byte(text), &parsed); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(parsed.Skills) != 1 {
			t.Fatalf("%d skills in\n%s", len(parsed.Skills), text)
		}
		if got := parsed.Skills[0].Description; readable(description) && got != description {
			t.Errorf("description: got %q, want %q", got, description)
		}
		var object struct {
			Skills []prompt.Entry `json:"available_skills"`
		}
		if err := json.Unmarshal([]byte(write(t, "json", entries)), &object); err != nil {
			t.Fatal(err)
		}
		if got := object.Skills[0]; utf8.ValidString(name+description+location) && got != entries[0] {
			t.Errorf("JSON: got %q, want %q", got, entries[0])
		}
		if got := write(t, "markdown", entries); strings.Count(got, "\n") > 4 {
			t.Errorf("Markdown of one skill has more than its lines:\n%s", got)
		}
		if got := write(t, "skills-ref", bare(entries)); strings.Count(got, "<") != 8 {
			t.Errorf("a value opens a tag in\n%s", got)
		}
	})
}

// readable reports whether XML can hold the text unchanged.
func readable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF
	})
}
