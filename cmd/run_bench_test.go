package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// benchTurns is how many requests the conversation of BenchmarkRun has.
const benchTurns = 31

// BenchmarkRun is what the whole program costs a turn, from the start of its
// process to its end: 31 requests, 30 tool calls of which each reads 200 bytes,
// or 60 that read 2 KB; tools offers those for files and commands. For comparison, a
// bare client posts the same bodies and reads the same replies: once as a process of
// its own (bare), once within the process of the server and warmed up (warm).
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	binary, client := filepath.Join(dir, "skills-bench"), filepath.Join(dir, "bare-client")
	build(b, binary, "..")
	build(b, client, "./testdata/bareclient")
	filetest.Write(b, filepath.Join(dir, "skills", "notes"), map[string]string{
		"SKILL.md": "---\nname: notes\ndescription: Holds notes.\n---\n\nSee [the notes](notes.md).\n",
		"notes.md": strings.Repeat("a line of a file\n", 120),
	})
	for _, test := range []struct {
		name   string
		flags  []string
		calls  int // a turn
		offset int // where they begin to read
	}{
		{"text/30 calls", []string{"--format=text"}, 1, 1840},
		{"tools/30 calls", []string{"--format=text", "--tools=files,shell"}, 1, 1840},
		{"text/60 calls", []string{"--format=text"}, 2, 0},
		{"jsonl/60 calls", []string{"--format=jsonl", "--stream"}, 2, 0},
	} {
		b.Run(test.name, func(b *testing.B) {
			server := newBenchServer(b, slices.Contains(test.flags, "--stream"), test.calls, test.offset)
			var spent time.Duration // on a processor
			run := func(program string, args ...string) time.Duration {
				start := time.Now()
				c := exec.Command(program, args...)
				c.Dir, c.Env = dir, []string{"HOME=" + dir, "OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=sk-test-key"}
				var errs bytes.Buffer
				c.Stderr = &errs
				if err := c.Run(); err != nil {
					b.Fatalf("%v\n%s", err, errs.String())
				}
				spent = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
				return time.Since(start)
			}
			args := append([]string{"run", "read the notes"}, test.flags...)
			run(binary, args...)
			if len(server.bodies) != benchTurns {
				b.Fatalf("%d requests", len(server.bodies))
			}
			bodies := filepath.Join(dir, "bodies")
			filetest.Write(b, dir, map[string]string{"bodies": string(bytes.Join(server.bodies, []byte("\n")))})
			var ours, bare, warm, cpu time.Duration
			for b.Loop() {
				ours += run(binary, args...)
				cpu += spent
				bare += run(client, server.URL+"/v1", bodies)
				start := time.Now()
				server.post(b)
				warm += time.Since(start)
			}
			if server.next%benchTurns != 0 {
				b.Fatalf("%d requests: not a whole number of conversations", server.next)
			}
			for name, d := range map[string]time.Duration{
				"ms/turn": ours, "bare-ms/turn": bare, "over-bare-ms/turn": ours - bare,
				"warm-ms/turn": warm, "over-warm-ms/turn": ours - warm, "cpu-ms/turn": cpu,
			} {
				b.ReportMetric(d.Seconds()*1000/float64(b.N*benchTurns), name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// benchServer reads a request and sends the next of its replies, begun again
// after the last; of the first round it keeps the requests.
type benchServer struct {
	*httptest.Server
	mu      sync.Mutex
	replies []string
	next    int
	bodies  [][]byte
}

func newBenchServer(b *testing.B, stream bool, calls, offset int) *benchServer {
	s := &benchServer{}
	for i := range benchTurns {
		reply := openaitest.Text("done")
		if i < benchTurns-1 {
			reply.Text = "I read on."
			for j := range calls {
				reply.Calls = append(reply.Calls, openaitest.Call{ID: fmt.Sprintf("call_%d_%d", i, j), Name: "read_skill_resource", Arguments: fmt.Sprintf(`{"skillName":"notes","resourceName":"notes.md","offset":%d}`, offset+2*i+j)})
			}
		}
		text := reply.Completion("m")
		if stream {
			text = reply.Stream("m")
		}
		s.replies = append(s.replies, text)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		n := s.next
		s.next++
		if n < benchTurns {
			s.bodies = append(s.bodies, body)
		}
		s.mu.Unlock()
		_, _ = io.WriteString(w, s.replies[n%benchTurns])
	}))
	b.Cleanup(s.Close)
	return s
}

// post sends the requests of the first round with a bare client.
func (s *benchServer) post(b *testing.B) {
	if err := openaitest.Post(s.URL+"/v1", s.bodies); err != nil {
		b.Fatal(err)
	}
}
