package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/testing/openaitest"
)

// record makes a recording of a conversation on a machine whose folder is
// /home/me/skills.
func record(t *testing.T, stream bool) string {
	t.Helper()
	server := openaitest.New(t,
		openaitest.Reply{Status: 500}, // retried, so no turn
		openaitest.Reply{Text: "I look into /home/me/skills/pdf now", Calls: []openaitest.Call{call("c1", "read", `{"path":"/home/me/skills/pdf"}`), call("", "read", "broken")}, Usage: &openaitest.Usage{Input: 5, Output: 6}},
		openaitest.Text(""),
		openaitest.Text("all <done>"),
	)
	var out bytes.Buffer
	recorder := replay.NewRecorder(nil, &out, []replay.Placeholder{{Text: "/home/me", Name: "{home}"}, {Text: "/home/me/skills", Name: "{skills}"}, {Text: "", Name: "{x}"}})
	s := start(t, server, func(c *agent.Config) {
		c.Stream, c.Server.NoStream, c.Server.Transport = stream, !stream, recorder
		c.Providers = conversation("/home/me/skills", "found /home/me/skills/pdf\r\nand /home/me/other, not /home/melissa")
	})
	if _, err := s.run(t, "look at /home/me/skills, please"); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// conversation is a provider with a reading tool and an ephemeral message.
func conversation(folder, answer string) []agent.ContextProvider {
	return []agent.ContextProvider{&provider{name: "files", context: agent.Context{
		Instructions: "files are in " + folder,
		Tools: []agent.Tool{tool("read", func(_ context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			if want := fmt.Sprintf(`{"path":%q}`, folder+"/pdf"); string(inv.Arguments) != want {
				return agent.ToolResult{Text: "no such folder: " + string(inv.Arguments)}, nil
			}
			return agent.ToolResult{Text: answer}, nil
		})},
		Ephemeral: func(context.Context) ([]agent.Message, error) {
			return []agent.Message{{Role: agent.User, Text: "an ephemeral message that differs each time"}}, nil
		},
	}}}
}

const wantRecording = `{"version":1,"model":"test-model"}
{"turn":1,"expect":[{"role":"user","text":"look at {skills}, please"}],"reply":{"text":"I look into {skills}/pdf now","tool_calls":[{"id":"c1","name":"read","arguments":{"path":"{skills}/pdf"}},{"id":"","name":"read","arguments":"broken"}],"usage":{"input_tokens":5,"output_tokens":6},"finish":"tool_calls"}}
{"turn":2,"expect":[{"role":"tool","name":"read","text":"found {skills}/pdf\nand {home}/other, not /home/melissa"},{"role":"tool","name":"read","text":"Error: The arguments are not valid JSON at character 1: invalid character 'b' looking for beginning of value, near \"broken\". Send one JSON object."}],"reply":{"finish":"stop"}}
{"turn":3,"expect":[{"role":"user","text":"Your last reply was empty. Answer the request, or call a tool."}],"reply":{"text":"all <done>","finish":"stop"}}
`

func TestRecorder(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		if got := record(t, stream); got != wantRecording {
			t.Errorf("got\n%s\nwant\n%s", got, wantRecording)
		}
	})
}

