package spec

import "testing"

func TestSummary(t *testing.T) {
	doc := parse("---\nname: my-skill\ndescription: d\nallowed-tools: [Read, \"Bash(git:*)\"]\ndisable-model-invocation: \"True\"\nuser-invocable: no\n---\n")
	want := Summary{Name: "my-skill", Description: "d", AllowedTools: "Read Bash(git:*)", Hidden: true, NotUser: true}
	if got := doc.Summary(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
