package agent_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/agent/replay"
	"skills/internal/testing/openaitest"
)

const wantResponsesRecording = `{"version":1,"model":"test-model"}
{"turn":1,"expect":[{"role":"user","text":"look at {home}/pdf"}],"reply":{"text":"I look into {home}/pdf","reasoning_content":"x is in {home}","tool_calls":[{"id":"c1","name":"read","arguments":{"path":"{home}/pdf"}}],` +
	`"items":[{"type":"reasoning","id":"rs_1_0","reasoning":{"encrypted_content":"encrypted:rs_1_0","id":"rs_1_0","summary":[{"text":"x is in {home}","type":"summary_text"}],"type":"reasoning"}},{"type":"message","id":"msg_1_1"},{"type":"function_call","id":"fc_1_2"}],` +
	`"usage":{"input_tokens":5,"output_tokens":6,"reasoning_tokens":2},"finish":"tool_calls"}}
{"turn":2,"expect":[{"role":"tool","name":"read","text":"found {home}/pdf"}],"reply":{"text":"all <done>","items":[{"type":"message","id":"msg_2_0"}],"finish":"stop"}}
`

// TestResponsesRecording checks that a recording of the Responses API plays back over both
// protocols and on another machine, with the items of the replies, and that one of chat
// completions plays back over the Responses API.
func TestResponsesRecording(t *testing.T) {
	play := func(t *testing.T, recording, home, api string, stream bool) {
		t.Helper()
		p, err := replay.NewPlayback(strings.NewReader(recording), []replay.Placeholder{{Text: home, Name: "{home}"}})
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, openaitest.New(t), func(c *agent.Config) {
			c.Stream, c.Server.API, c.Server.Transport = stream, api, p
			c.Providers = conversation(home, "found "+home+"/pdf")
		})
		result, err := s.run(t, "look at "+home+"/pdf")
		if err != nil || result.Text != "all <done>" || p.Rest() != 0 {
			t.Fatalf("got %q, %v", result.Text, err)
		}
		if m := result.Messages[1]; m.Text != "I look into "+home+"/pdf" || m.Reasoning != "x is in "+home || m.Calls[0].Arguments != fmt.Sprintf(`{"path":%q}`, home+"/pdf") {
			t.Errorf("got %+v", m)
		}
		if m := result.Messages[1]; strings.Contains(recording, `"items"`) && (len(m.Items) != 3 || !strings.Contains(string(m.Items[0].Reasoning), `"x is in `+home+`"`)) {
			t.Errorf("got the items %+v", m.Items)
		}
	}
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t,
			openaitest.Reply{Reasoning: "x is in /home/me", Text: "I look into /home/me/pdf", Calls: []openaitest.Call{call("c1", "read", `{"path":"/home/me/pdf"}`)}, Usage: &openaitest.Usage{Input: 5, Output: 6, Reasoning: 2}},
			openaitest.Text("all <done>"))
		var out bytes.Buffer
		recorder := replay.NewRecorder(nil, &out, []replay.Placeholder{{Text: "/home/me", Name: "{home}"}})
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Server.API, c.Server.Transport = stream, !stream, model.ResponsesAPI, recorder
			c.Providers = conversation("/home/me", "found /home/me/pdf")
		})
		if _, err := s.run(t, "look at /home/me/pdf"); err != nil || recorder.Err() != nil {
			t.Fatal(err, recorder.Err())
		}
		if out.String() != wantResponsesRecording {
			t.Errorf("got\n%s\nwant\n%s", out.String(), wantResponsesRecording)
		}
		for _, api := range []string{model.ChatAPI, model.ResponsesAPI} {
			play(t, out.String(), "/home/another-person", api, stream)
		}
		items := out.String()[strings.Index(out.String(), `"items":`):strings.Index(out.String(), `"usage":`)]
		play(t, strings.NewReplacer(items, "", `"items":[{"type":"message","id":"msg_2_0"}],`, "").Replace(out.String()), "/home/me", model.ResponsesAPI, stream)
	})
}
