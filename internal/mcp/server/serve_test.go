package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// runner runs no scripts, and says which it would have run.
type runner struct{}

func (runner) Command(s script.Script, args []string) ([]string, error) {
	return append([]string{"sh", s.Name}, args...), nil
}

func (runner) Run(ctx context.Context, s script.Script, args []string) (script.Result, error) {
	if slices.Contains(args, "wait") {
		<-ctx.Done()
		return script.Result{}, context.Cause(ctx)
	}
	return script.Result{Stdout: fmt.Sprint("ran ", args)}, nil
}

var front = func(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ". Use when testing.\n---\nText of " + name + ".\n"
}

// serve returns a server for skills in a folder, and the folder.
func serve(t *testing.T, files map[string]string) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, files)
	source := loader.Cache(loader.Files([]string{dir}, loader.FilesOptions{}))
	provider, err := skills.New(skills.Options{
		Source: source, Runner: runner{}, Listed: true,
		Scripts: skills.Confinement{Dir: dir, Sandbox: func(context.Context) (agent.Sandbox, error) { return agent.Sandbox{Name: "test"}, nil }},
	})
	must(t, err)
	policy, err := approve.New(approve.Options{Ask: Ask})
	must(t, err)
	s, err := New(t.Context(), Options{
		Version: "1", Source: source, Provider: provider, Approve: policy.Approve, Mask: func(s string) string { return s },
		Hints: Hints{Sandboxed: true}, Poll: time.Millisecond,
	})
	must(t, err)
	return s, dir
}

// connect returns a client's session with a server.
func connect(t *testing.T, s *Server, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	_, err := s.Connect(t.Context(), ours)
	must(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTools: clients see what a tool may do before they call it, and the skills in the
// description of load_skill and in the instructions.
func TestTools(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/scripts/x.sh": "", "b/SKILL.md": front("b")})
	session := connect(t, s, "", nil)
	list, err := session.ListTools(t.Context(), nil)
	must(t, err)
	var got []string
	for _, tool := range list.Tools {
		a := tool.Annotations
		got = append(got, fmt.Sprintf("%s %s %t %t %t", tool.Name, a.Title, a.ReadOnlyHint, *a.DestructiveHint, *a.OpenWorldHint))
		for _, name := range []string{"a", "b"} {
			if line := "\n- " + name + ": Does " + name + ". Use when testing."; tool.Name == "load_skill" && !strings.Contains(tool.Description+"\n", line+"\n") {
				t.Errorf("the description lacks %q: %s", line, tool.Description)
			}
		}
	}
	want := []string{"load_skill Load skill true false false", "read_skill_resource Read skill resource true false false", "run_skill_script Run skill script false false false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if text := session.InitializeResult().Instructions; !strings.Contains(text, "<name>b</name>") {
		t.Errorf("instructions: %s", text)
	}
	for hints, want := range map[Hints]string{{}: "true true", {Sandboxed: true, Network: true}: "false true"} {
		s.opt.Hints = hints
		a := s.annotations(agent.Tool{Name: "run_skill_script", Effects: agent.Effects{Programs: true}})
		if got := fmt.Sprint(*a.DestructiveHint, " ", *a.OpenWorldHint); got != want {
			t.Errorf("%+v: got %s", hints, got)
		}
	}
	if a := s.annotations(agent.Tool{Name: "run_command", Effects: agent.Effects{Changes: true, Programs: true}}); a.ReadOnlyHint || !*a.DestructiveHint {
		t.Errorf("got %+v", a)
	}
}

// TestBudget: many skills fit into the description of load_skill, and the rest is found by
// a tool.
func TestBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 150 {
		name := fmt.Sprintf("skill-%03d", i)
		files[name+"/SKILL.md"] = strings.Replace(front(name), "Use when testing", strings.Repeat("Use when testing it. ", 20), 1)
	}
	s, _ := serve(t, files)
	list, err := connect(t, s, "", nil).ListTools(t.Context(), nil)
	must(t, err)
	if list.Tools[0].Name != "find_skills" || len(list.Tools[1].Description) > 12_000 || !strings.Contains(list.Tools[1].Description, "Call `find_skills`") {
		t.Errorf("%d bytes: %s", len(list.Tools[1].Description), list.Tools[1].Description)
	}
}

// TestListChanged: a client is notified of skills that are added and removed, and the
// lists are those of now.
func TestListChanged(t *testing.T) {
	s, dir := serve(t, nil)
	changed := make(chan string, 100)
	session := connect(t, s, "2025-11-25", &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { changed <- "tools" },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { changed <- "prompts" },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- "resources" },
	})
	go s.Watch(t.Context())
	await := func() {
		t.Helper()
		missing := map[string]bool{"tools": true, "prompts": true, "resources": true}
		for len(missing) > 0 {
			select {
			case what := <-changed:
				delete(missing, what)
			case <-time.After(20 * time.Second):
				t.Fatalf("the client was not told about %v", missing)
			}
		}
	}
	names := func() string {
		tools, err := session.ListTools(t.Context(), nil)
		must(t, err)
		prompts, err := session.ListPrompts(t.Context(), nil)
		must(t, err)
		resources, err := session.ListResources(t.Context(), nil)
		must(t, err)
		return fmt.Sprint(len(tools.Tools), len(prompts.Prompts), len(resources.Resources))
	}
	if got := names(); got != "0 0 1" {
		t.Errorf("got %s", got)
	}
	filetest.Write(t, dir, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	await()
	if got := names(); got != "3 1 3" {
		t.Errorf("got %s", got)
	}
	filetest.Write(t, dir, map[string]string{"a/SKILL.md": "no skill"})
	await()
	if got := names(); got != "0 0 1" {
		t.Errorf("got %s", got)
	}
}

