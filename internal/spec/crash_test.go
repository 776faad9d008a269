package spec_test

import (
	"testing"

	"skills/internal/loader"
	"skills/internal/spec"
)

// TestCrash loses the findings of a rule that panics, and no others. A comment that ignores
// the rule is not called useless then.
func TestCrash(t *testing.T) {
	report := func(p *spec.Pass) { p.Report(spec.Span{}, "", "found") }
	all := []*spec.Rule{
		{ID: "before", Level: spec.Error, Check: report},
		{ID: "crash", Level: spec.Error, Check: func(p *spec.Pass) {
			report(p)
			panic("out of range")
		}},
		{ID: "after", Level: spec.Error, Check: report},
		{ID: "ignore-comment", Level: spec.Warning},
	}
	doc := loader.ParseDocument("SKILL.md", "a", []byte("---\nname: a\ndescription: b\n---\n<!-- skills: ignore crash -- it crashes -->\n"))
	crashes := map[string]any{}
	got := spec.Check(doc, all, spec.Options{Crashed: func(rule string, cause any) { crashes[rule] = cause }})
	if len(got) != 2 || got[0].Rule != "after" || got[1].Rule != "before" {
		t.Errorf("got %v", got)
	}
	if len(crashes) != 1 || crashes["crash"] != "out of range" {
		t.Errorf("got the crashes %v", crashes)
	}
	defer func() {
		if recover() == nil {
			t.Error("without Crashed, a panic goes on")
		}
	}()
	spec.Check(doc, all, spec.Options{})
}
