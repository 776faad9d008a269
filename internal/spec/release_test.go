package spec

import (
	"strings"
	"testing"
)

// TestRelease holds Release to what its users need afterwards.
func TestRelease(t *testing.T) {
	const front = "---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\n"
	skill := func(path, body string) *Document {
		d := parse(front + body)
		d.Path, d.Files = path, inMemory(map[string]string{"SKILL.md": "", "a.md": "text"})
		return d
	}
	docs := []*Document{skill("a/SKILL.md", "one\n"), skill("b/SKILL.md", "two\n"), skill("c/SKILL.md", "one\n")}
	before := Collisions(docs, Options{}, asWritten)
	for i, d := range docs {
		Check(d, Options{})
		d.Release(i == 1)
	}
	after := Collisions(docs, Options{}, asWritten)
	if len(before) != 2 || len(after) != 2 || after[docs[1]][0] != before[docs[1]][0] || after[docs[2]][0] != before[docs[2]][0] {
		t.Errorf("collisions: got %v, want %v", after, before)
	}
	if got := docs[0].Line(2); got != "name: my-skill" {
		t.Errorf("line 2: got %q", got)
	}
	if docs[0].Body != "" || strings.Contains(string(docs[0].Source), "one") || docs[0].Files != nil {
		t.Error("the body or the folder is still held")
	}
	if docs[1].Line(5) != "two" || docs[1].Body != "two\n" {
		t.Errorf("a whole document lost its text: %q", docs[1].Source)
	}
	if data, err := docs[1].Files.Read("a.md", 10); err != nil || string(data) != "text" {
		t.Errorf("reading again: %q, %v", data, err)
	}
	silenced := skill("d/SKILL.md", "<!-- skills: ignore name-collision -- known -->\n")
	silenced.Release(false)
	if reason, ok := silenced.Ignoring("name-collision"); !ok || reason != "known" {
		t.Errorf("the comment is forgotten: %q, %v", reason, ok)
	}
}
