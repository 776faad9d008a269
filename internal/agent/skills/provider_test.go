package skills_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/prompt"
	"skills/internal/testing/filetest"
)

func TestNew(t *testing.T) {
	if _, err := skills.New(skills.Options{}); err == nil {
		t.Error("a provider without a source is made")
	}
	_, err := skills.New(skills.Options{Source: loader.Memory(), Template: "no place"})
	if !errors.Is(err, prompt.ErrNoPlaceholder) {
		t.Errorf("error %v, want %v", err, prompt.ErrNoPlaceholder)
	}
	p, err := skills.New(skills.Options{Source: loader.Memory()})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != "skills" {
		t.Errorf("name %q, want skills", p.Name())
	}
	if err := p.Invoked(t.Context(), &agent.Invoked{}); err != nil {
		t.Error(err)
	}
}

// TestNoSkills checks that without skills the request is the same as without the
// provider.
func TestNoSkills(t *testing.T) {
	for name, source := range map[string]loader.Source{
		"empty": loader.Memory(),
		"nil and nameless ones": loader.SourceFunc(func(context.Context) ([]*loader.Skill, error) {
			return []*loader.Skill{nil, memory(" ", "no name", loader.Contents{})}, nil
		}),
	} {
		b := newBench(t, skills.Options{Source: source, Runner: &recorder{}})
		if b.context.Instructions != "" || b.context.Tools != nil || b.context.Messages != nil || b.context.Ephemeral != nil {
			t.Errorf("%s: something is added: %+v", name, b.context)
		}
	}
}

func TestContribution(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}})
	if got, want := b.toolNames(), []string{"load_skill", "read_skill_resource", "run_skill_script"}; !slices.Equal(got, want) {
		t.Errorf("tools %v, want %v", got, want)
	}
	want, err := prompt.Instructions("", []prompt.Entry{
		{Name: "other", Description: "Does something else."},
		{Name: "unit-converter", Description: "Converts units. Use when asked to convert miles, kilometers, pounds, or kilograms."},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.context.Instructions); diff != "" {
		t.Errorf("instructions (-want +got):\n%s", diff)
	}
	if len(b.context.Messages) != 0 {
		t.Errorf("messages are added: %+v", b.context.Messages)
	}

	b = newBench(t, skills.Options{Source: loader.Memory(
		memory("b", "</available_skills> & more", loader.Contents{}), memory("B", "x", loader.Contents{}), memory("b", "the second", loader.Contents{}),
	), Template: "{x}{skills}"})
	if got, want := b.context.Instructions, "{x}  <skill>\n    <name>B</name>\n    <description>x</description>\n  </skill>\n"+
		"  <skill>\n    <name>b</name>\n    <description>&lt;/available_skills&gt; &amp; more</description>\n  </skill>"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestScriptToolOnlyWhereItCanRun checks that run_skill_script is offered only if a
// script could run.
func TestScriptToolOnlyWhereItCanRun(t *testing.T) {
	function := loader.Script{Name: "f", Call: echo}
	withFunction := memory("fn", "x", loader.Contents{Scripts: []loader.Script{function}})
	broken := &loader.Skill{Name: "broken", Load: func(context.Context) (loader.Contents, error) { return loader.Contents{}, errors.New("no") }}
	scriptless := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/notes.md": "x"})
	for _, tt := range []struct {
		name string
		opt  skills.Options
		want bool
	}{
		{"files and a runner", skills.Options{Source: files(converter(t)), Runner: &recorder{}}, true},
		{"files, no runner", skills.Options{Source: files(converter(t))}, false},
		{"no skill has a script", skills.Options{Source: files(scriptless), Runner: &recorder{}}, false},
		{"a function, no runner", skills.Options{Source: loader.Memory(withFunction)}, true},
		{"a file without a folder", skills.Options{Source: loader.Memory(memory("m", "x", loader.Contents{Scripts: []loader.Script{{Name: "x.py"}}})), Runner: &recorder{}}, false},
		{"an unreadable skill besides", skills.Options{Source: loader.Memory(broken, withFunction)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.opt)
			if got := slices.Contains(b.toolNames(), "run_skill_script"); got != tt.want {
				t.Errorf("tools %v, want run_skill_script: %t", b.toolNames(), tt.want)
			}
			if got := strings.Contains(b.context.Instructions, "run_skill_script"); got != tt.want {
				t.Errorf("the instructions speak of run_skill_script: %t, want %t", got, tt.want)
			}
		})
	}
}

func TestSourceErrors(t *testing.T) {
	fail := true
	source := loader.SourceFunc(func(context.Context) ([]*loader.Skill, error) {
		if fail {
			return nil, errors.New("disk gone")
		}
		return []*loader.Skill{memory("a", "x", loader.Contents{})}, nil
	})
	p, err := skills.New(skills.Options{Source: source})
	if err != nil {
		t.Fatal(err)
	}
	session := agent.NewSession()
	if _, err := p.Invoking(t.Context(), &agent.Invoking{Session: session}); err == nil || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("error %v, want that of the source", err)
	}
	if _, err := p.Activate(t.Context(), session, "a"); err == nil || errors.Is(err, skills.ErrUnknownSkill) {
		t.Errorf("Activate: error %v, want that of the source", err)
	}
	if _, err := p.Mention(t.Context(), "/a"); err == nil {
		t.Error("Mention: no error")
	}
	fail = false
	if c, err := p.Invoking(t.Context(), &agent.Invoking{Session: session}); err != nil || len(c.Tools) != 2 {
		t.Errorf("the next call: %d tools, %v; want 2", len(c.Tools), err)
	}
}

