package agent_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestRetries(t *testing.T) {
	now := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	head := func(name, value string) map[string]string { return map[string]string{name: value} }
	for _, test := range []struct {
		name    string
		replies []openaitest.Reply
		retries int
		waits   []time.Duration
		err     string
	}{
		{"429 once", []openaitest.Reply{{Status: 429}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"500 twice", []openaitest.Reply{{Status: 500}, {Status: 503}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond, time.Second}, ""},
		{"408, 409", []openaitest.Reply{{Status: 408}, {Status: 409}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond, time.Second}, ""},
		{"too often", []openaitest.Reply{{Status: 502}, {Status: 502}, {Status: 502}}, 2, []time.Duration{500 * time.Millisecond, time.Second}, "502 Bad Gateway"},
		{"back-off is capped", slices.Concat(slices.Repeat([]openaitest.Reply{{Status: 500}}, 7), []openaitest.Reply{{Text: "ok"}}), 7,
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second, 8 * time.Second}, ""},
		{"never", []openaitest.Reply{{Status: 500}}, 0, nil, "500"},
		{"400 is not", []openaitest.Reply{{Status: 400, Text: "bad thing"}}, 2, nil, "bad thing"},
		{"seconds", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "3")}, {Text: "ok"}}, 2, []time.Duration{3 * time.Second}, ""},
		{"fraction", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "1.5")}, {Text: "ok"}}, 2, []time.Duration{1500 * time.Millisecond}, ""},
		{"milliseconds", []openaitest.Reply{{Status: 429, Headers: map[string]string{"Retry-After-Ms": "250", "Retry-After": "9"}}, {Text: "ok"}}, 2, []time.Duration{250 * time.Millisecond}, ""},
		{"date", []openaitest.Reply{{Status: 503, Headers: head("Retry-After", now.Add(42*time.Second).Format(http.TimeFormat))}, {Text: "ok"}}, 2, []time.Duration{42 * time.Second}, ""},
		{"nonsense", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "soon")}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"not a number", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "NaN")}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"two minutes", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "120")}, {Text: "ok"}}, 2, []time.Duration{2 * time.Minute}, ""},
		{"too long", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "121")}}, 2, nil, "rate limited"},
		{"very long", []openaitest.Reply{{Status: 429, Headers: head("Retry-After", "1e300")}}, 2, nil, "rate limited"},
		{"quota", []openaitest.Reply{{Status: 429, Body: `{"error":{"message":"You exceeded","code":"insufficient_quota"}}`}}, 2, nil, "quota"},
		{"dropped", []openaitest.Reply{{Drop: true}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"cut", []openaitest.Reply{{Text: "ok", Cut: 20}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"error inside", []openaitest.Reply{{Body: `{"error":{"message":"x","code":400}}`}}, 2, nil, "x"},
		{"at fault inside", []openaitest.Reply{{Body: `{"error":{"message":"x","type":"invalid_request_error"}}`}}, 2, nil, "x"},
		{"busy inside", []openaitest.Reply{{Body: `{"error":{"message":"x","code":503}}`}, {Text: "ok"}}, 2, []time.Duration{500 * time.Millisecond}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t, test.replies...)
				s := start(t, server, func(c *agent.Config) {
					c.Stream, c.Server.NoStream, c.Server.Retries = stream, !stream, test.retries
					c.Now = func() time.Time { return now }
				})
				result, err := s.run(t, "hi")
				if !slices.Equal(s.waits, test.waits) {
					t.Errorf("waits: got %v, want %v", s.waits, test.waits)
				}
				events := eventsOf[agent.RetryEvent](s)
				if len(events) != len(test.waits) {
					t.Errorf("events: got %+v", events)
				}
				for i, e := range events {
					if e.Attempt != i+1 || e.DelayMS != test.waits[i].Milliseconds() || e.Error == "" {
						t.Errorf("event %d: got %+v", i, e)
					}
				}
				if test.err == "" && (err != nil || result.Text != "ok" || result.Turns != 1) {
					t.Errorf("got %+v, %v", result, err)
				}
				if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
					t.Errorf("got %v, want %q", err, test.err)
				}
			})
		})
	}
}

