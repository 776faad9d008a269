package agent_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/testing/openaitest"
)

// TestResponses checks a whole run over the Responses API, whatever form a server sends its
// items in: calls, reasoning that comes back with its calls, usage and text.
func TestResponses(t *testing.T) {
	type quirks = openaitest.Quirks
	items := func(q openaitest.ItemQuirks) quirks { return quirks{ItemQuirks: q} }
	for _, test := range []struct {
		name   string
		quirks quirks
	}{
		{"reference", quirks{}},
		{"no ids", quirks{NoIDs: true}},
		{"whole calls", quirks{WholeCalls: true}},
		{"arguments as object", quirks{ObjectArguments: true}},
		{"JSON for a stream", quirks{JSONForStream: true}},
		{"keep-alive", quirks{KeepAlive: true, CRLF: true}},
		{"no deltas", items(openaitest.ItemQuirks{NoDeltas: true})},
		{"items at the end", items(openaitest.ItemQuirks{EndOnly: true})},
		{"no items at the end", items(openaitest.ItemQuirks{NoOutput: true})},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				calls := []openaitest.Call{call("c1", "one", `{"text":"größe 世界"}`), call("c2", "two", `{}`), call("c3", "two", `{"b":[1,2]}`)}
				server := openaitest.New(t,
					openaitest.Reply{
						Reasoning: "I think of sizes", Text: "Let me see", Calls: calls, Quirks: test.quirks,
						Usage: &openaitest.Usage{Input: 5, Output: 6, Cached: 2, Reasoning: 3},
					},
					openaitest.Reply{Reasoning: "again", Calls: []openaitest.Call{call("c4", "one", `{}`)}, Quirks: test.quirks},
					openaitest.Reply{Text: "all done", Quirks: test.quirks},
				)
				s := start(t, server, func(c *agent.Config) {
					c.Stream, c.Server.NoStream, c.Server.API = stream, !stream, model.ResponsesAPI
					c.Instructions = "be brief"
					c.Providers = tools(echo("one"), echo("two"))
				})
				result, err := s.run(t, "go")
				if err != nil {
					t.Fatal(err)
				}
				if got := results(result); len(got) != 4 || !strings.HasSuffix(got[0], `=one{"text":"größe 世界"}`) || !strings.HasSuffix(got[2], `=two{"b":[1,2]}`) {
					t.Errorf("results: got %q", got)
				}
				if result.Text != "all done" || *result.Usage != (agent.Usage{InputTokens: 5, OutputTokens: 6, CachedTokens: 2, ReasoningTokens: 3}) {
					t.Errorf("got %q, usage %+v", result.Text, result.Usage)
				}
				if m := result.Messages[1]; m.Reasoning != "I think of sizes" || m.Text != "Let me see" {
					t.Errorf("got %+v", m)
				}
				last := server.Requests()[2]
				if !slices.Equal(last.Reasoned, []string{"encrypted:rs_1_0", "encrypted:rs_2_0"}) {
					t.Errorf("sent reasoning %q", last.Reasoned)
				}
				if last.Messages[0].Role != "system" || last.Messages[0].Text != "be brief" || !strings.Contains(string(last.Body), `"store":false`) {
					t.Errorf("sent %s", last.Body)
				}
			})
		})
	}
}

// TestResponsesThink checks that reasoning between tags in a text is none of it.
func TestResponsesThink(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		server := openaitest.New(t, openaitest.Reply{Text: "<think>hm, two</think>2", Calls: []openaitest.Call{call("a", "one", "{}")}}, openaitest.Text("<think>ah</think>two"))
		s := start(t, server, func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Server.API, c.Providers = stream, !stream, model.ResponsesAPI, tools(echo("one"))
		})
		result, err := s.run(t, "go")
		if err != nil || result.Text != "two" || result.Messages[1].Text != "2" || result.Messages[1].Reasoning != "hm, two" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}

