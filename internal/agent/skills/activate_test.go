package skills_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// TestActivateAgain checks that a conversation that contains the content of a skill
// gets only the request to use it; changed content is added again.
func TestActivateAgain(t *testing.T) {
	provider := func(text string, mask func(string) string) *skills.Provider {
		p, err := skills.New(skills.Options{Mask: mask, Source: loader.Memory(
			memory("plain", "Is plain.", loader.Contents{Text: text}), memory("other", "Is other.", loader.Contents{Text: "Be other."}),
		)})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	next := func(p *skills.Provider, name string, conversation ...agent.Message) agent.Message {
		t.Helper()
		session := agent.NewSession()
		if _, err := p.Activate(t.Context(), session, name); err != nil {
			t.Fatal(err)
		}
		got, err := p.Invoking(t.Context(), &agent.Invoking{Session: session, Context: agent.Context{Messages: conversation}})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("got %+v, %v", got.Messages, err)
		}
		m := got.Messages[0]
		m.Source = agent.FromHistory
		return m
	}
	first, second, odd := provider("One.", nil), provider("Two.", nil), provider("One \xff\xff.", nil)
	masked := provider("One key.", func(text string) string { return strings.ReplaceAll(text, "key", "[masked]") })
	one, two, other := next(first, "plain"), next(second, "plain"), next(first, "other")
	load := func(id, arguments, text string) []agent.Message {
		return []agent.Message{
			{Role: agent.Assistant, Source: agent.FromHistory, Calls: []agent.ToolCall{{ID: id, Name: "load_skill", Arguments: arguments}}},
			{Role: agent.ToolRole, Source: agent.FromHistory, CallID: id, Name: "load_skill", Text: text},
		}
	}
	_, content, _ := strings.Cut(one.Text, "\n\n")
	loaded := load("a", `{"skillName":"Plain"}`, content)
	again := next(first, "plain", one)
	const short = "The skill 'plain' is to be used for this. Its content is above, and has not changed since."
	for name, tt := range map[string]struct {
		provider     *skills.Provider
		conversation []agent.Message
		want         string
	}{
		"new":                  {first, nil, one.Text},
		"held":                 {first, []agent.Message{one}, short},
		"held twice":           {first, []agent.Message{one, again}, short},
		"another skill's":      {first, []agent.Message{other}, one.Text},
		"and another skill's":  {first, []agent.Message{one, other}, short},
		"changed":              {second, []agent.Message{one}, two.Text},
		"changed and sent":     {second, []agent.Message{one, two}, short},
		"changed back":         {first, []agent.Message{one, two}, one.Text},
		"loaded by the model":  {first, loaded, short},
		"loaded, changed":      {second, loaded, two.Text},
		"other loaded":         {first, append([]agent.Message{one}, load("b", `{"skillName":"other"}`, "Be other.")...), short},
		"no load":              {first, load("a", `{"skillName":"plain"}`, "Error: no"), one.Text},
		"text of the person":   {first, []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: one.Text}}, one.Text},
		"masked":               {masked, []agent.Message{next(masked, "plain")}, short},
		"no UTF-8, as it was":  {odd, []agent.Message{next(odd, "plain")}, short},
		"no UTF-8, first time": {odd, nil, strings.Replace(one.Text, "One.", "One \uFFFD\uFFFD.", 1)},
	} {
		if got := next(tt.provider, "plain", tt.conversation...).Text; got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}
