package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// replayServer does as little as possible: it reads a request and sends
// the next of its replies, begun again after the last.
type replayServer struct {
	*httptest.Server
	replies [][]byte
	next    atomic.Int64
	bodies  [][]byte // of the requests of the first round
}

func newReplayServer(b *testing.B, stream bool) *replayServer {
	c := &replayServer{}
	for _, r := range long() {
		data := []byte(r.Completion("m"))
		if stream {
			data = []byte(r.Stream("m"))
		}
		c.replies = append(c.replies, data)
	}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := int(c.next.Add(1)) - 1
		if n < len(c.replies) {
			c.bodies = append(c.bodies, body)
		}
		_, _ = w.Write(c.replies[n%len(c.replies)])
	}))
	b.Cleanup(c.Close)
	return c
}

// BenchmarkTurn is what a conversation of 31 requests costs over what a bare
// client needs to post the same bodies and to read the same replies. Both are
// measured in turn, on the same server.
func BenchmarkTurn(b *testing.B) {
	for name, stream := range map[string]bool{"plain": false, "stream": true} {
		b.Run(name, func(b *testing.B) {
			server := newReplayServer(b, stream)
			a, err := agent.New(agent.Config{
				Server: agent.Server{BaseURL: server.URL + "/v1", NoStream: !stream}, Model: "m", Stream: stream, Providers: tools(text(2000)),
			})
			if err != nil {
				b.Fatal(err)
			}
			run := func() {
				if result, err := a.Run(b.Context(), nil, "go"); err != nil || result.Turns != 31 {
					b.Fatalf("got %+v, %v", result, err)
				}
			}
			run()
			var ours, bare time.Duration
			for b.Loop() {
				start := time.Now()
				run()
				middle := time.Now()
				server.post(b)
				ours, bare = ours+middle.Sub(start), bare+time.Since(middle)
			}
			perTurn(b, ours, bare)
		})
	}
}

// post sends the bodies of the first round with a bare client.
func (c *replayServer) post(b *testing.B) {
	if err := openaitest.Post(c.URL+"/v1", c.bodies); err != nil {
		b.Fatal(err)
	}
}

func perTurn(b *testing.B, ours, bare time.Duration) {
	turns := float64(b.N) * 31
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) / turns }
	b.ReportMetric(ms(ours), "ms/turn")
	b.ReportMetric(ms(bare), "bare-ms/turn")
	b.ReportMetric(ms(ours-bare), "over-ms/turn")
	b.ReportMetric(0, "ns/op")
}
