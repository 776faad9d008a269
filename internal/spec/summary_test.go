package spec

import "testing"

func TestSummary(t *testing.T) {
	doc := Scan("my-skill/SKILL.md", "my-skill", []byte("---\nname: my-skill\ndescription: d\nallowed-tools: [Read, \"Bash(git:*)\"]\ndisable-model-invocation: \"True\"\nuser-invocable: no\n---\n"))
	doc.Decode(doc.Source[doc.Block().Start:doc.Block().End])
	want := Summary{Name: "my-skill", Description: "d", AllowedTools: "Read Bash(git:*)", Hidden: true, NotUser: true}
	if got := doc.Summary(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
