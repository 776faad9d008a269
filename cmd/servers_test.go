package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// healed are the changes that make requests acceptable for servers of a profile, at the
// first request of a run. A profile without any accepts the usual form. "" is the change to
// tool calls as JSON.
var healed = map[string][]string{
	"no-system":            {"with the system text in the first message"},
	"single-call":          {"with one tool call a message"},
	"content-not-empty":    {"without empty content"},
	"no-stream-options":    {"without stream_options"},
	"no-stream-with-tools": {"without streaming"},
	"responses-only":       {"over the Responses API"},
	"tools-dropped":        {""},
	"tools-denied":         {""},
	"azure":                {"with the key in the header api-key"},
}

// event is an event of a run.
type event struct {
	Type, Text, Change, Message, Name, Error, Output string

	Status any // the end of a run, or of a response
	OK     bool
}

// runEvents runs the program against a server and returns its events.
func runEvents(t *testing.T, url, dir string, args ...string) (events []event) {
	t.Helper()
	var out, errs bytes.Buffer
	must(t, os.MkdirAll(dir+"-cache", 0o700))
	environ := []string{"OPENAI_BASE_URL=" + url, "OPENAI_API_KEY=key-of-the-test", "PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	env := Env{Env: run.Env{Dir: dir, Environ: environ, Cache: dir + "-cache"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	others, err := filepath.Abs("../testdata/skills")
	if err != nil {
		t.Fatal(err)
	}
	skills := filepath.Join(dir, "skills")
	makeFile(t, filepath.Join(skills, "double", "SKILL.md"), "---\nname: double\ndescription: Doubles numbers. Use for twice a number.\n---\n"+strings.Repeat("Run scripts/double.sh with one number; it prints twice that number.\n", 40))
	makeFile(t, filepath.Join(skills, "double", "scripts", "double.sh"), "#!/bin/sh\necho \"twice $1 is $(($1 * 2))\"\n")
	Run(t.Context(), env, append([]string{"run", "--no-builtin", "--no-config", "--skills", others, "--skills", skills, "-m", "m", "-y", "--sandbox", "off", "--format", "jsonl", "--session", "s.jsonl"}, args...))
	for line := range strings.Lines(out.String()) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		events = append(events, e)
	}
	if len(events) == 0 || events[len(events)-1].Type != "run.result" {
		t.Fatalf("no result: %s\n%s", out.String(), errs.String())
	}
	return events
}

// changesIn are the changes of requests in events.
func changesIn(events []event) (changes []string) {
	for _, e := range events {
		if e.Type == "retry" {
			changes = append(changes, e.Change)
		}
	}
	return changes
}

// TestServers takes a conversation with skills, a script and a todo list through servers of
// each profile: a run, one that continues it, and one that ends at its limit of turns. A
// quirk costs one retry at most, and none once the session knows it. The script is a shell
// script because Python takes longer to start than all the rest of a run.
func TestServers(t *testing.T) {
	t.Parallel()
	call := func(n, name, arguments string) openaitest.Call {
		return openaitest.Call{ID: "callNumb" + n, Name: name, Arguments: arguments}
	}
	double := func(n, value string) openaitest.Call {
		return call(n, "run_skill_script", `{"skillName":"double","scriptName":"scripts/double.sh","arguments":["`+value+`"]}`)
	}
	for _, p := range openaitest.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t,
				openaitest.Do(call("1", "load_skill", `{"skillName":"double"}`)),
				openaitest.Do(call("2", "todos_add", `{"todos":[{"title":"double"}]}`)),
				openaitest.Do(double("3", "1"), call("4", "todos_complete", `{"items":[{"id":1,"reason":"done"}]}`)),
				openaitest.Text("It is 2."),
				openaitest.Do(double("5", "2")),
				openaitest.Text("It is 4."),
				openaitest.Do(double("6", "3")),
				openaitest.Text("It is too early."),
			)
			server.Serve(p)
			url, dir := server.URL, t.TempDir()
			if p.Name == "azure" {
				url += "?api-version=2024-10-21"
			}
			closing := []string(nil)
			if p.Name == "tools-required" {
				closing = []string{"with the tools, and without a choice of them"}
			}
			for i, tt := range []struct {
				args                 []string
				status, text, script string
				changes              []string
			}{
				{[]string{"double 1\n\nKeep a list."}, "completed", "It is 2.", "twice 1 is 2", healed[p.Name]},
				{[]string{"and 2"}, "completed", "It is 4.", "twice 2 is 4", nil},
				{[]string{"--max-turns", "1", "and 3"}, "limit", "It is too early.", "twice 3 is 6", closing},
			} {
				events := runEvents(t, url, dir, tt.args...)
				last := events[len(events)-1]
				if last.Status != tt.status || last.Text != tt.text {
					t.Fatalf("run %d: %+v; events %+v", i+1, last, events)
				}
				if got := changesIn(events); !slices.Equal(got, tt.changes) {
					t.Errorf("run %d: retries %q, want %q", i+1, got, tt.changes)
				}
				warned := slices.ContainsFunc(events, func(e event) bool { return e.Type == "warning" && strings.Contains(e.Message, "shorten") })
				if warned != (p.Name == "cut-context") {
					t.Errorf("run %d: warned of a shortened request: %v", i+1, warned)
				}
				if !slices.ContainsFunc(events, func(e event) bool { return e.Type == "tool.result" && strings.HasPrefix(e.Output, tt.script) }) {
					t.Errorf("run %d: no script printed %q: %+v", i+1, tt.script, events)
				}
				failed := slices.IndexFunc(events, func(e event) bool { return e.Type == "tool.result" && !e.OK })
				if failed >= 0 {
					t.Errorf("run %d: %+v", i+1, events[failed])
				}
			}
		})
	}
}