// TestNoTimeToRetry checks the error when the time limit leaves no room for another
// attempt.
func TestNoTimeToRetry(t *testing.T) {
	for _, test := range []struct {
		last openaitest.Reply
		hint string
	}{
		{openaitest.Reply{Status: 500}, "the run has no time left for another attempt; increase it with --timeout"},
		{openaitest.Reply{Status: 429, Headers: map[string]string{"Retry-After": "90"}}, "increase --timeout: the server's Retry-After is 1m30s, longer than the time left"},
	} {
		bad := openaitest.Reply{Status: 500}
		// The waits are not real, the time of the run is: the fifth wait is too long.
		s := start(t, openaitest.New(t, bad, bad, bad, bad, test.last), func(c *agent.Config) { c.Server.Retries = 9 })
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		_, err := s.agent.Run(ctx, nil, "hi")
		var failure *agent.Error
		if !errors.As(err, &failure) || failure.Hint != test.hint || len(s.waits) != 4 {
			t.Errorf("got %#v, %v", err, s.waits)
		}
	}
}

func TestRetryAfterHint(t *testing.T) {
	server := openaitest.New(t, openaitest.Reply{Status: 429, Headers: map[string]string{"Retry-After": "300"}})
	s := start(t, server, func(c *agent.Config) {
		c.Now = func() time.Time { return time.Date(2025, 3, 4, 5, 6, 0, 0, time.UTC) }
	})
	var failure *agent.Error
	if _, err := s.run(t, "hi"); !errors.As(err, &failure) || failure.RetryAfter != 5*time.Minute ||
		failure.Hint != "run it again in 5m0s, at 05:11 on 4 March 2025" {
		t.Errorf("got %#v", err)
	}
}

