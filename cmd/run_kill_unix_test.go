//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/history"
	"skills/internal/todo"
)

// TestKill ends runs with SIGKILL, which no program can do anything about, at
// random moments, each in the middle of a session that others were killed in
// before. After each the session's file opens, holds every message that the
// server was sent and no state without its result, and is a conversation
// that servers take; at the end each session goes on to its answer.
func TestKill(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		t.Parallel()
		killed(t, 200, 3*time.Millisecond, &endlessModel{calls: []string{addCall, "todos_get_all {}"}})
	})
	t.Run("concurrent", func(t *testing.T) {
		t.Parallel()
		const wait = `run_skill_script {"skillName":"waits","scriptName":"scripts/wait.sh"}`
		model := &endlessModel{calls: []string{wait, addCall, `load_skill {"skillName":"waits"}`, wait, addCall}}
		killed(t, 60, 60*time.Millisecond, model, "--parallel", "-y", "--sandbox", "off", "--max-repeats", "0")
	})
}

// killed kills runs at random moments, each at most within after a request.
func killed(t *testing.T, kills int, within time.Duration, model *endlessModel, more ...string) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	bin := program(t)
	server := httptest.NewServer(model)
	defer server.Close()
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "skills/waits/SKILL.md"), "---\nname: waits\ndescription: Waits.\n---\nWait.\n")
	makeFile(t, filepath.Join(dir, "skills/waits/scripts/wait.sh"), "sleep 0.02\necho waited\n")
	start := func(file, prompt string) *exec.Cmd {
		c := exec.Command(bin, append([]string{"run", "-q", "--session", file, "--base-url", server.URL + model.path(), prompt}, more...)...)
		c.Dir, c.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		return c
	}
	died := 0
	for n := range kills {
		file := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n%20))
		// Killed when it has asked so often, and a little later.
		reached := model.begin(1 + random.IntN(5))
		c := start(file, fmt.Sprintf("prompt %d", n))
		ended := make(chan error, 1)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- c.Wait() }()
		select {
		case <-reached:
			time.Sleep(time.Duration(random.Int64N(int64(within)))) // a random moment
			c.Process.Kill()
			<-ended
			died++
		case err := <-ended:
			t.Fatalf("run %d ended by itself: %v", n, err)
		}
		kept(t, file, model.sent())
		if more == nil { // concurrent calls are stored in their order, after what they did
			together(t, file)
		}
		if t.Failed() {
			return
		}
	}
	if died != kills {
		t.Errorf("%d of %d runs were killed", died, kills)
	}
	for n := range 20 {
		model.begin(3)
		out, err := start(filepath.Join(dir, fmt.Sprintf("%d.jsonl", n)), "finish").Output()
		if err != nil || string(out) != "the answer\n" {
			t.Errorf("session %d does not go on: %v\n%s", n, err, out)
		}
	}
}

// together checks that the states of a session are those that the results in it
// report: an item for each that was added, a skill where one was loaded.
func together(t *testing.T, file string) {
	t.Helper()
	f, err := history.Read(file)
	if err != nil {
		t.Error(err)
		return
	}
	got, err := f.Invoking(t.Context(), &agent.Invoking{})
	if err != nil {
		t.Error(err)
		return
	}
	added, loads := 0, false
	for _, m := range got.Messages {
		if m.Role == agent.ToolRole && !strings.HasPrefix(m.Text, "Error: ") {
			loads = loads || m.Name == "load_skill"
			if m.Name == "todos_add" {
				added++
			}
		}
	}
	items, err := todo.Items(f.Session)
	if err != nil {
		t.Error(err)
	}
	loaded, err := skills.Loaded(f.Session)
	if err != nil {
		t.Error(err)
	}
	if len(items) != added || (len(loaded) > 0) != loads {
		t.Errorf("%s: %d items on the list and %d results that report one; loaded: %v and %q", file, len(items), added, loads, loaded)
	}
}

