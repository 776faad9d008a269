package spec

import (
	"reflect"
	"strings"
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

// TestMaskedFindings checks that no text of a finding shows a key, and that its edits do
// not change.
func TestMaskedFindings(t *testing.T) {
	key := "ghp" + "_" + "Wq8ZtR5nXv2LpKc7YbHd4MsJf9GaUe3TxNi6" // invented
	doc := Scan("my-skill/SKILL.md", "my-skill", []byte("---\nname: "+key+"\n---\n"))
	edits := []Edit{{Start: 10, End: 14, Text: key}}
	fix := &Fix{Description: "write " + key, Edits: edits}
	got := doc.masked([]Diagnostic{{Message: "a " + key, Help: "b " + key, Fix: fix}})[0]
	for _, text := range []string{got.Message, got.Help, got.Fix.Description} {
		if strings.Contains(text, key) || !strings.Contains(text, "ghp_…") {
			t.Errorf("a text of a finding is %q", text)
		}
	}
	if fix.Description != "write "+key || !reflect.DeepEqual(got.Fix.Edits, edits) {
		t.Errorf("the fix became %+v, its edits %+v", fix, got.Fix.Edits)
	}
}