// TestRetryOfShownStream checks that a stream whose text was already shown is retried,
// and that the retry event withdraws that text.
func TestRetryOfShownStream(t *testing.T) {
	reply := openaitest.Text("first second third")
	cut := reply
	cut.Cut = strings.Index(reply.Stream("test-model"), "third")
	server := openaitest.New(t, cut, reply)
	s := start(t, server, func(c *agent.Config) { c.Stream = true })
	result, err := s.run(t, "hi")
	if err != nil || result.Text != "first second third" {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := []string{"ready", "message", "message.delta", "retry", "message.delta", "message"}
	if got := s.kinds(); !slices.Equal(got, want) {
		t.Errorf("events: got %v, want %v", got, want)
	}
	if retry := eventsOf[agent.RetryEvent](s)[0]; !retry.Void {
		t.Errorf("the text before the retry counts: %+v", retry)
	}
}

func TestWaitIsInterrupted(t *testing.T) {
	server := openaitest.New(t, openaitest.Reply{Status: 500})
	ctx, cancel := context.WithCancel(t.Context())
	s := start(t, server, func(c *agent.Config) {
		c.Wait = func(ctx context.Context, _ time.Duration) error { cancel(); <-ctx.Done(); return ctx.Err() }
	})
	if result, err := s.agent.Run(ctx, nil, "hi"); result.Status != agent.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestRealClock(t *testing.T) {
	server := openaitest.New(t, openaitest.Reply{Status: 500, Headers: map[string]string{"Retry-After-Ms": "1"}}, openaitest.Reply{Text: "ok"})
	s := start(t, server, func(c *agent.Config) { c.Wait = nil })
	if result, err := s.run(t, "hi"); err != nil || result.Text != "ok" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply openaitest.Reply
		key   string
		want  []string // in message and hint
	}{
		{"key", openaitest.Reply{Status: 401, Text: "Incorrect API key provided: sk-SECRET-1234"}, "sk-SECRET-1234", []string{"rejected the API key", "[key]"}},
		{"no key", openaitest.Reply{Status: 401}, "", []string{"requires an API key"}},
		{"forbidden", openaitest.Reply{Status: 403}, "k", []string{"does not allow"}},
		{"model", openaitest.Reply{Status: 404, Text: "The model `test-model` does not exist"}, "", []string{`model "test-model" is not known`, "-m", "does not exist"}},
		{"model of ollama", openaitest.Reply{Status: 404, Body: `{"error":"model 'x' not found"}`}, "", []string{`model "test-model" is not known`}},
		{"path", openaitest.Reply{Status: 404, Body: "404 page not found"}, "", []string{"no chat completions", "check the base URL"}},
		{"tools", openaitest.Reply{Status: 400, Text: "llama does not support tools"}, "", []string{"cannot call tools"}},
		{"detail", openaitest.Reply{Status: 422, Body: `{"detail":[{"msg":"field required"}]}`}, "", []string{"422", "field required"}},
		{"object", openaitest.Reply{Status: 400, Body: `{"object":"error","message":"too long"}`}, "", []string{"400 Bad Request", "too long"}},
		{"array", openaitest.Reply{Status: 400, Body: `[{"error":{"message":"bad"}}]`}, "", []string{"bad"}},
		{"page", openaitest.Reply{Status: 400, Body: "<html>sk-SECRET"}, "sk-SECRET", []string{"an HTML page"}},
		{"nothing", openaitest.Reply{Status: 400, Body: "{}"}, "", []string{"API error from the server at ", "(400 Bad Request)"}},
		{"control", openaitest.Reply{Status: 400, Text: "a\x1b]0;x\x07b\n\nc\u202e"}, "", []string{"a␛]0;x␇b c<U+202E>"}},
		{"long", openaitest.Reply{Status: 400, Text: strings.Repeat("x", 5000)}, "", []string{strings.Repeat("x", 300) + "…"}},
		{"nothing known", openaitest.Reply{Status: 418, Body: `{"a":{"b":1}}`}, "", []string{"418", `{"a":{"b":1}}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				server := openaitest.New(t, test.reply)
				s := start(t, server, func(c *agent.Config) { c.Stream, c.Server.NoStream, c.Server.APIKey = stream, !stream, test.key })
				result, err := s.run(t, "hi")
				var failure *agent.Error
				if !errors.As(err, &failure) || failure.Status != test.reply.Status || result.Status != agent.Failed {
					t.Fatalf("got %v", err)
				}
				all := failure.Message + " | " + failure.Hint
				for _, want := range test.want {
					if !strings.Contains(all, want) {
						t.Errorf("got %q, want %q", all, want)
					}
				}
				if strings.Contains(all, "SECRET") {
					t.Errorf("the key is in %q", all)
				}
			})
		})
	}
}

func TestKeyIsSent(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("ok"))
	server.RequireKey("sk-right")
	s := start(t, server, func(c *agent.Config) { c.Server.APIKey = "sk-right" })
	if _, err := s.run(t, "hi"); err != nil {
		t.Error(err)
	}
}

func TestNetworkFailures(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := openaitest.New(t)
	away := httptest.NewServer(http.RedirectHandler("https://login.example.test/", http.StatusTemporaryRedirect))
	defer away.Close()
	for _, test := range []struct {
		name      string
		url, key  string
		transport http.RoundTripper
		want      string
		temporary bool
	}{
		{"refused", closed.URL + "/v1", "", nil, "cannot connect to " + closed.URL, true},
		{"certificate", secure.URL + "/v1", "", nil, "not trusted", false},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "", nil, "does not support TLS", false},
		{"redirect", away.URL, "", nil, "redirects to https://login.example.test (307)", false},
		{"key with a line break", plain.URL, "sk-SECRET\nx", nil, "characters that cannot be sent", false},
		{"no such host", "http://x.invalid/v1", "", fails{&net.DNSError{Err: "no such host", Name: "x.invalid", IsNotFound: true}}, "cannot be found: no such host", false},
		{"resolver", "http://x.invalid/v1", "", fails{&net.DNSError{Err: "server misbehaving", IsTemporary: true}}, "cannot be found", true},
		{"timeout", "http://x.invalid/v1", "", fails{&net.DNSError{IsTimeout: true, Err: "i/o timeout"}}, "i/o timeout", true},
		{"slow", "http://x.invalid/v1", "", fails{&net.OpError{Op: "read", Err: timeoutError{}}}, "did not answer in time", true},
		{"other", "http://user:sk-SECRET@x.invalid/v1", "sk-SECRET", fails{errors.New("boom sk-SECRET\x1b")}, "failed: boom [key]␛", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, plain, func(c *agent.Config) {
				c.Server = agent.Server{BaseURL: test.url, APIKey: test.key, Transport: test.transport, Retries: 2}
			})
			_, err := s.run(t, "hi")
			var failure *agent.Error
			if !errors.As(err, &failure) || !strings.Contains(failure.Message, test.want) || failure.Temporary != test.temporary {
				t.Fatalf("got %v, %+v", err, failure)
			}
			if strings.Contains(failure.Message+failure.Hint, "SECRET") {
				t.Errorf("the key is in %q", failure.Message)
			}
			wantWaits := 0
			if test.temporary {
				wantWaits = 2
			}
			if len(s.waits) != wantWaits {
				t.Errorf("waits: got %v", s.waits)
			}
		})
	}
}

type fails struct{ err error }

func (f fails) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

type timeoutError struct{}

func (timeoutError) Error() string   { return "deadline passed" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
