package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history/jsonl"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
	"skills/internal/todo"
)

func noon() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }

func opened(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, noon, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// ask takes one prompt through the server, with the session at path.
func ask(t *testing.T, server *openaitest.Server, path, prompt string, more ...agent.ContextProvider) (agent.Result, error) {
	t.Helper()
	f := opened(t, path)
	defer f.Close()
	a, err := agent.New(agent.Config{
		Server: agent.Server{BaseURL: server.URL}, Model: "m", Instructions: "be brief",
		Providers: append([]agent.ContextProvider{f, todo.New(todo.Options{})}, more...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.Run(t.Context(), f.Session, prompt)
}

// TestContinue checks that a second run continues with messages and list of the first.
// The file contains no message twice, no instructions and no ephemeral messages.
func TestContinue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	add := openaitest.Call{ID: "a", Name: "todos_add", Arguments: `{"todos":[{"title":"one <b>"}]}`}
	server := openaitest.New(t, openaitest.Do(add), openaitest.Text("noted"), openaitest.Text("still noted"))
	if _, err := ask(t, server, path, "first"); err != nil {
		t.Fatal(err)
	}
	before := filetest.Read(t, path)
	want := strings.Join([]string{
		`{"type":"session","schema_version":1,"created":"2026-07-01T12:00:00Z"}`,
		`{"type":"state","key":"todo","value":{"items":[],"nextId":1}}`,
		`{"type":"message","role":"user","source":"user","text":"first"}`,
		`{"type":"message","role":"assistant","source":"model","text":"","tool_calls":[{"id":"a","name":"todos_add","arguments":"{\"todos\":[{\"title\":\"one <b>\"}]}"}]}`,
		`{"type":"state","key":"todo","value":{"items":[{"id":1,"title":"one <b>","description":null,"isComplete":false}],"nextId":2}}`,
	}, "\n")
	if got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(before); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 7 {
		t.Errorf("the file is\n%s\nwant it to begin\n%s", got, want)
	}
	result, err := ask(t, server, path, "second")
	if err != nil || result.Text != "still noted" {
		t.Fatalf("got %+v, %v", result, err)
	}
	last := server.Requests()[2].Messages
	var got []string
	for _, m := range last {
		got = append(got, m.Role+":"+m.Text)
	}
	if len(got) != 6 || got[1] != "user:first" || got[4] != "assistant:noted" || !strings.HasPrefix(got[5], "user:second\n\n<context>\n") || !strings.Contains(got[5], "- 1 [open] one <b>") {
		t.Errorf("the second run asked %q", got)
	}
	after := filetest.Read(t, path)
	if grown, ok := strings.CutPrefix(after, before); !ok || strings.Count(grown, "\n") != 2 || strings.Contains(after, "be brief") || strings.Contains(after, "Current todo list") {
		t.Errorf("the file became\n%s", after)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// TestContinueAfterNudge checks that a text of the agent is sent as in the run that added
// it, so that the request begins with the same bytes and the user is not taken for its author.
func TestContinueAfterNudge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	server := openaitest.New(t, openaitest.Do(openaitest.Call{ID: "a", Name: "todos_get_all", Arguments: `{}`}), openaitest.Text(""), openaitest.Text("done"), openaitest.Text("ok"))
	for _, prompt := range []string{"first", "second"} {
		if _, err := ask(t, server, path, prompt); err != nil {
			t.Fatal(err)
		}
	}
	before, after := server.Requests()[2].Messages, server.Requests()[3].Messages
	if len(before) != 4 || len(after) != 6 || !strings.Contains(after[3].Text, "<context>\nYour last reply was empty") || !strings.HasPrefix(before[3].Text, after[3].Text) {
		t.Errorf("sent %+v, and in the next run %+v", before, after)
	}
}

// TestFailedRun checks that a failed run keeps its messages, and those of providers once,
// under their names.
func TestFailedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	server := openaitest.New(t, openaitest.Reply{Status: 400, Text: "no"}, openaitest.Text("ok"))
	skill := &adder{agent.Message{Role: agent.User, Text: "the skill's text"}}
	if _, err := ask(t, server, path, "first", skill); err == nil {
		t.Fatal("the first run did not fail")
	}
	if _, err := ask(t, server, path, "second"); err != nil {
		t.Fatal(err)
	}
	text := filetest.Read(t, path)
	if strings.Count(text, "the skill's text") != 1 || !strings.Contains(text, `"source":"context","provider":"adder","text":"the skill's text"`) {
		t.Errorf("the file is\n%s", text)
	}
	f, err := Read(path)
	if err != nil || len(f.messages) != 4 || f.messages[2].Text != "second" {
		t.Errorf("got %+v, %v", f.messages, err)
	}
}

type adder struct{ message agent.Message }

func (*adder) Name() string { return "adder" }
func (a *adder) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	return agent.Context{Messages: []agent.Message{a.message}}, nil
}
func (*adder) Invoked(context.Context, *agent.Invoked) error { return nil }

// TestInUse checks that one run at a time can use a session, and that the lock ends with
// its process.
func TestInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	first := opened(t, path)
	_, err := Open(path, noon, nil)
	var refused *fault.Error
	if !errors.Is(err, jsonl.ErrInUse) || !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("got %v", err)
	}
	if _, err := Read(path); err != nil {
		t.Errorf("it cannot be looked at meanwhile: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without messages still exists: %v", err)
	}
	second := opened(t, path)
	if err := second.OnMessages(t.Context(), agent.NewSession(), []agent.Message{userMessage("hi")}); err != nil {
		t.Error(err)
	}
	second.Close()
	if err := second.OnMessages(t.Context(), agent.NewSession(), []agent.Message{userMessage("late")}); err == nil {
		t.Error("a closed session took a message")
	}
	if got := filetest.Read(t, path); strings.Count(got, "\n") != 2 {
		t.Errorf("the file is\n%s", got)
	}
}