// TestRecordingIsNotFolded checks that requests fold messages of context, and that the
// recording of the same run keeps them apart, as recordings have always done.
func TestRecordingIsNotFolded(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Text(""), openaitest.Text("ok"))
	var out bytes.Buffer
	recorder := replay.NewRecorder(nil, &out, nil)
	s := start(t, server, func(c *agent.Config) {
		c.Server.Transport = recorder
		c.Providers = []agent.ContextProvider{&provider{name: "p", context: agent.Context{
			Tools: []agent.Tool{echo("f")}, Messages: []agent.Message{{Role: agent.User, Text: "kept"}},
			Ephemeral: func(context.Context) ([]agent.Message, error) {
				return []agent.Message{{Role: agent.User, Text: "ephemeral"}}, nil
			},
		}}}
	})
	if _, err := s.run(t, "hi"); err != nil {
		t.Fatal(err)
	}
	const nudge = "Your last reply was empty. Answer the request, or call a tool."
	messages := server.Requests()[2].Messages
	if len(messages) != 3 || messages[0].Text != "hi"+inContext("kept") || messages[2].Text != "f{}"+inContext(nudge)+inContext("ephemeral") {
		t.Errorf("sent %+v", messages)
	}
	for _, want := range []string{
		`"expect":[{"role":"user","text":"hi"},{"role":"user","text":"kept"}]`, `"expect":[{"role":"tool","name":"f","text":"f{}"}]`,
		`"expect":[{"role":"user","text":"` + nudge + `"}]`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("recorded\n%s\nwithout %s", out.String(), want)
		}
	}
}

// play plays a recording on a machine with another folder.
func play(t *testing.T, recording, prompt, answer string, stream bool) (*setup, *replay.Playback, agent.Result, error) {
	t.Helper()
	playback, err := replay.NewPlayback(strings.NewReader(recording), []replay.Placeholder{{Text: `D:\work\skills`, Name: "{skills}"}, {Text: `D:\work`, Name: "{home}"}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, openaitest.New(t), func(c *agent.Config) {
		c.Server = agent.Server{BaseURL: "http://replay.invalid/v1", Transport: playback}
		c.Stream, c.Server.NoStream = stream, !stream
		list := conversation(`D:\work\skills`, answer)
		list[0].(*provider).context.Instructions = "other instructions"
		c.Providers = list
	})
	result, err := s.run(t, prompt)
	return s, playback, result, err
}

const goodAnswer = "found D:\\work\\skills/pdf\nand D:\\work/other, not /home/melissa"

func TestPlayback(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, playback, result, err := play(t, wantRecording, `look at D:\work\skills, please`, goodAnswer, stream)
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != agent.Completed || result.Text != "all <done>" || result.Turns != 3 || playback.Rest() != 0 || playback.Model != "test-model" {
			t.Errorf("got %+v, rest %d", result, playback.Rest())
		}
		if result.Usage == nil || *result.Usage != (agent.Usage{InputTokens: 5, OutputTokens: 6}) {
			t.Errorf("usage: got %v", result.Usage)
		}
		if got := result.Messages[1]; got.Text != `I look into D:\work\skills/pdf now` || got.Calls[0].Arguments != `{"path":"D:\\work\\skills/pdf"}` {
			t.Errorf("assistant: got %+v", got)
		}
		if deltas := eventsOf[agent.MessageDelta](s); stream != (len(deltas) > 0) {
			t.Errorf("deltas: got %v", deltas)
		}
	})
}

