package eval_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/eval"
	"skills/internal/eval/store"
	"skills/internal/loader"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/script/supervisor"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

func TestMain(m *testing.M) {
	if code, ok := supervisor.Main(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// request is what a server's answer depends on.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	text string // the whole body
	key  string // the Authorization header
}

// results returns the number of tool results so far.
func (r request) results() (n int) {
	for _, m := range r.Messages {
		if m.Role == "tool" {
			n++
		}
	}
	return n
}

// server is a chat-completions server that answers by the request, in any order.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []request
	silent func(request) bool // about the usage of tokens; may be nil
}

func newServer(t *testing.T, answer func(request) openaitest.Reply) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has cancelled the request
		}
		req := request{text: string(body), key: r.Header.Get("Authorization")}
		if err := json.Unmarshal(body, &req); err != nil {
			t.Errorf("request: %v", err)
		}
		s.mu.Lock()
		s.seen = append(s.seen, req)
		s.mu.Unlock()
		reply := answer(req)
		if reply.Status != 0 {
			http.Error(w, `{"error":{"message":"`+cmp.Or(reply.Text, "no")+`"}}`, reply.Status)
			return
		}
		if reply.Usage == nil && (s.silent == nil || !s.silent(req)) {
			reply.Usage = &openaitest.Usage{Input: 90, Output: 10}
		}
		io.WriteString(w, reply.Completion(req.Model))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// fixture is a skill with eval cases in a new folder, and the options to run them.
type fixture struct {
	t      *testing.T
	dir    string // of the skill
	server *server
	o      eval.Options
	warned []string
	stderr bytes.Buffer

	notices []loader.Notice
}

func newFixture(t *testing.T, files map[string]string, answer func(request) openaitest.Reply) *fixture {
	f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "color-names"), server: newServer(t, answer)}
	f.write("SKILL.md", "---\nname: color-names\ndescription: Knows the house names of colors. Use when asked for a color.\n---\nThe house name of the color red is carmine-of-the-northern-valley.\n")
	filetest.Write(t, f.dir, files)
	f.o = eval.Options{
		Run: run.Options{
			Server: run.ServerOptions{Model: "m", BaseURL: f.server.URL + "/v1"}, Scripts: run.Scripts{Sandbox: "auto", Timeout: time.Minute},
			Programs: run.Programs{HookTimeout: time.Minute}, Limits: run.Limits{Turns: 10, Timeout: time.Minute, Failures: 3, Repeats: 5},
		},
		Paths: []string{f.dir}, Jobs: 4, Baseline: "without", Note: func(string) {},
		JudgeOptions: eval.JudgeOptions{JudgeVotes: 1}, Selection: eval.Selection{Runs: 1},
	}
	return f
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	filetest.Write(f.t, f.dir, map[string]string{name: text})
}

