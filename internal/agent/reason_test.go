package agent_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestReasons checks that a truncated reply is reported for every known reason, and
// that a failed one is not an answer.
func TestReasons(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		run := func(t *testing.T, replies ...openaitest.Reply) (*setup, agent.Result, error) {
			t.Helper()
			s := start(t, openaitest.New(t, replies...), func(c *agent.Config) { c.Stream, c.Server.NoStream = stream, !stream })
			result, err := s.run(t, "go")
			return s, result, err
		}
		for _, finish := range []string{"stop", "STOP", "end_turn", "none", "eos"} {
			s, result, err := run(t, openaitest.Reply{Text: "whole", Finish: finish})
			if err != nil || result.Cut != "" || len(eventsOf[agent.WarningEvent](s)) != 0 {
				t.Errorf("%s: got %+v, %v", finish, result, err)
			}
		}
		for finish, why := range map[string]string{
			"length": "limit on its length", "max_tokens": "limit on its length", "model_length": "limit on its length",
			"content_filter": "content filter", "SAFETY": "content filter", "tool_calls": "announces tool calls but contains none", "pause\x1bd": "reason \"pause␛d\"",
		} {
			s, result, err := run(t, openaitest.Reply{Text: "half", Finish: finish})
			warnings := eventsOf[agent.WarningEvent](s)
			if err != nil || result.Text != "half" || result.Cut == "" || len(warnings) != 1 || !strings.Contains(warnings[0].Message, why) {
				t.Errorf("%s: got %+v, %v, %v", finish, result, err, warnings)
			}
		}
		for _, finish := range []string{"error", "ABORT", "MALFORMED_FUNCTION_CALL", "insufficient_system_resource"} {
			bad := openaitest.Reply{Text: "half", Finish: finish}
			if _, result, err := run(t, bad, openaitest.Text("whole")); err != nil || result.Text != "whole" || result.Turns != 1 {
				t.Errorf("%s once: got %+v, %v", finish, result, err)
			}
			_, result, err := run(t, bad, bad, bad)
			if err == nil || result.Status != agent.Failed || result.Text != "" || !strings.Contains(err.Error(), "ended the reply with the reason \""+finish+"\"") {
				t.Errorf("%s: got %+v, %v", finish, result, err)
			}
		}
	})
}

// TestImplausibleUsage checks that implausible token counts are ignored and estimated
// instead.
func TestImplausibleUsage(t *testing.T) {
	for usage, want := range map[string]*agent.Usage{
		`{}`: nil, `null`: nil, `[]`: nil, `"12"`: nil,
		`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`: nil,
		`{"prompt_tokens":5}`:                                nil,
		`{"prompt_tokens":null,"completion_tokens":3}`:       nil,
		`{"prompt_tokens":-5,"completion_tokens":3}`:         nil,
		`{"prompt_tokens":1e30,"completion_tokens":3}`:       nil,
		`{"prompt_tokens":9223372036854775807}`:              nil,
		`{"total_tokens":-1}`:                                nil,
		`{"prompt_tokens":5.0,"completion_tokens":0}`:        {InputTokens: 5},
		`{"prompt_tokens":5,"completion_tokens":6,"x":null}`: {InputTokens: 5, OutputTokens: 6},
	} {
		body := `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":` + usage + `}`
		s := start(t, openaitest.New(t, openaitest.Reply{Body: body}), func(c *agent.Config) {
			c.Providers, c.Limits.Tokens = tools(echo("f")), 1
		})
		result, err := s.run(t, "go")
		if !limited(err, agent.LimitTokens) || result.Turns != 1 {
			t.Errorf("%s: got %+v, %v", usage, result, err)
		}
		if got := result.Usage; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: got %+v, want %+v", usage, got, want)
		}
	}
}

// TestNoReason checks that a finish reason that is not a word, or means "none", is
// ignored.
func TestNoReason(t *testing.T) {
	for _, reason := range []string{`null`, `"null"`, `"NONE"`, `false`, `{}`, `0`, `""`} {
		s := start(t, openaitest.New(t, openaitest.Reply{Body: `{"choices":[{"message":{"content":"whole"},"finish_reason":` + reason + `}]}`}), nil)
		if result, err := s.run(t, "go"); err != nil || result.Text != "whole" || result.Cut != "" || len(eventsOf[agent.WarningEvent](s)) != 0 {
			t.Errorf("%s: got %+v, %v", reason, result, err)
		}
	}
}