// TestServersContinued continues a session on another kind of server, which may refuse what
// the first one, or its model, left in the conversation.
func TestServersContinued(t *testing.T) {
	t.Parallel()
	profiles := map[string]openaitest.Profile{"": {}}
	for _, p := range openaitest.Profiles() {
		profiles[p.Name] = p
	}
	load := func(id string) openaitest.Reply {
		return openaitest.Do(openaitest.Call{ID: id, Name: "load_skill", Arguments: `{"skillName":"double"}`})
	}
	for _, tt := range []struct {
		first, second string
		changes       []string
	}{
		{"", "mistral", []string{"with short ids of tool calls"}},
		{"", "deepseek", []string{"with reasoning_content in each message with tool calls"}},
		{"", "gemini", []string{"with a placeholder for missing thought signatures"}},
		{"", "openrouter", []string{"with a placeholder for missing thought signatures"}},
		{"deepseek", "groq", []string{"without the reasoning of earlier replies"}},
		{"gemini", "groq", []string{"without the reasoning of earlier replies"}},
		{"deepseek", "mistral", []string{"with short ids of tool calls", "without the reasoning of earlier replies"}},
		{"single-call", "alternating", nil},
		{"", "responses-only", []string{"over the Responses API"}},
		{"deepseek", "responses-only", []string{"over the Responses API"}},
		{"responses-only", "", nil},
		{"responses-only", "groq", nil},
	} {
		t.Run(tt.first+" to "+tt.second, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			one := openaitest.New(t, load("call_0001"), openaitest.Text("It is loaded."))
			one.Serve(profiles[tt.first])
			runEvents(t, one.URL, dir, "load it")
			two := openaitest.New(t, load("callNumb2"), openaitest.Text("It is loaded again."), openaitest.Text("Yes."))
			two.Serve(profiles[tt.second])
			events := runEvents(t, two.URL, dir, "again")
			if last := events[len(events)-1]; last.Text != "It is loaded again." {
				t.Errorf("got %+v", last)
			}
			if got := changesIn(events); !slices.Equal(got, tt.changes) {
				t.Errorf("retries %q, want %q", got, tt.changes)
			}
			if got := changesIn(runEvents(t, two.URL, dir, "sure?")); len(got) > 0 {
				t.Errorf("retries in the next run: %q", got)
			}
		})
	}
}

// TestServersPage checks that docs/servers.md names each profile, and no other.
func TestServersPage(t *testing.T) {
	page, err := os.ReadFile("../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| server | what it needs | profile of the test server |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got, want []string
	for _, row := range strings.Split(table, "\n")[1:] {
		for _, name := range strings.Split(strings.Split(row, "|")[3], ",") {
			got = append(got, strings.Trim(name, " `"))
		}
	}
	for _, p := range openaitest.Profiles() {
		want = append(want, p.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("docs/servers.md has %q, want %q", got, want)
	}
}