func TestPlaybackMismatch(t *testing.T) {
	lines := strings.SplitAfter(wantRecording, "\n")
	prompt := `look at D:\work\skills, please`
	for _, test := range []struct {
		name, recording, prompt, answer string
		turn, message                   int
		want                            string
	}{
		{"prompt", wantRecording, "look elsewhere", goodAnswer, 1, 1,
			`the recording does not fit at turn 1, message 1: from character 6 on the recording expects "look at {skills}, please", but the user message says "look elsewhere"`},
		{"result", wantRecording, prompt, strings.Replace(goodAnswer, "other", "another", 1), 2, 1,
			`the recording does not fit at turn 2, message 1: from character 31 on the recording expects "…\nand {home}/other, not /home/melissa", but read answered "…\nand {home}/another, not /home/melissa"`},
		{"too short", lines[0] + lines[1], prompt, goodAnswer, 2, 0,
			`the recording does not fit at turn 2: the recording ends after turn 1, but the conversation continues with the result of read "Error: The arguments are not valid JSON at character 1: inva…"`},
		{"more expected", strings.Replace(wantRecording, `please"}`, `please"},{"role":"user","text":"more"}`, 1), prompt, goodAnswer, 1, 0,
			`the recording does not fit at turn 1: the recording expects 2 new messages, but there are 1; the user message "more" is missing`},
		{"fewer expected", strings.Replace(wantRecording, `{"role":"user","text":"look at {skills}, please"}`, ``, 1), prompt, goodAnswer, 1, 0,
			`the recording does not fit at turn 1: the recording expects 0 new messages, but there are 1; the user message "look at {skills}, please" is not in the recording`},
		{"other tool", strings.Replace(wantRecording, `"role":"tool","name":"read"`, `"role":"tool","name":"write"`, 1), prompt, goodAnswer, 2, 1,
			`the recording does not fit at turn 2, message 1: the recording expects the result of write, but received the result of read`},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, _, result, err := play(t, test.recording, test.prompt, test.answer, stream)
				var mismatch *replay.MismatchError
				if !errors.As(err, &mismatch) || result.Status != agent.Failed {
					t.Fatalf("got %+v, %v", result, err)
				}
				if err.Error() != test.want || mismatch.Turn != test.turn || mismatch.Message != test.message {
					t.Errorf("got  %v\nwant %s", err, test.want)
				}
				if n := len(eventsOf[agent.RetryEvent](s)); n != 0 {
					t.Errorf("it was retried %d times", n)
				}
			})
		})
	}
}

func TestPlaybackRest(t *testing.T) {
	recording := wantRecording + `{"turn":4,"expect":[],"reply":{"text":"never"}}` + "\n"
	_, playback, _, err := play(t, recording, `look at D:\work\skills, please`, goodAnswer, false)
	if err != nil || playback.Rest() != 1 {
		t.Errorf("got rest %d, %v", playback.Rest(), err)
	}
}