func (f *fixture) env() run.Env {
	home, err := os.UserHomeDir()
	if err != nil {
		f.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	return run.Env{
		Environ: os.Environ(), Dir: filepath.Dir(f.dir), Home: home, Self: self,
		Version: "test", Notify: func(n loader.Notice) { f.notices = append(f.notices, n) },
		Warn: func(format string, args ...any) { f.warned = append(f.warned, fmt.Sprintf(format, args...)) },
		Note: func(text string) { fmt.Fprintln(&f.stderr, "note: "+text) }, Masked: func(*redact.Masker) {},
	}
}

// run evaluates the skill.
func (f *fixture) run() (*store.Benchmark, error) { return f.runIn(f.t.Context()) }

func (f *fixture) runIn(ctx context.Context) (*store.Benchmark, error) {
	f.t.Helper()
	e, err := eval.New(ctx, f.env(), f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	defer e.Close()
	all, err := e.Run(ctx)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

// forecast returns the requests that an eval would make.
func (f *fixture) forecast() string {
	f.t.Helper()
	e, err := eval.New(f.t.Context(), f.env(), f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	defer e.Close()
	return eval.Forecast(e)
}

func (f *fixture) must() *store.Benchmark {
	f.t.Helper()
	b, err := f.run()
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// iteration returns the path of a file in an iteration.
func (f *fixture) iteration(n, name string) string {
	return filepath.Join(f.dir+"-workspace", "iteration-"+n, name)
}

// sixCases are six cases that ask for a color.
func sixCases() map[string]string {
	var cases []string
	for i := range 6 {
		cases = append(cases, `{"id":`+string(rune('1'+i))+`,"prompt":"What is the name of red? Question `+string(rune('1'+i))+`.","expected_output":"The house name.","assertions":[{"name":"house name","type":"contains","value":"carmine"}]}`)
	}
	return map[string]string{"evals/evals.json": `{"skill_name":"color-names","evals":[` + strings.Join(cases, ",\n") + `]}`}
}

// skilful answers with the skill's knowledge if the skill can be loaded, and else without.
func skilful(r request) openaitest.Reply {
	switch {
	case len(r.Tools) == 0 || !strings.Contains(r.text, "color-names"):
		return openaitest.Text("red")
	case r.results() == 0:
		return openaitest.Do(openaitest.Call{ID: "c1", Name: "load_skill", Arguments: `{"skillName":"color-names"}`})
	}
	return openaitest.Text("carmine")
}

// TestRun checks that six cases of which only the skill knows the answer give the verdict
// better, and that both worlds' files are written.
func TestRun(t *testing.T) {
	f := newFixture(t, sixCases(), skilful)
	b := f.must()
	if s := b.Statistics; s.Verdict != "better" || s.Cases != 6 || *s.Delta != 1 || s.ErroredRuns != 0 {
		t.Errorf("statistics %+v", s)
	}
	for _, name := range []string{"benchmark.json", "benchmark.md", "report.html"} {
		filetest.Read(t, f.iteration("1", name))
	}
	for _, name := range []string{"transcript.jsonl", "transcript.md", "recording.jsonl", "timing.json", "grading.json"} {
		filetest.Read(t, f.iteration("1", filepath.Join("eval-1", "with_skill", "run-1", name)))
	}
}

// TestWarnings checks that what is left to do after runs is said, once for all of them.
func TestWarnings(t *testing.T) {
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if r.results() == 0 {
			return openaitest.Do(openaitest.Call{ID: "c1", Name: "todos_add", Arguments: `{"todos":[{"title":"mix it"}]}`})
		}
		return openaitest.Text("carmine")
	})
	f.must()
	n := 0
	for _, text := range f.warned {
		if text == "1 todo item open: mix it" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d warnings among %q", n, f.warned)
	}
}

// TestTurns checks that a case with turns is one conversation, whose end is graded: the user
// says each after an answer, in both arms, the judge sees all that was said, and the
// recordings give the result byte for byte. Another turn is another run.
func TestTurns(t *testing.T) {
	const task = "Remember red."
	f := newFixture(t, map[string]string{
		"evals/evals.json":  `{"skill_name":"color-names","evals":[{"id":1,"prompt":"` + task + `","assertions":["It names red"]}]}`,
		"evals/checks.json": `{"schema_version":1,"cases":{"1":{"turns":["And blue.","What did I say?"],"checks":[{"type":"equals","value":"3: red, blue"}]}}}`,
	}, func(r request) openaitest.Reply {
		if strings.Contains(r.text, "It names red") {
			if !strings.Contains(r.text, "After answer 2, the user says:") || !strings.Contains(r.text, "And blue.") {
				t.Errorf("the judge sees %s", r.text)
			}
			return openaitest.Text(`{"results":[{"index":1,"passed":true,"evidence":"red"}]}`)
		}
		var said []string
		for _, m := range r.Messages {
			if m.Role == "user" {
				var text string
				_ = json.Unmarshal(m.Content, &text)
				said = append(said, text)
			}
		}
		switch len(said) {
		case 1:
			return openaitest.Text("noted")
		case 2:
			return openaitest.Text("noted too")
		}
		if said[0] != task || !strings.Contains(r.text, "noted too") {
			t.Errorf("the last request has %s", r.text)
		}
		return openaitest.Text("3: red, blue")
	})
	b := f.must()
	if len(b.Runs) != 2 || b.Runs[0].Result.Rate != 1 || b.Runs[1].Result.Rate != 1 || f.server.count() != 2*4 {
		t.Fatalf("%d requests, %+v", f.server.count(), b)
	}
	if text := filetest.Read(t, f.iteration("1", "eval-1/eval_metadata.json")); !strings.Contains(text, "What did I say?") {
		t.Error(text)
	}
	want, asked := filetest.Read(t, f.iteration("1", "benchmark.json")), f.server.count()
	f.o.Offline = true
	f.must()
	if got := filetest.Read(t, f.iteration("1", "benchmark.json")); got != want || f.server.count() != asked {
		t.Errorf("%d requests, got\n%s\nwant\n%s", f.server.count()-asked, got, want)
	}
	f.o.Offline = false
	f.must()
	if f.server.count() != asked {
		t.Errorf("%d requests for an equal eval", f.server.count()-asked)
	}
	f.write("evals/checks.json", `{"schema_version":1,"cases":{"1":{"turns":["And blue.","What was it?"],"checks":[{"type":"equals","value":"3: red, blue"}]}}}`)
	f.must()
	if f.server.count() != asked+2*4 {
		t.Errorf("%d requests for another turn", f.server.count()-asked)
	}
}