// TestPrompts: each skill that a user may invoke is a prompt with its text; its files can
// be read afterwards, even if the model may not load it.
func TestPrompts(t *testing.T) {
	s, _ := serve(t, map[string]string{
		"a/SKILL.md": front("a"), "m/SKILL.md": strings.Replace(front("m"), "\n---\nText", "\nuser-invocable: false\n---\nText", 1),
		"u/SKILL.md": strings.Replace(front("u"), "\n---\nText", "\ndisable-model-invocation: true\n---\nText", 1), "u/x.md": "of u",
	})
	session := connect(t, s, "", nil)
	list, err := session.ListPrompts(t.Context(), nil)
	must(t, err)
	var names []string
	for _, p := range list.Prompts {
		names = append(names, p.Name+" "+p.Description)
	}
	if want := []string{"a Does a. Use when testing.", "u Does u. Use when testing."}; !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "u", Arguments: map[string]string{"request": "Do it twice."}})
	must(t, err)
	text := got.Messages[0].Content.(*mcp.TextContent).Text
	if len(got.Messages) != 1 || got.Messages[0].Role != "user" || !strings.Contains(text, "Text of u.") || !strings.HasSuffix(text, "\n\nDo it twice.") {
		t.Errorf("got %q", text)
	}
	read, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_skill_resource", Arguments: map[string]any{"skillName": "u", "resourceName": "x.md"}})
	must(t, err)
	if text := read.Content[0].(*mcp.TextContent).Text; read.IsError || !strings.Contains(text, "of u") {
		t.Errorf("got %q", text)
	}
	_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "m"})
	if coded := (*jsonrpc.Error)(nil); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("got %v", err)
	}
}

// TestResources: the files of skills are listed with the index, and a file that is not there
// is invalid parameters with the URI as data.
func TestResources(t *testing.T) {
	s, dir := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/docs/x y.md": "X", "a/.env": "K=1", "odd name/SKILL.md": front("odd name")})
	session := connect(t, s, "", nil)
	list, err := session.ListResources(t.Context(), nil)
	must(t, err)
	var got []string
	for _, r := range list.Resources {
		got = append(got, r.URI+" "+r.MIMEType)
	}
	want := []string{"skill://a/SKILL.md text/markdown", "skill://a/docs/x%20y.md text/markdown", "skill://index.json application/json"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, uri := range []string{"skill://a/none", "skill://a/.env", "skill://b.zip", "skill://a/../a/SKILL.md", "skill://", "file://" + filepath.Join(dir, "a/SKILL.md"), "skill://a/%zz", "skill://\x00\"\\"} {
		_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		coded := (*jsonrpc.Error)(nil)
		if !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams || !strings.HasPrefix(string(coded.Data), `{"uri":"`) {
			t.Errorf("%q: got %#v", uri, err)
		}
	}
}