func TestPlaybackMinimal(t *testing.T) {
	recording := "\n" + `{"version":1,"model":"m"}` + "\n\n" + `{"turn":1,"expect":[{"role":"user","text":"hi"}],"reply":{"text":"ho"}}`
	_, _, result, err := play(t, recording, "hi", "", true)
	if err != nil || result.Text != "ho" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestDamagedRecordings(t *testing.T) {
	const head = `{"version":1,"model":"m"}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "it contains no turns"},
		{"header only", head, "it contains no turns"},
		{"no JSON", "hello", "line 1: header: "},
		{"other version", `{"version":2,"model":"m"}`, "line 1: header: version 2, known is 1"},
		{"no header", `{"turn":1,"expect":[],"reply":{}}`, `line 1: header: unknown field "turn"`},
		{"cut", head + `{"turn":1,"expect":[{"role":"us`, "line 2: the line is cut off"},
		{"order", head + `{"turn":2,"expect":[],"reply":{}}`, "line 2: turn 2 is in the place of turn 1"},
		{"typo", head + "\n" + `{"turn":1,"expct":[],"reply":{}}`, `line 3: unknown field "expct"`},
		{"type", head + `{"turn":"1","expect":[],"reply":{}}`, "line 2: cannot unmarshal"},
		{"two on a line", head + `{"turn":1,"expect":[],"reply":{}} {}`, "line 2: more text"},
		{"long line", head + strings.Repeat("x", 17<<20), "line 2: it is longer than"},
		{"huge", head + strings.Repeat("\n", 65<<20), "larger than"},
	} {
		if _, err := replay.NewPlayback(strings.NewReader(test.text), nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := replay.NewPlayback(brokenReader{}, nil); err == nil || !strings.Contains(err.Error(), "line 1: header: disk") {
		t.Errorf("a reader's error: got %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("disk") }

type fullDisk struct{ lines int }

func (w *fullDisk) Write(p []byte) (int, error) {
	w.lines++
	if w.lines > 1 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestRecorderErrors(t *testing.T) {
	server := openaitest.New(t, openaitest.Do(call("a", "f", "")), openaitest.Text("ok"))
	recorder := replay.NewRecorder(nil, &fullDisk{}, nil)
	s := start(t, server, func(c *agent.Config) { c.Server.Transport = recorder; c.Providers = tools(echo("f")) })
	if result, err := s.run(t, "hi"); err != nil || result.Text != "ok" {
		t.Errorf("the run: got %+v, %v", result, err)
	}
	if err := recorder.Err(); err == nil || err.Error() != "writing recording: disk full" {
		t.Errorf("got %v", err)
	}
}

// TestRecordPlayback checks that a recorded run plays back in another folder, and that
// recording it again gives the same text.
func TestRecordPlayback(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		playback, err := replay.NewPlayback(strings.NewReader(wantRecording), []replay.Placeholder{{Text: "/x", Name: "{home}"}, {Text: "/x/s", Name: "{skills}"}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		recorder := replay.NewRecorder(playback, &out, []replay.Placeholder{{Text: "/x", Name: "{home}"}, {Text: "/x/s", Name: "{skills}"}})
		s := start(t, openaitest.New(t), func(c *agent.Config) {
			c.Stream, c.Server.NoStream, c.Server.Transport = stream, !stream, recorder
			c.Providers = conversation("/x/s", "found /x/s/pdf\nand /x/other, not /home/melissa")
		})
		if _, err := s.run(t, "look at /x/s, please"); err != nil {
			t.Fatal(err)
		}
		if out.String() != wantRecording {
			t.Errorf("got\n%s\nwant\n%s", out.String(), wantRecording)
		}
	})
}

// TestTransportsAlone sends requests that no agent would send.
func TestTransportsAlone(t *testing.T) {
	playback, err := replay.NewPlayback(strings.NewReader(wantRecording), nil)
	if err != nil {
		t.Fatal(err)
	}
	recorder := replay.NewRecorder(playback, io.Discard, nil)
	ctx, cancel := context.WithCancel(t.Context())
	for _, body := range []io.Reader{nil, strings.NewReader("junk"), io.NopCloser(brokenReader{})} {
		for _, transport := range []http.RoundTripper{playback, recorder} {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://x.invalid", body)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := transport.RoundTrip(request); err == nil {
				response.Body.Close()
				t.Errorf("%T took %v", transport, body)
			}
		}
	}
	cancel()
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://x.invalid", strings.NewReader("{}"))
	if response, err := playback.RoundTrip(request); !errors.Is(err, context.Canceled) {
		response.Body.Close()
		t.Errorf("got %v", err)
	}
	if playback.Rest() != 3 {
		t.Errorf("rest: got %d", playback.Rest())
	}
}

func TestReplayErrorText(t *testing.T) {
	long := strings.Repeat("ä", 200)
	recording := `{"version":1,"model":"m"}` + "\n" + fmt.Sprintf(`{"turn":1,"expect":[{"role":"user","text":"%sx"}],"reply":{"text":"ho"}}`, long)
	_, _, _, err := play(t, recording, long+"y", "", false)
	if err == nil || !strings.Contains(err.Error(), `from character 201 on the recording expects "…ääääääääääääx", but the user message says "…ääääääääääääy"`) {
		t.Errorf("got %v", err)
	}
}

// TestRecorderLimit checks that a recording too large to play back is not written.
func TestRecorderLimit(t *testing.T) {
	var out bytes.Buffer
	recorder := replay.NewRecorder(nil, &out, nil)
	s := start(t, openaitest.New(t, openaitest.Text("done")), func(c *agent.Config) { c.Server.Transport = recorder })
	if result, err := s.run(t, strings.Repeat("much ", 4<<20)); err != nil || result.Text != "done" {
		t.Fatalf("got %q, %v", result.Text, err)
	}
	if err := recorder.Err(); !errors.Is(err, replay.ErrTooLarge) || !strings.Contains(err.Error(), "turn 1: it is larger than a replay reads") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(out.String(), "much") {
		t.Error("it was written")
	}
}
