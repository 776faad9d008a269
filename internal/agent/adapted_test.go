package agent_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestQuirkIsRemembered: a request that is refused for its form is sent again in another
// one, which all further requests have, and those of a run that continues the session.
func TestQuirkIsRemembered(t *testing.T) {
	refusal := openaitest.Reply{Status: 400, Body: `{"object":"error","message":"System role not supported","type":"BadRequestError","code":400}`}
	server := openaitest.New(t, refusal, openaitest.Do(call("a", "f", "{}")), openaitest.Text("done"), openaitest.Text("again"))
	session := agent.NewSession()
	change := func(c *agent.Config) { c.Instructions = "Be brief." }
	s := start(t, server, change)
	if _, err := s.agent.Run(t.Context(), session, "hi"); err != nil {
		t.Fatal(err)
	}
	retries := eventsOf[agent.RetryEvent](s)
	if len(retries) != 1 || retries[0].Change != "with the system text in the first message" || retries[0].Status != 400 || retries[0].DelayMS != 0 || len(s.waits) > 0 {
		t.Errorf("retries %+v", retries)
	}
	saved, err := session.Snapshot()
	if want := `{"` + server.URL + ` test-model":["system"]}`; err != nil || string(saved[agent.ServerState]) != want {
		t.Fatalf("the session has %s, %v; want %s", saved, err, want)
	}
	next := start(t, server, change)
	if _, err := next.agent.Run(t.Context(), agent.RestoreSession(saved), "and"); err != nil {
		t.Fatal(err)
	}
	if retries := eventsOf[agent.RetryEvent](next); len(retries) > 0 {
		t.Errorf("retries in the next run: %+v", retries)
	}
	for i, r := range server.Requests() {
		if got := r.Messages[0]; (got.Role == "system") != (i == 0) || !strings.HasPrefix(got.Text, "Be brief.") {
			t.Errorf("request %d begins with %+v", i+1, got)
		}
	}
}

// TestRefusesEverything: a server that refuses every form gets each at most once, and the
// run fails with its words.
func TestRefusesEverything(t *testing.T) {
	words := `{"error":{"message":"I refuse: stream_options, stream, System role not supported, additionalProperties, temperature is not supported"}}`
	server := openaitest.Start()
	defer server.Close()
	for range 20 {
		server.Add(openaitest.Reply{Status: http.StatusBadRequest, Body: words})
	}
	s := start(t, server, func(c *agent.Config) { c.Instructions = "Be brief." })
	session := agent.NewSession()
	_, err := s.agent.Run(t.Context(), session, "hi")
	if err == nil || !strings.Contains(err.Error(), "I refuse: stream_options") {
		t.Errorf("got %v", err)
	}
	var changes []string
	for _, r := range eventsOf[agent.RetryEvent](s) {
		changes = append(changes, r.Change)
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(changes))); len(changes) < 3 || len(changes) != len(unique) || len(server.Requests()) != len(changes)+1 {
		t.Errorf("%d requests, retries %q", len(server.Requests()), changes)
	}
	refused := eventsOf[agent.RefusedEvent](s)
	if len(refused) != 1 || refused[0].Status != 400 || len(refused[0].Messages) == 0 || refused[0].Bytes == 0 || !slices.Contains(refused[0].Fields, "model") {
		t.Errorf("refused %+v", refused)
	}
	if saved, err := session.Snapshot(); err != nil || saved[agent.ServerState] != nil {
		t.Errorf("the session has %s, %v", saved, err)
	}
}
