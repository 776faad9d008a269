package skills_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// many returns skills that are more than a catalogue lists.
func many(more ...*loader.Skill) []*loader.Skill {
	var list []*loader.Skill
	for i := range 600 {
		s := named(fmt.Sprintf("filler-%04d", i), "x")
		s.Description = strings.Repeat("Keeps minutes of meetings in the style of the house. ", 4)
		list = append(list, s)
	}
	return append(list, more...)
}

// TestFindSkills checks that skills which the catalogue leaves out are found by what they
// do, by a misspelt word and by their text, and can be loaded; those that only users invoke
// are not found.
func TestFindSkills(t *testing.T) {
	pdf, tides, secret := named("pdf-merge", "p"), named("harbour", "h"), named("secret-plan", "s")
	pdf.Description = "Merges and splits PDF documents."
	tides.Description = "Answers sailors."
	tides.Load = func(context.Context) (loader.Contents, error) {
		return loader.Contents{Text: "t", Instructions: "# Tides\n\nLook up the tide table of the port."}, nil
	}
	secret.Description, secret.Hidden = "Merges PDF documents in secret.", true
	b := newBench(t, skills.Options{Source: loader.Memory(many(pdf, tides, secret)...)})
	if strings.Contains(b.context.Instructions, "pdf-merge") {
		t.Fatal("the catalogue lists it")
	}
	for query, want := range map[string]string{
		"combine two pdf files":      "pdf-merge",
		"merge documnets":            "pdf-merge",
		"when is high tide tomorrow": "harbour",
	} {
		got := b.call("find_skills", fmt.Sprintf(`{"query":%q}`, query))
		if got.Failed || !strings.Contains(got.Text, "<name>"+want+"</name>") || strings.Contains(got.Text, "secret-plan") {
			t.Errorf("%s: got %+v", query, got)
		}
	}
	b.text("load_skill", `{"skillName":"pdf-merge"}`, "p\n\n<available_resources />\n\n<available_scripts />")
	if got := b.call("find_skills", `{"query":"zzzz"}`); got.Failed || !strings.HasPrefix(got.Text, "None of the 602 skills fits.") {
		t.Errorf("nothing fits: got %+v", got)
	}
	b.refused("find_skills", `{"query":" "}`, "Error: The query cannot be empty.")
}

// TestFewSkillsNeedNoSearch checks that the tool is only offered where it is needed.
func TestFewSkillsNeedNoSearch(t *testing.T) {
	b := newBench(t, skills.Options{Source: loader.Memory(named("a", "a"), named("b", "b"))})
	for _, tool := range b.context.Tools {
		if tool.Name == "find_skills" {
			t.Error("it is offered")
		}
	}
	if strings.Contains(b.context.Instructions, "find_skills") {
		t.Error("it is named")
	}
}
