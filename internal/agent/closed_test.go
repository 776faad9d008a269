package agent_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestResetOfKeptConnection checks that a reset of a kept-alive connection is an error of
// its request. The retry policy decides about another attempt, not the transport.
func TestResetOfKeptConnection(t *testing.T) {
	for retries, want := range map[int]struct {
		requests int32
		status   agent.Status
	}{-1: {2, agent.Failed}, 1: {3, agent.Completed}} {
		t.Run(fmt.Sprint("retries ", retries), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				var requests atomic.Int32
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					reply := openaitest.Text("done")
					switch requests.Add(1) {
					case 1:
						reply = openaitest.Do(call("c1", "one", "{}"))
					case 2:
						conn, _, err := http.NewResponseController(w).Hijack()
						if err != nil {
							t.Error(err)
							return
						}
						conn.(*net.TCPConn).SetLinger(0)
						conn.Close()
						return
					}
					fmt.Fprint(w, reply.Completion("test-model"))
				}))
				defer server.Close()
				s := start(t, openaitest.New(t), func(c *agent.Config) {
					c.Stream, c.Server.NoStream, c.Server.BaseURL, c.Server.Retries, c.Providers = stream, !stream, server.URL, retries, tools(echo("one"))
				})
				result, _ := s.run(t, "hi")
				if got := eventsOf[agent.RetryEvent](s); len(got) != max(0, retries) || result.Status != want.status || requests.Load() != want.requests {
					t.Errorf("%d requests, status %s, retries %+v", requests.Load(), result.Status, got)
				}
			})
		})
	}
}
