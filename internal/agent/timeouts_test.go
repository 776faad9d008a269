package agent_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// slow is a transport whose replies come piece by piece, in a time that a test
// makes: with [synctest] hours pass at once, and no machine is too slow.
type slow struct {
	replies []pieces
}

// pieces are sent one after the other with a pause before each, the last one
// for ever.
type pieces struct {
	pause   time.Duration
	texts   []string
	repeats bool
}

const never = 1000 * time.Hour

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	p := s.replies[0]
	s.replies = s.replies[1:]
	ctx := r.Context()
	wait := func() bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(p.pause):
			return true
		}
	}
	if p.texts == nil {
		wait()
		return nil, context.Cause(ctx)
	}
	out, in := io.Pipe()
	go func() {
		for i := 0; i < len(p.texts); i++ {
			if !wait() {
				in.CloseWithError(context.Cause(ctx))
				return
			}
			_, _ = io.WriteString(in, p.texts[i])
			if p.repeats && i == len(p.texts)-1 {
				i--
			}
		}
		in.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: out, Header: http.Header{}}, nil
}

const (
	word = `data: {"choices":[{"index":0,"delta":{"content":"on "}}]}` + "\n\n"
	done = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

	// The same in the Responses API.
	itemWord = `data: {"type":"response.output_text.delta","output_index":0,"delta":"on "}` + "\n\n"
	itemDone = `data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
)

// TestTimeouts checks that a server without progress is a failed attempt, which is
// retried.
func TestTimeouts(t *testing.T) {
	for _, test := range []struct {
		name   string
		reply  pieces
		stream bool
		idle   time.Duration
		err    string
	}{
		{"silent", pieces{pause: never}, true, agent.DefaultIdle, "sent nothing for 5m0s"},
		{"silent after a word", pieces{3 * time.Minute, []string{word, "data: "}, false}, true, agent.DefaultIdle, "sent nothing for 2m0s"},
		{"silent, plain", pieces{pause: never}, false, agent.DefaultIdle, "sent nothing for 5m0s"},
		{"silent, plain, as given", pieces{pause: never}, false, time.Second, "sent nothing for 1s"},
		{"silent after the head", pieces{never, []string{word}, false}, true, time.Second, "sent nothing for 1s"},
		{"stops in the middle", pieces{time.Minute, []string{word, "data: "}, false}, true, time.Minute, "sent nothing for 1m0s"},
		{"silent after a word of an item", pieces{3 * time.Minute, []string{itemWord, "data: "}, false}, true, agent.DefaultIdle, "sent nothing for 2m0s"},
		{"comments after a word of an item", pieces{time.Minute, []string{itemWord, ": ping\n\n"}, true}, true, agent.DefaultIdle, "sent no part of a reply for 10m0s"},
		{"comments", pieces{time.Minute, []string{word, ": ping\n\n"}, true}, true, agent.DefaultIdle, "sent no part of a reply for 10m0s"},
		{"empty events", pieces{time.Minute, []string{word, "data:\n\n"}, true}, true, agent.DefaultIdle, "sent no part of a reply for 10m0s"},
		{"white space", pieces{time.Minute, []string{" "}, true}, false, agent.DefaultIdle, "sent no part of a reply for 25m0s"},
		{"byte by byte", pieces{time.Second, []string{`data: {"choices":[{"index":0,"delta":{"content":"`, "x"}, true}, true, agent.DefaultIdle, "sent no part of a reply for 10m0s"},
		{"byte by byte, plain", pieces{time.Second, []string{`{"choices":[{"message":{"content":"`, "x"}, true}, false, agent.DefaultIdle, "sent no part of a reply for 25m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &slow{[]pieces{test.reply, {time.Millisecond, []string{`{"choices":[{"message":{"content":"ok"}}]}`}, false}}}
				s := start(t, &openaitest.Server{URL: "http://slow.invalid/v1"}, func(c *agent.Config) {
					c.Stream, c.Server.NoStream = test.stream, !test.stream
					c.Limits.Idle, c.Server.Retries, c.Server.Transport = test.idle, 1, transport
				})
				result, err := s.agent.Run(t.Context(), nil, "hi")
				retries := eventsOf[agent.RetryEvent](s)
				if err != nil || result.Text != "ok" || len(retries) != 1 || !strings.Contains(retries[0].Error, test.err) {
					t.Fatalf("got %+v, %v after %+v, want a retry for %q", result, err, retries, test.err)
				}
				if shown := len(eventsOf[agent.MessageDelta](s)) > 0; retries[0].Void != shown {
					t.Errorf("void: got %v, text was shown: %v", retries[0].Void, shown)
				}
			})
		})
	}
}

// ends is a word of a stream with a reason for the end.
func ends(reason string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"on "},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

// Slow progress is not a failure; with the limits off, neither is a pause.

