package skills_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/fault"
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
		{"/other /a/b is what?", "other", "/a/b is what?", ""},
		{"/other", "other", alone, ""},
		{" /other \n", "other", alone, ""},
		{"/other /unit-converter", "other unit-converter", "Do what the skills 'other', 'unit-converter' are for, in this order, as their instructions say.", ""},
		{"/Other do it", "other", "do it", "/Other means the skill other"},
		{"/twin do it", "twin", "do it", ""},
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

// TestUnknownMention checks that a /name at the beginning of the prompt is an error if no
// skill has that name.
func TestUnknownMention(t *testing.T) {
	b := newBench(t, skills.Options{Source: loader.Memory(
		memory("other", "x", loader.Contents{}), memory("unit-converter", "x", loader.Contents{}), memory("Twin", "x", loader.Contents{}), memory("twin", "x", loader.Contents{}),
	)})
	const asText = "pass --no-slash to send the prompt as text"
	for text, want := range map[string]string{
		"/TWIN do it":          "/TWIN: no skill has this name (did you mean /Twin? " + asText + ")",
		"/unknown do it":       "/unknown: no skill has this name (" + asText + ")",
		"/other /unit-convert": "/unit-convert: no skill has this name (did you mean /unit-converter? " + asText + ")",
	} {
		_, err := b.provider.Mention(t.Context(), text)
		if !errors.Is(err, skills.ErrUnknownSkill) || err.Error()+" ("+fault.Hint(err)+")" != want {
			t.Errorf("Mention(%q) = %v, want %s", text, err, want)
		}
	}
}

// TestAllowedTools checks that the allowed-tools of a skill are reported once, when it
// is loaded.
func TestAllowedTools(t *testing.T) {
	greedy := memory("greedy", "x", loader.Contents{Text: "x"})
	greedy.AllowedTools = "Bash(git:*)\n  Read"
	long := memory("long", "x", loader.Contents{Text: "x"})
	long.AllowedTools = strings.Repeat("é", 301)
	b := newBench(t, skills.Options{Source: loader.Memory(greedy, long, memory("plain", "x", loader.Contents{Text: "x"}))})
	const note = "the skill greedy lists allowed-tools: Bash(git:*) Read; this approves nothing (see --approve)"
	var notes []string
	for _, name := range []string{"plain", "Greedy", "greedy"} {
		inv := b.invocation("load_skill", `{"skillName":"`+name+`"}`)
		inv.Emit = func(e agent.Event) { notes = append(notes, e.(agent.NoteEvent).Message) }
		if _, err := perform(t.Context(), inv); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(notes, []string{note}) {
		t.Errorf("notes %q, want %q", notes, note)
	}
	for name, want := range map[string]string{"greedy": note, "GREEDY": note, "plain": ""} {
		if got, err := b.provider.Activate(t.Context(), b.session, name); err != nil || got != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if got, err := b.provider.Activate(t.Context(), b.session, "long"); err != nil || !strings.Contains(got, strings.Repeat("é", 200)+" …(1 characters omitted)… "+strings.Repeat("é", 100)+";") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := b.provider.Activate(t.Context(), b.session, "none"); err == nil {
		t.Errorf("an unknown skill: got %q", got)
	}
}