// TestResponsesPrefix checks that the items of a request begin with those of the one before,
// byte by byte, so that servers find them in their caches.
func TestResponsesPrefix(t *testing.T) {
	server := openaitest.New(t, openaitest.Reply{Reasoning: "r", Text: "t", Calls: []openaitest.Call{call("a", "one", "{}")}}, openaitest.Do(call("b", "one", `{"x":1}`)), openaitest.Text("ok"))
	s := start(t, server, func(c *agent.Config) { c.Server.API = model.ResponsesAPI; c.Providers = tools(echo("one")) })
	if _, err := s.run(t, "go"); err != nil {
		t.Fatal(err)
	}
	before := ""
	for _, r := range server.Requests() {
		var body struct {
			Input json.RawMessage `json:"input"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		if got := string(body.Input); !strings.HasPrefix(got, strings.TrimSuffix(before, "]")) {
			t.Errorf("%s\ndoes not begin with\n%s", got, before)
		} else {
			before = got
		}
	}
}

// TestResponsesEnds checks how replies end that are not complete, and that none of them is
// taken for an answer.
func TestResponsesEnds(t *testing.T) {
	fails := func(code string) openaitest.Reply {
		return openaitest.Reply{Text: "begun", Quirks: openaitest.Quirks{ItemQuirks: openaitest.ItemQuirks{Fails: code}}}
	}
	event := func(code string) openaitest.Reply {
		return openaitest.Reply{Text: "begun", Quirks: openaitest.Quirks{ItemQuirks: openaitest.ItemQuirks{ErrorEvent: code}}}
	}
	const start1 = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n" +
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"part\"}\n\n"
	for _, test := range []struct {
		name    string
		reply   openaitest.Reply
		retried bool
		text    string // of the answer
		cut     string
		err     string
	}{
		{"temporary failure", fails("server_error"), true, "ok", "", ""},
		{"rate limit", fails("rate_limit_exceeded"), true, "ok", "", ""},
		{"permanent failure", fails("invalid_prompt"), false, "", "", "sent an error: it failed"},
		{"error event", event("server_error"), true, "ok", "", ""},
		{"permanent error event", event("invalid_image"), false, "", "", "sent an error: it failed"},
		{"length", openaitest.Reply{Text: "begun", Finish: "length"}, false, "begun", "max_output_tokens", ""},
		{"filter", openaitest.Reply{Text: "begun", Finish: "content_filter"}, false, "begun", "content_filter", ""},
		{"no end", openaitest.Reply{Text: "begun", Finish: "none"}, true, "ok", "", ""},
		{"cut", openaitest.Reply{Text: "begun", Cut: 1500}, true, "ok", "", ""},
		{"end of the other protocol", openaitest.Reply{SSE: start1 + "data: [DONE]\n\n"}, true, "ok", "", ""},
		{"refusal", openaitest.Reply{SSE: strings.ReplaceAll(start1, "output_text", "refusal") + "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"}, false, "part", "", ""},
		{"cancelled", openaitest.Reply{SSE: start1 + "data: {\"type\":\"response.cancelled\",\"response\":{\"status\":\"cancelled\"}}\n\n"}, true, "ok", "", ""},
		{"whole", openaitest.Reply{Body: `{"object":"response","status":"failed","error":{"code":"server_error","message":"m"},"output":[]}`}, true, "ok", "", ""},
		{"whole and incomplete", openaitest.Reply{Body: `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]}]}`}, false, "ab", "max_output_tokens", ""},
		{"chat", openaitest.Reply{Body: openaitest.Text("from the other protocol").Completion("m")}, false, "from the other protocol", "", ""},
		{"not a server", openaitest.Reply{Body: "<p>"}, false, "", "", "does not answer like a Responses server"},
		{"no path", openaitest.Reply{Status: 404, Body: "404 page not found"}, false, "", "", "has no Responses API at this address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.New(t, test.reply)
			if test.retried {
				server.Add(openaitest.Text("ok"))
			}
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.API = true, model.ResponsesAPI })
			result, err := s.run(t, "go")
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("got %v", err)
			}
			if result.Text != test.text || result.Cut != test.cut {
				t.Errorf("got %q, cut %q", result.Text, result.Cut)
			}
			if got := len(eventsOf[agent.RetryEvent](s)); got != map[bool]int{true: 1}[test.retried] {
				t.Errorf("%d retries", got)
			}
			if known, ok := errors.AsType[*agent.Error](err); test.name == "no path" && (!ok || !strings.Contains(known.Hint, "--api chat")) {
				t.Errorf("hint of %+v", known)
			}
		})
	}
}

// TestResponsesRefusals checks that a form that a server refuses is given up with one
// visible retry, for the whole run.
func TestResponsesRefusals(t *testing.T) {
	for _, test := range []struct {
		name     string
		refusals openaitest.Refusals
		api      string
		retries  int
		without  string // in the last request
	}{
		{"encrypted reasoning", openaitest.Refusals{NoInclude: true}, model.ResponsesAPI, 1, `"include"`},
		{"ids", openaitest.Refusals{NoItemIDs: true}, model.ResponsesAPI, 1, `"id":`},
		{"reasoning", openaitest.Refusals{NoReasoning: true}, model.ResponsesAPI, 1, `"type":"reasoning"`},
		{"streams", openaitest.Refusals{NoStream: true}, model.ResponsesAPI, 1, `"stream"`},
		{"chat", openaitest.Refusals{ResponsesOnly: true}, model.AutoAPI, 1, `"messages"`},
		{"chat, streams, reasoning", openaitest.Refusals{ResponsesOnly: true, NoStream: true, NoReasoning: true}, "", 3, `"type":"reasoning"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			quirks := openaitest.Quirks{Refusals: test.refusals}
			server := openaitest.New(t,
				openaitest.Reply{Reasoning: "r", Calls: []openaitest.Call{call("a", "one", "{}")}, Quirks: quirks},
				openaitest.Reply{Reasoning: "s", Calls: []openaitest.Call{call("b", "one", "{}")}, Quirks: quirks},
				openaitest.Reply{Text: "ok", Quirks: quirks})
			s := start(t, server, func(c *agent.Config) {
				c.Stream, c.Server.API, c.Server.Retries, c.Providers = true, test.api, 0, tools(echo("one"))
			})
			if result, err := s.run(t, "go"); err != nil || result.Text != "ok" {
				t.Fatalf("got %q, %v", result.Text, err)
			}
			if got := eventsOf[agent.RetryEvent](s); len(got) != test.retries || len(server.Requests()) != 3+test.retries {
				t.Errorf("%d requests, retries %+v", len(server.Requests()), got)
			}
			last := server.Requests()[2+test.retries]
			if strings.Contains(string(last.Body), test.without) || !last.Responses {
				t.Errorf("sent %s", last.Body)
			}
		})
	}
}

// TestChatOnly checks that a run which must use chat completions does not change, and that
// other errors of a model do not change the protocol.
func TestChatOnly(t *testing.T) {
	only := openaitest.Quirks{Refusals: openaitest.Refusals{ResponsesOnly: true}}
	for _, test := range []struct {
		name, api string
		reply     openaitest.Reply
		err       string
	}{
		{"chat", model.ChatAPI, openaitest.Reply{Text: "ok", Quirks: only}, "only supported in v1/responses"},
		{"unknown model", model.AutoAPI, openaitest.Reply{Status: 404, Text: "The model `m` does not exist or you do not have access to it."}, "is not known"},
		{"no path", model.AutoAPI, openaitest.Reply{Status: 404, Body: "404 page not found"}, "no chat completions"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := openaitest.Start(test.reply)
			defer server.Close()
			s := start(t, server, func(c *agent.Config) { c.Server.API = test.api })
			_, err := s.run(t, "go")
			if err == nil || !strings.Contains(err.Error(), test.err) || len(server.Requests()) != 1 {
				t.Errorf("got %v after %d requests", err, len(server.Requests()))
			}
		})
	}
}