func TestTimeoutsWithSlowReplies(t *testing.T) {
	for _, test := range []struct {
		name   string
		reply  pieces
		stream bool
		idle   time.Duration
	}{
		{"words", pieces{100 * time.Second, []string{word, word, word, word, word, done}, false}, true, agent.DefaultIdle},
		{"words between comments", pieces{100 * time.Second, []string{word, ": a\n", ": b\n", ": c\n", ": d\n", word, ": a\n", ": b\n", ": c\n", ": d\n", word, word, word, done}, false}, true, agent.DefaultIdle},
		{"words after long", pieces{4 * time.Minute, []string{word + word + word + word + word + done}, false}, true, agent.DefaultIdle},
		{"words of an item", pieces{100 * time.Second, []string{itemWord, itemWord, itemWord, itemWord, itemWord, itemDone}, false}, true, agent.DefaultIdle},
		{"items whose stream does not end", pieces{time.Second, []string{itemWord, itemWord, itemWord, itemWord, itemWord, itemDone, ": ping\n"}, true}, true, agent.DefaultIdle},
		{"plain for a stream", pieces{4 * time.Minute, []string{`{"choices":[{"message":{"content":"on on on on on "}}]}`}, false}, true, agent.DefaultIdle},
		{"plain", pieces{4 * time.Minute, []string{`{"choices":[{"message":{"content":"on on on on on "}}]}`}, false}, false, agent.DefaultIdle},
		{"off", pieces{24 * time.Hour, []string{word, word, word, word, word, done}, false}, true, 0},
		{"no reason with every part", pieces{100 * time.Second, []string{ends("null"), ends("none"), ends("NULL"), ends(""), ends("stop")}, false}, true, agent.DefaultIdle},
		{"a reason with every part", pieces{time.Second, []string{ends("stop"), ends("stop"), ": a\n", ": b\n", ": c\n", ": d\n", ends("stop"), ": a\n", ": b\n", ": c\n", ends("stop"), ends("stop"), "data: [DONE]\n\n"}, false}, true, agent.DefaultIdle},
		{"a stream that does not end", pieces{time.Second, []string{word, word, word, word, word, done, ": ping\n"}, true}, true, agent.DefaultIdle},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, &openaitest.Server{URL: "http://slow.invalid/v1"}, func(c *agent.Config) {
					c.Stream, c.Server.NoStream, c.Limits.Idle, c.Server.Retries, c.Server.Transport = test.stream, !test.stream, test.idle, 0, &slow{[]pieces{test.reply}}
				})
				if result, err := s.agent.Run(t.Context(), nil, "hi"); err != nil || strings.TrimSpace(result.Text) != "on on on on on" || result.Cut != "" {
					t.Errorf("got %+v, %v", result, err)
				}
			})
		})
	}
}

// TestStreamRefused checks that a server that refuses to stream is asked for whole
// replies from then on.
func TestStreamRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		refusal openaitest.Reply
		falls   bool
	}{
		{"in words", openaitest.Reply{Status: 400, Text: "Streaming is not supported"}, true},
		{"by its parameter", openaitest.Reply{Status: 400, Body: `{"error":{"message":"must be verified","param":"stream"}}`}, true},
		{"404", openaitest.Reply{Status: 404, Text: "this model has no streamed replies"}, true},
		{"422", openaitest.Reply{Status: 422, Text: "stream must be false"}, true},
		{"by the type", openaitest.Reply{Status: 415}, true},
		{"not acceptable", openaitest.Reply{Status: 406}, true},
		{"not implemented", openaitest.Reply{Status: 501}, true},
		{"of something else", openaitest.Reply{Status: 400, Text: "the upstream server refused"}, false},
		{"of nothing known", openaitest.Reply{Status: 404}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			replies := []openaitest.Reply{test.refusal}
			if test.falls {
				replies = append(replies, openaitest.Do(call("a", "one", "{}")), openaitest.Text("ok"))
			}
			server := openaitest.New(t, replies...)
			s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.Retries, c.Providers = true, -1, tools(echo("one")) })
			result, err := s.run(t, "hi")
			if !test.falls {
				var failure *agent.Error
				if !errors.As(err, &failure) || failure.Status != test.refusal.Status {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || result.Text != "ok" {
				t.Fatalf("got %+v, %v", result, err)
			}
			var streamed []bool
			for _, r := range server.Requests() {
				streamed = append(streamed, r.Stream)
			}
			if !slices.Equal(streamed, []bool{true, false, false}) {
				t.Errorf("asked for streams: %v", streamed)
			}
			if warnings := eventsOf[agent.WarningEvent](s); len(warnings) != 1 || !strings.Contains(warnings[0].Message, "does not support streaming") {
				t.Errorf("warnings: got %+v", warnings)
			}
			if len(s.waits) != 0 {
				t.Errorf("waited %v", s.waits)
			}
		})
	}
}

// TestStreamRefusedByDegrees checks a server that refuses first the stream options and
// then the stream; a refusal for another reason is reported.
func TestStreamRefusedByDegrees(t *testing.T) {
	server := openaitest.New(t,
		openaitest.Reply{Status: 400, Text: "unknown field stream_options"},
		openaitest.Reply{Status: 400, Text: "stream is not supported"},
		openaitest.Reply{Status: 400, Text: "stream, or whatever else"})
	s := start(t, server, func(c *agent.Config) { c.Stream = true })
	if _, err := s.run(t, "hi"); err == nil || !strings.Contains(err.Error(), "whatever else") {
		t.Errorf("got %v", err)
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}
