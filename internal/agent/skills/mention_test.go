package skills_test

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
)

func TestMention(t *testing.T) {
	b := newBench(t, skills.Options{Source: loader.Memory(
		memory("other", "x", loader.Contents{}), memory("unit-converter", "x", loader.Contents{}),
		memory("Twin", "x", loader.Contents{}), memory("twin", "x", loader.Contents{}),
	)})
	const alone = "Do what the skill 'other' is for, as its instructions say."
	for _, tt := range []struct{ text, names, prompt, note string }{
		{"/other do it", "other", "do it", ""},
		{" \n/unit-converter\n1 kg\n", "unit-converter", "1 kg", ""},
		{"/other /unit-converter  1 kg /other", "other unit-converter", "1 kg /other", ""},
		{"/other /other x", "other", "x", ""},
		{"/other /tmp/x is what?", "other", "/tmp/x is what?", ""},
		{"/other", "other", alone, ""},
		{" /other \n", "other", alone, ""},
		{"/other /unit-converter", "other unit-converter", "Do what the skills 'other', 'unit-converter' are for, in this order, as their instructions say.", ""},
		{"/Other do it", "other", "do it", "/Other is taken for the skill other"},
		{"/twin do it", "twin", "do it", ""},
		{"/TWIN do it", "", "/TWIN do it", "no skill is called TWIN, so /TWIN stays in the prompt; did you mean /Twin?"},
		{"/unknown do it", "", "/unknown do it", ""},
		{"/unit-convert do it", "", "/unit-convert do it", "no skill is called unit-convert, so /unit-convert stays in the prompt; did you mean /unit-converter?"},
		{"/other /unit-convert", "other", "/unit-convert", "no skill is called unit-convert, so /unit-convert stays in the prompt; did you mean /unit-converter?"},
		{"/etc/passwd is what?", "", "/etc/passwd is what?", ""},
		{"/unit-converter/ x", "", "/unit-converter/ x", ""},
		{" other", "", " other", ""},
		{"say /other", "", "say /other", ""},
		{"$other", "", "$other", ""},
		{"//other", "", "//other", ""},
		{"/", "", "/", ""},
		{"/ other", "", "/ other", ""},
		{"", "", "", ""},
	} {
		m, err := b.provider.Mention(t.Context(), tt.text)
		if err != nil || strings.Join(m.Names, " ") != tt.names || m.Prompt() != tt.prompt || strings.Join(m.Notes, "\n") != tt.note {
			t.Errorf("Mention(%q) = %+v, %v, prompt %q; want %+v", tt.text, m, err, m.Prompt(), tt)
		}
	}
}

// What a skill asks for is reported once, when it is loaded.
func TestAllowedTools(t *testing.T) {
	greedy := memory("greedy", "x", loader.Contents{Text: "x"})
	greedy.AllowedTools = "Bash(git:*)\n  Read"
	long := memory("long", "x", loader.Contents{Text: "x"})
	long.AllowedTools = strings.Repeat("é", 301)
	b := newBench(t, skills.Options{Source: loader.Memory(greedy, long, memory("plain", "x", loader.Contents{Text: "x"}))})
	const told = "the skill greedy asks to use: Bash(git:*) Read; that allows nothing by itself, --approve decides on its scripts"
	var notes []string
	for _, name := range []string{"plain", "Greedy", "greedy"} {
		inv := b.invocation("load_skill", `{"skillName":"`+name+`"}`)
		inv.Emit = func(e agent.Event) { notes = append(notes, e.(agent.NoteEvent).Message) }
		if _, err := inv.Tool.Call(t.Context(), inv); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(notes, []string{told}) {
		t.Errorf("told %q, want %q", notes, told)
	}
	for name, want := range map[string]string{"greedy": told, "GREEDY": told, "plain": ""} {
		if got, err := b.provider.AllowedTools(t.Context(), name); err != nil || got != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if got, err := b.provider.AllowedTools(t.Context(), "long"); err != nil || !strings.Contains(got, strings.Repeat("é", 200)+" …(1 characters omitted)… "+strings.Repeat("é", 100)+";") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := b.provider.AllowedTools(t.Context(), "none"); err == nil {
		t.Errorf("an unknown skill: got %q", got)
	}
}