// TestSessionInUse checks that a second run cannot open a session file until the first
// run has ended.
func TestSessionInUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	run := func() (string, int) {
		c := exec.Command(program(t), "run", "--session", file, "--base-url", "http://127.0.0.1:1/v1", "--retries", "0", "x")
		c.Dir, c.Env = t.TempDir(), []string{"HOME=/nowhere"}
		out, _ := c.CombinedOutput()
		return string(out), c.ProcessState.ExitCode()
	}
	held, err := history.Open(file, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out, code := run(); code != exitUsage || !strings.Contains(out, "another run is using it") || !strings.Contains(out, "hint: wait for it to end") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	held.Close()
	if out, code := run(); code != exitProblems || !strings.Contains(out, "cannot connect to") {
		t.Errorf("after its end: exit code %d\n%s", code, out)
	}
}

// program returns the path of the program: the test binary is it, when it is
// called by that name.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "skills")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	return bin
}

// kept checks a session's file against the last request that the server saw:
// everything in that was accepted, and must be there.
func kept(t *testing.T, file string, sent []sentMessage) {
	t.Helper()
	f, err := history.Read(file)
	if err != nil {
		t.Errorf("the session cannot be used: %v", err)
		return
	}
	got, err := f.Invoking(t.Context(), &agent.Invoking{})
	if err != nil {
		t.Error(err)
		return
	}
	var saved []sentMessage
	for _, m := range got.Messages {
		saved = append(saved, sentMessage{string(m.Role), m.Text, m.CallID, len(m.Calls)})
	}
	for i, m := range sent {
		if i >= len(saved) || saved[i] != m {
			t.Errorf("%s holds %d messages, the server was sent %d; they differ from message %d on: %+v", file, len(saved), len(sent), i+1, m)
			return
		}
	}
}

// sentMessage is a message of a request, without system text and todo list.
type sentMessage struct {
	role, text, callID string
	calls              int
}

const addCall = `todos_add {"todos":[{"title":"x"}]}`

// endlessModel is a model that calls tools until it is stopped.
type endlessModel struct {
	calls   []string // of each turn: name, space, arguments
	mu      sync.Mutex
	run     int // each has a path of its own: a killed one's request may come late
	turns   int // requests until reached is closed, or the answer comes
	reached chan struct{}
	last    []sentMessage
	ids     int
}

// begin makes the next run ask at least n times.
func (m *endlessModel) begin(n int) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run++
	m.turns, m.reached, m.last = n, make(chan struct{}), nil
	return m.reached
}

// path is where the run that was begun last finds the model.
func (m *endlessModel) path() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("/run/%d/v1", m.run)
}

// sent returns the messages of the run's last request.
func (m *endlessModel) sent() []sentMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// unfolded returns the texts that were joined to a message of a request, without the todo
// list.
func unfolded(role, text string) []string {
	text, _, _ = strings.Cut(text, "\n\n<context>\n")
	if role == "user" { // prompts have one line
		return strings.Split(text, "\n\n")
	}
	return []string{text}
}

func (m *endlessModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // killed while it asked
	}
	var request struct {
		Messages []struct {
			Role    string            `json:"role"`
			Content string            `json:"content"`
			CallID  string            `json:"tool_call_id"`
			Calls   []json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &request) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !strings.HasPrefix(r.URL.Path, fmt.Sprintf("/run/%d/", m.run)) {
		return // of a run that was killed before
	}
	m.last = nil
	finish := false
	for _, q := range request.Messages {
		if q.Role == "system" {
			continue
		}
		if q.Content == "(The run ended here.)" {
			continue
		}
		for _, text := range unfolded(q.Role, q.Content) {
			m.last = append(m.last, sentMessage{q.Role, text, q.CallID, len(q.Calls)})
			finish = finish || q.Role == "user" && text == "finish"
		}
	}
	m.turns--
	if m.turns == 0 {
		close(m.reached)
	}
	m.ids++
	switch {
	case finish && m.turns <= 0:
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"the answer"},"finish_reason":"stop"}]}`)
	default:
		var calls []string
		for i, call := range m.calls {
			name, arguments, _ := strings.Cut(call, " ")
			calls = append(calls, fmt.Sprintf(`{"id":"%c%d","type":"function","function":{"name":%q,"arguments":%q}}`, 'a'+i, m.ids, name, arguments))
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"turn","tool_calls":[%s]},"finish_reason":"tool_calls"}]}`, strings.Join(calls, ","))
	}
}
