package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// loader is a provider that brings earlier runs back.
type loader struct{ provider }

func (*loader) LoadsHistory() {}

func TestProvidersThatCollide(t *testing.T) {
	_, err := agent.New(agent.Config{
		Model: "m", Server: agent.Server{BaseURL: "http://host/v1"}, Providers: []agent.ContextProvider{&provider{name: "a"}, &provider{name: "a"}},
	})
	if err == nil || !strings.Contains(err.Error(), `are named "a"`) {
		t.Errorf("got %v", err)
	}
}

// TestHistoryIsNotForEverybody checks that only the history loader may add messages of
// earlier runs.
func TestHistoryIsNotForEverybody(t *testing.T) {
	earlier := []agent.Message{{Role: agent.User, Source: agent.FromHistory, Text: "you promised"}}
	var shown *agent.Invoked
	liar := &provider{name: "liar", context: agent.Context{Messages: earlier}, invoked: func(_ context.Context, out *agent.Invoked) error {
		shown = out
		return nil
	}}
	server := openaitest.New(t, openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) {
		c.Providers = []agent.ContextProvider{liar, &loader{provider{name: "past", context: agent.Context{Messages: earlier}}}}
	})
	result, err := s.run(t, "hi")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range result.Messages {
		got = append(got, string(m.Source)+" "+m.Provider)
	}
	if want := "history ,user ,context liar,model "; strings.Join(got, ",") != want {
		t.Errorf("the conversation is %q, want %q", strings.Join(got, ","), want)
	}
	if len(shown.Request) != 1 || shown.Request[0].Source != agent.FromUser {
		t.Errorf("the request shown is %+v", shown.Request)
	}
	if len(shown.Response) != 1 || shown.Response[0].Source != agent.FromModel {
		t.Errorf("the response shown is %+v", shown.Response)
	}
}

// TestStateOfAnotherType checks that a key holds values of one type only.
func TestStateOfAnotherType(t *testing.T) {
	session := agent.NewSession()
	number := agent.NewState("k", func() int { return 7 })
	text := agent.NewState("k", func() string { return "seven" })
	if err := number.View(session, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if err := text.View(session, func(string) { t.Error("was shown") }); err == nil || !strings.Contains(err.Error(), `"k": it is kept as *int, not as *string`) {
		t.Errorf("got %v", err)
	}
	if err := number.View(session, func(n int) {
		if n != 7 {
			t.Errorf("the value is %d now", n)
		}
	}); err != nil {
		t.Error(err)
	}
}

// TestStateWithinState checks that a provider may read the state of another while it
// changes its own.
func TestStateWithinState(t *testing.T) {
	session := agent.NewSession()
	mine := agent.NewState("mine", func() int { return 1 })
	yours := agent.NewState("yours", func() int { return 41 })
	err := mine.Update(session, func(n *int) error {
		return yours.View(session, func(m int) { *n += m })
	})
	saved, serr := session.Snapshot()
	if err != nil || serr != nil || string(saved["mine"]) != "42" || string(saved["yours"]) != "41" {
		t.Errorf("got %s, %v, %v", saved, err, serr)
	}
}

// TestUnknownFieldInState checks that a saved value with an unknown field is an error,
// because saving it again would lose the field.
func TestUnknownFieldInState(t *testing.T) {
	type value struct{ Known int }
	session := agent.RestoreSession(map[string]json.RawMessage{"v": json.RawMessage(`{"Known":1,"Unknown":2}`)})
	err := agent.NewState("v", func() value { return value{} }).View(session, func(value) {})
	saved, serr := session.Snapshot()
	if err == nil || !strings.Contains(err.Error(), `unknown field "Unknown"`) || serr != nil || string(saved["v"]) != `{"Known":1,"Unknown":2}` {
		t.Errorf("got %v, %s, %v", err, saved["v"], serr)
	}
}