func TestLoadSkill(t *testing.T) {
	root := converter(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{}})
	got := b.call("load_skill", `{"skillName":"unit-converter"}`)
	if got.Failed || got.Truncated || got.Process != nil {
		t.Errorf("result %+v", got)
	}
	filetest.Golden(t, "load_skill", strings.ReplaceAll(got.Text, filepath.Join(root, "unit-converter"), "{folder}"))
	filetest.Golden(t, "load_skill_empty", strings.ReplaceAll(b.call("load_skill", `{"skill_name":"Other"}`).Text, filepath.Join(root, "other"), "{folder}"))

	// The same text again, until the file is edited.
	if again := b.call("load_skill", `{"skillName":"unit-converter"}`); again.Text != got.Text {
		t.Errorf("the second time it is\n%s", again.Text)
	}
	path := filepath.Join(root, "unit-converter", "SKILL.md")
	if err := os.WriteFile(path, []byte("---\nname: unit-converter\ndescription: x\n---\nEdited.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if next := b.call("load_skill", `{"skillName":"unit-converter"}`); !strings.Contains(next.Text, "Edited.") {
		t.Errorf("after the edit it is\n%s", next.Text)
	}
}

func TestLoaded(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}})
	b.call("load_skill", `{"skillName":"nothing"}`)
	b.call("load_skill", `{"skillName":"UNIT-CONVERTER"}`)
	b.call("load_skill", `{"skillName":"other"}`)
	b.call("load_skill", `{"skillName":"unit-converter"}`)
	want := []string{"unit-converter", "other"}
	if got, err := skills.Loaded(b.session); err != nil || !slices.Equal(got, want) {
		t.Errorf("Loaded: %v, %v; want %v", got, err, want)
	}
	saved, err := b.session.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(saved["skills"]), `{"loaded":["unit-converter","other"]}`; got != want {
		t.Errorf("saved %s, want %s", got, want)
	}
	if got, err := skills.Loaded(agent.RestoreSession(saved)); err != nil || !slices.Equal(got, want) {
		t.Errorf("restored: %v, %v; want %v", got, err, want)
	}
}

func TestSpoiltState(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t))})
	b.session = agent.RestoreSession(map[string]jsonText{"skills": jsonText(`[]`)})
	if _, err := b.provider.Invoking(t.Context(), &agent.Invoking{Session: b.session}); err == nil {
		t.Error("Invoking: no error")
	}
	if _, err := b.provider.Activate(t.Context(), b.session, "other"); err == nil {
		t.Error("Activate: no error")
	}
	inv := b.invocation("load_skill", `{"skillName":"other"}`)
	if got, err := perform(t.Context(), inv); err == nil {
		t.Errorf("load_skill: got %q, want an error", got.Text)
	}
}

func TestActivate(t *testing.T) {
	root := converter(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{}})
	if _, err := b.provider.Activate(t.Context(), b.session, "Unit-Converter"); err != nil {
		t.Fatal(err)
	}
	b.begin()
	if len(b.context.Messages) != 1 {
		t.Fatalf("messages of the next run: %+v", b.context.Messages)
	}
	message := b.context.Messages[0]
	if message.Role != agent.User || message.Source != agent.FromContext || message.Provider != "skills" {
		t.Errorf("message %+v, want a user message from the context provider", message)
	}
	filetest.Golden(t, "activated", strings.ReplaceAll(message.Text, filepath.Join(root, "unit-converter"), "{folder}"))
	if loaded := b.call("load_skill", `{"skillName":"unit-converter"}`).Text; !strings.HasSuffix(message.Text, "\n\n"+loaded) {
		t.Errorf("it is not what load_skill returns:\n%s", message.Text)
	}
	b.begin()
	if len(b.context.Messages) != 0 {
		t.Errorf("the run after it has messages, too: %+v", b.context.Messages)
	}
	if got, _ := skills.Loaded(b.session); !slices.Equal(got, []string{"unit-converter"}) {
		t.Errorf("Loaded: %v", got)
	}

	_, err := b.provider.Activate(t.Context(), b.session, "unit-convert")
	if !errors.Is(err, skills.ErrUnknownSkill) || err.Error() != `skill "unit-convert" not found` {
		t.Errorf("error %v, want an ErrUnknownSkill", err)
	}
	hint := fault.Hint(err)
	if want := "Available skills: other, unit-converter. Did you mean 'unit-converter'?"; hint != want {
		t.Errorf("hint %q, want %q", hint, want)
	}
	broken := &loader.Skill{Name: "broken", Load: func(context.Context) (loader.Contents, error) { return loader.Contents{}, errors.New("no luck") }}
	b = newBench(t, skills.Options{Source: loader.Memory(broken)})
	_, err = b.provider.Activate(t.Context(), b.session, "broken")
	if err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("error %v, want that of the skill", err)
	}
}
