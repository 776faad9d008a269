package ci

// Real clients load a skill and run its script through skills mcp: coding agents with a
// scripted model, the Inspector, the SDK for TypeScript, the conformance suite, and the
// Microsoft Agent Framework. They come from registries, so ci/mcp-clients.sh installs them and
// starts these tests; without SKILLS_MCP_CLIENTS they are skipped.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"skills/internal/testing/openaitest"
)

const clientTimeout = 4 * time.Minute

// clients returns the folder of the clients, or skips the test.
func clients(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SKILLS_MCP_CLIENTS")
	if dir == "" {
		t.Skip("SKILLS_MCP_CLIENTS is not set: run ci/mcp-clients.sh")
	}
	return dir
}

// place is where a client runs: a home folder, and a working folder with the skills.
type place struct{ home, work string }

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := os.MkdirTemp("", "mcp-client-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	p := place{filepath.Join(root, "home"), filepath.Join(root, "work")}
	for _, dir := range []string{p.home, p.work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(p.work, "skills"), os.DirFS("../testdata/skills")); err != nil {
		t.Fatal(err)
	}
	return p
}

// served are the arguments of skills mcp for the skills of a place.
func (p place) served() []string {
	return []string{"mcp", filepath.Join(p.work, "skills"), "--allow-script", "unit-converter/*"}
}

// write writes a configuration file below the home folder.
func (p place) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a client to its end and returns its output.
func (p place) run(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.WaitDelay = p.work, 10*time.Second
	c.Env = append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=none", "CI=1", "NO_COLOR=1"}, env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// scripted is a model server for clients whose requests have more than this project's: each
// request with tools gets the next reply, and any other, such as the one for a title, a word.
type scripted struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string // of the requests with tools
}

func newScripted(t *testing.T, replies ...openaitest.Reply) *scripted {
	t.Helper()
	model := openaitest.New(t, replies...)
	s := &scripted{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent struct {
			Stream bool
			Tools  []any
		}
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &sent) != nil {
			http.NotFound(w, r)
			return
		}
		to := model.URL
		if len(sent.Tools) == 0 {
			other := openaitest.Start(openaitest.Text("title"))
			defer other.Close()
			to = other.URL
		} else {
			s.mu.Lock()
			s.bodies = append(s.bodies, string(body))
			s.mu.Unlock()
		}
		short := map[string]any{"model": "m", "stream": sent.Stream}
		said := []any{map[string]any{"type": "message", "role": "user", "content": "go"}}
		if strings.HasSuffix(r.URL.Path, "/responses") {
			short["input"] = said
		} else {
			short["messages"] = said
		}
		data, _ := json.Marshal(short)
		pass(w, to+strings.TrimPrefix(r.URL.Path, "/v1"), data)
	}))
	t.Cleanup(s.Close)
	return s
}

// namespace begins the names of calls that Codex wants in two parts.
const namespace = "in-codex-"

// pass sends a request on and returns the reply.
func pass(w http.ResponseWriter, url string, body []byte) {
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(bytes.ReplaceAll(reply, []byte(`"name":"`+namespace), []byte(`"namespace":"mcp__skills","name":"`)))
}

// replies load the skill and run its script by a client's names of the tools, and answer.
func replies(prefix string) []openaitest.Reply {
	call := func(id, tool, arguments string) openaitest.Reply {
		return openaitest.Do(openaitest.Call{ID: id, Name: prefix + tool, Arguments: arguments})
	}
	return []openaitest.Reply{
		call("call_1", "load_skill", `{"skillName":"unit-converter"}`),
		call("call_2", "run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":["--value","10","--factor","2.2046"]}`),
		openaitest.Text("It is done."),
	}
}

// check checks that the model got the skill's text and the script's output.
func (s *scripted) check(t *testing.T, out string, err error) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || len(s.bodies) != 3 || !strings.Contains(out, "It is done.") {
		t.Errorf("%v after %d requests\n%s", err, len(s.bodies), out)
		return
	}
	if !strings.Contains(s.bodies[0], "load_skill") || !strings.Contains(s.bodies[0], "task that it fits: release-notes, translator, unit-converter") {
		t.Error("the first request does not list the skills")
	}
	for i, want := range []string{"Folder of this skill", "22.046"} {
		if body := s.bodies[i+1]; !strings.Contains(body, want) {
			t.Errorf("request %d lacks %q: its results are %q", i+2, want, results.FindAllString(body, -1))
		}
	}
}

func TestMCPAgents(t *testing.T) {
	dir := filepath.Join(clients(t), "node_modules", ".bin")
	program := os.Getenv("SKILLS_MCP_PROGRAM")
	list := func(args []string) string {
		data, _ := json.Marshal(args)
		return string(data)
	}
	t.Run("codex", func(t *testing.T) {
		p, model := newPlace(t), newScripted(t, replies("in-codex-")...)
		p.write(t, ".codex/config.toml", fmt.Sprintf(`model = "gpt-5-mini"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[mcp_servers.skills]
command = %q
args = %s
`, model.URL, program, list(p.served())))
		out, err := p.run(t, nil, filepath.Join(dir, "codex"), "exec", "--skip-git-repo-check", "Convert 10 kg to pounds.")
		model.check(t, out, err)
	})
	t.Run("opencode", func(t *testing.T) {
		p, model := newPlace(t), newScripted(t, replies("skills_")...)
		p.write(t, ".config/opencode/opencode.json", fmt.Sprintf(`{"model": "scripted/m", "autoupdate": false,
"provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "%s/v1", "apiKey": "none"}, "models": {"m": {"name": "m"}}}},
"mcp": {"skills": {"type": "local", "command": %s}}}`, model.URL, list(append([]string{program}, p.served()...))))
		out, err := p.run(t, nil, filepath.Join(dir, "opencode"), "run", "Convert 10 kg to pounds.")
		model.check(t, out, err)
	})
	t.Run("qwen", func(t *testing.T) {
		p, model := newPlace(t), newScripted(t, replies("mcp__skills__")...)
		p.write(t, ".qwen/settings.json", fmt.Sprintf(`{"security": {"auth": {"selectedType": "openai"}}, "mcpServers": {"skills": {"command": %q, "args": %s}}}`, program, list(p.served())))
		out, err := p.run(t, []string{"OPENAI_BASE_URL=" + model.URL + "/v1", "OPENAI_MODEL=m"}, filepath.Join(dir, "qwen"), "--allowed-tools", "mcp__skills__run_skill_script", "-p", "Convert 10 kg to pounds.")
		model.check(t, out, err)
	})
}

// results matches the results of calls in requests of both APIs.
var results = regexp.MustCompile(`"role":"tool".{0,900}|"function_call_output".{0,900}`)
