package skills_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/spec/tokens"
)

func named(name, origin string) *loader.Skill {
	return &loader.Skill{Name: name, Description: "d " + name, Origin: origin,
		Load: func(context.Context) (loader.Contents, error) { return loader.Contents{Text: origin}, nil }}
}

// TestCodeSkill checks the content, resources and scripts of an inline skill through the
// three tools, and their errors.
func TestCodeSkill(t *testing.T) {
	type in struct {
		Value float64 `json:"value" desc:"the number"`
	}
	skill, err := loader.Inline(loader.Frontmatter{Name: "converter", Description: "Converts <kg>."}, "Run `double` with <value>.",
		loader.Value("table", "of factors", "1 kg is 2.2 lb"),
		loader.Function("double", "twice the value", func(_ context.Context, i in) (float64, error) {
			if i.Value < 0 {
				panic("below zero")
			}
			return 2 * i.Value, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	empty, err := loader.Inline(loader.Frontmatter{Name: "empty", Description: "d"}, "Nothing.")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, skills.Options{Source: loader.Memory(skill, empty)})
	const content = `<name>converter</name>
<description>Converts &lt;kg&gt;.</description>

<instructions>
Run ` + "`double`" + ` with &lt;value&gt;.
</instructions>

<available_resources>
  <resource name="table" description="of factors"/>
</available_resources>

<available_scripts>
  <script name="double" description="twice the value"><parameters_schema>{"additionalProperties":false,"properties":{"value":{"description":"the number","type":"number"}},"required":["value"],"type":"object"}</parameters_schema></script>
</available_scripts>`
	for range 2 {
		b.text("load_skill", `{"skillName":"converter"}`, content)
	}
	b.text("load_skill", `{"skillName":"empty"}`, "<name>empty</name>\n<description>d</description>\n\n<instructions>\nNothing.\n</instructions>\n\n<available_resources />\n\n<available_scripts />")
	b.text("read_skill_resource", `{"skillName":"converter","resourceName":"table"}`, "1 kg is 2.2 lb")
	run := func(arguments string) string {
		return `{"skillName":"converter","scriptName":"double","arguments":` + arguments + `}`
	}
	b.text("run_skill_script", run(`{"value":"1.5"}`), "3")
	b.text("run_skill_script", run(`"{\"value\":2}"`), "4")
	const failed = "Error: Failed to execute script 'double' from skill 'converter'. Exception: "
	b.text("run_skill_script", run(`["--value","1"]`), "2")
	b.refused("run_skill_script", run(`["1"]`), failed+"the script takes its arguments as a JSON object of named values, got an array; its parameters are value")
	b.refused("run_skill_script", run(`{"value":-1}`), failed+"panic: below zero")
	b.refused("run_skill_script", run(`{}`), failed+`parameter "value" is missing; its parameters are value`)
}

// TestHiddenSkills checks that a skill that only the user invokes is not in the
// catalogue, and can be used once it was invoked.
func TestHiddenSkills(t *testing.T) {
	hidden, open := named("hidden", "h"), named("open", "o")
	hidden.Hidden = true
	b := newBench(t, skills.Options{Source: loader.Memory(hidden, open)})
	if strings.Contains(b.context.Instructions, "hidden") || !strings.Contains(b.context.Instructions, "open") {
		t.Errorf("the catalogue tells of the wrong skills:\n%s", b.context.Instructions)
	}
	if got := fmt.Sprint(b.context.Tools[0].Schema); strings.Contains(got, "hidden") {
		t.Errorf("the tool tells of it: %s", got)
	}
	b.refused("load_skill", `{"skillName":"hidden"}`, "Error: Skill 'hidden' not found.\nAvailable skills: open.")
	if m, err := b.provider.Mention(t.Context(), "/hidden go"); err != nil || !slices.Equal(m.Names, []string{"hidden"}) {
		t.Errorf("/hidden: %+v, %v", m, err)
	}
	if _, err := b.provider.Activate(t.Context(), b.session, "hidden"); err != nil {
		t.Fatal(err)
	}
	b.begin()
	if len(b.context.Messages) != 1 || !strings.Contains(b.context.Messages[0].Text, "h\n") {
		t.Errorf("activated: got %v", b.context.Messages)
	}
	b.text("load_skill", `{"skillName":"hidden"}`, "h\n\n<available_resources />\n\n<available_scripts />")

	// The same in a continued session.
	snapshot, err := b.session.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	b.session = agent.RestoreSession(snapshot)
	b.begin()
	b.text("load_skill", `{"skillName":"hidden"}`, "h\n\n<available_resources />\n\n<available_scripts />")

	// Only hidden skills are like no skills.
	b = newBench(t, skills.Options{Source: loader.Memory(hidden)})
	if b.context.Instructions != "" || len(b.context.Tools) != 0 {
		t.Errorf("only hidden skills: %+v", b.context)
	}
}

func TestNotForUsers(t *testing.T) {
	model, other := named("model-only", "m"), named("other", "o")
	model.NotUser = true
	b := newBench(t, skills.Options{Source: loader.Memory(model, other)})
	if !strings.Contains(b.context.Instructions, "model-only") {
		t.Errorf("the instructions do not contain it:\n%s", b.context.Instructions)
	}
	for _, text := range []string{"/model-only go", "/other /Model-Only"} {
		_, err := b.provider.Mention(t.Context(), text)
		if err == nil || !strings.HasPrefix(err.Error(), "/model-only cannot be invoked by the user") || !strings.Contains(fault.Hint(err), "--skill model-only") {
			t.Errorf("%s: got %v, want a refusal with a hint", text, err)
		}
	}
	if _, err := b.provider.Activate(t.Context(), b.session, "model-only"); err != nil {
		t.Errorf("--skill: %v", err)
	}
}

// TestCatalogueBudget checks that a catalogue over its budget is cut, and that each cut
// is reported once.
func TestCatalogueBudget(t *testing.T) {
	var list []*loader.Skill
	for i := range 1000 {
		s := named(fmt.Sprintf("skill-%04d", 999-i), "x")
		s.Description = strings.Repeat("Does a thing with files of a kind. ", 5)
		list = append(list, s)
	}
	var notices []string
	opt := skills.Options{Source: loader.Memory(list...), Notify: func(n loader.Notice) { notices = append(notices, n.Message) }}
	b := newBench(t, opt)
	if len(notices) != 1 || !strings.Contains(notices[0], "of 1000 skills are listed, with at most 4") || !strings.Contains(notices[0], "and later are only found by search") {
		t.Errorf("reported %q, want the cut once", notices)
	}
	// The first of the source are kept; the catalogue stays sorted by name.
	if !strings.Contains(b.context.Instructions, "skill-0999") || strings.Contains(b.context.Instructions, "skill-0000") || !strings.Contains(b.context.Instructions, "Does a thing with files of a kind. Does…") {
		t.Errorf("the wrong skills are described:\n%.400s", b.context.Instructions)
	}
	if enum, ok := b.context.Tools[0].Schema["properties"].(map[string]any)["skillName"].(map[string]any)["enum"]; ok {
		t.Errorf("the schema lists %v", enum)
	}
	if n := tokens.Estimate(b.context.Instructions); n > 2500 {
		t.Errorf("the instructions have %d tokens", n)
	}
	if !strings.Contains(b.context.Instructions, "find_skills") {
		t.Error("the instructions do not say how to find the others")
	}
	again := newBench(t, skills.Options{Source: loader.Memory(list...)})
	if again.context.Instructions != b.context.Instructions {
		t.Error("second run differs")
	}
}

var _ agent.ContextProvider = (*skills.Provider)(nil)

// TestApproveFunctions checks that function scripts need approval as files do, but no
// sandbox.
func TestApproveFunctions(t *testing.T) {
	skill, err := loader.Inline(loader.Frontmatter{Name: "a", Description: "d"}, "x",
		loader.Function("f", "", func(context.Context, struct{}) (string, error) { return "", nil }))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, skills.Options{Source: loader.Memory(skill)})
	const call = `{"skillName":"a","scriptName":"f"}`
	for name, tt := range map[string]struct {
		opt  policyOptions
		want agent.Decision
	}{
		"nobody to ask": {policyOptions{}, agent.Decision{By: "policy", Reason: "scripts need approval and no one is available", Hint: "re-run with --allow-script 'a/f' to allow it"}},
		"always":        {policyOptions{Mode: approve.Always}, agent.Decision{Approved: true, By: "flag", Reason: "--approve always"}},
		"allowed":       {policyOptions{Mode: approve.Never, Allow: []string{"a/*"}}, agent.Decision{Approved: true, By: "flag", Reason: "--allow-script a/*"}},
		"never":         {policyOptions{Mode: approve.Never}, agent.Decision{By: "policy", Reason: "scripts are not run here", Hint: "re-run without --approve never to be asked before a script runs"}},
		"asked":         {policyOptions{Ask: yes}, agent.Decision{Approved: true, By: "user", Reason: "fine"}},
	} {
		got, needed, err := newPolicy(t, b, tt.opt).Approve(t.Context(), b.invocation("run_skill_script", call))
		if err != nil || !needed || got != tt.want {
			t.Errorf("%s: %+v, needed %t, %v; want %+v", name, got, needed, err, tt.want)
		}
	}
}
