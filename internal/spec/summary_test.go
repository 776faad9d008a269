package spec

import (
	"reflect"
	"testing"
)

func TestSummary(t *testing.T) {
	doc := Scan("my-skill/SKILL.md", "my-skill", []byte("---\nname: my-skill\ndescription: d\nallowed-tools: [Read, \"Bash(git:*)\"]\ndisable-model-invocation: \"True\"\nuser-invocable: no\nmetadata: {version: 1.0, tags: [a]}\n---\n"))
	doc.Decode(doc.Source[doc.Block().Start:doc.Block().End])
	want := Summary{Name: "my-skill", Description: "d", AllowedTools: "Read Bash(git:*)", Hidden: true, NotUser: true, Metadata: map[string]string{"version": "1.0"}}
	if got := doc.Summary(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