// TestEmptyFile checks that an existing empty file can be used and is not removed.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, path).Close()
	if got := filetest.Read(t, path); got != "" {
		t.Errorf("the file is %q", got)
	}
}

// TestFull checks that a failed write loses only its own message.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := opened(t, path)
	session := agent.NewSession()
	add := func(text string) error { return f.OnMessages(t.Context(), session, []agent.Message{userMessage(text)}) }
	if err := add("one"); err != nil {
		t.Fatal(err)
	}
	before := filetest.Read(t, path)
	if err := add(strings.Repeat("x", maxLine)); !errors.Is(err, jsonl.ErrFull) {
		t.Errorf("a line that is too long: %v", err)
	}
	if got := filetest.Read(t, path); got != before || len(f.messages) != 1 {
		t.Errorf("after a failure the file is\n%s", got)
	}
	if err := add("four"); err != nil {
		t.Error(err)
	}
	if got, want := filetest.Read(t, path), before+`{"type":"message","role":"user","source":"user","text":"four"}`+"\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	bad := agent.NewState("bad", func() any { return func() {} })
	if err := bad.View(session, func(any) {}); err != nil {
		t.Fatal(err)
	}
	if err := add("five"); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("a state that cannot be kept: %v", err)
	}
}

func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(opening), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, noon, nil); !errors.Is(err, jsonl.ErrFull) {
		t.Errorf("got %v", err)
	}
}

// TestTampered checks that a session that a script changed is an error at the next
// message, and that the messages are saved.
func TestTampered(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f := opened(t, path)
	add := func(text string) error {
		return f.OnMessages(t.Context(), f.Session, []agent.Message{userMessage(text)})
	}
	if err := add("one"); err != nil {
		t.Fatal(err)
	}
	write(t, path, head, line(t, userMessage("forged")))
	err := add("two")
	_, kept, found := strings.Cut(fmt.Sprint(err), "what this run wrote is in ")
	if !errors.Is(err, jsonl.ErrTampered) || !found {
		t.Fatalf("got %v", err)
	}
	again, err := Read(kept)
	if err != nil || len(again.messages) != 2 || again.messages[0].Text != "one" || again.messages[1].Text != "two" {
		t.Errorf("kept were %+v, %v", again, err)
	}
}

// TestOtherState checks that the state of absent providers is kept.
func TestOtherState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, head, `{"type":"state","key":"other","value":{"a":[1,  2]}}`)
	f := opened(t, path)
	if err := f.OnMessages(t.Context(), f.Session, []agent.Message{userMessage("hi")}); err != nil {
		t.Fatal(err)
	}
	saved, err := f.Session.Snapshot()
	if err != nil || string(saved["other"]) != `{"a":[1,  2]}` || strings.Count(filetest.Read(t, path), "other") != 1 {
		t.Errorf("got %s, %v", saved, err)
	}
}

func userMessage(text string) agent.Message {
	return agent.Message{Role: agent.User, Source: agent.FromUser, Text: text}
}

const head = `{"type":"session","schema_version":1,"created":"2026-07-01T12:00:00Z"}`

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// line is a message as a line of the file.
func line(t *testing.T, m agent.Message) string {
	t.Helper()
	data, err := json.Marshal(messageLines([]agent.Message{m})[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestUnusedBehindLink checks that a session that nothing was written to leaves a link
// unchanged.
func TestUnusedBehindLink(t *testing.T) {
	dir := t.TempDir()
	link, path := filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "s.jsonl")
	if err := os.Symlink("s.jsonl", link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	f, err := Open(link, noon, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "s.jsonl" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was left behind: %v", err)
	}
}
