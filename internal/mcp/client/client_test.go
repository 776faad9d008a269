package client

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/script"
)

// program is a server's program in this process. It gets a request's method and
// arguments, and returns the result as JSON; "" ends it, "-" answers nothing, and "error"
// that the method is unknown.
type program func(method string, params json.RawMessage) string

func (p program) Serve(ctx context.Context, s script.Service) (script.Result, error) {
	stdin, stdout, stderr := s.Stdin, s.Stdout, s.Stderr
	fmt.Fprintln(stderr, "hello\x1b[31m")
	over := make(chan struct{})
	go func() {
		defer close(over)
		lines := bufio.NewReader(stdin)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m struct {
				ID     json.RawMessage
				Method string
				Params json.RawMessage
			}
			if json.Unmarshal(line, &m) != nil || m.ID == nil {
				continue
			}
			answer := p(m.Method, m.Params)
			switch {
			case answer == "":
				return
			case answer == "-":
			case answer == "error":
				fmt.Fprintf(stdout, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", m.ID)
			case strings.HasPrefix(answer, "{"):
				fmt.Fprintf(stdout, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, answer)
			default:
				if _, err := io.WriteString(stdout, answer); err != nil {
					return
				}
			}
		}
	}()
	select {
	case <-ctx.Done():
		return script.Result{Interrupted: true}, nil
	case <-over:
		return script.Result{ExitCode: 3}, nil
	}
}

// serving answers the start of a session with tools, and calls with call.
func serving(tools string, call func(params json.RawMessage) string) program {
	return func(method string, params json.RawMessage) string {
		switch method {
		case "initialize":
			return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			return `{"tools":` + tools + `}`
		case "tools/call":
			return call(params)
		}
		return `{"unknown":true}`
	}
}

const oneTool = `[{"name":"get","description":"Gets.\u001b[1m","inputSchema":{"type":"object"}}]`

// start connects to programs named a, b and so on.
func start(t *testing.T, opt Options, programs ...program) (*Client, []string, []agent.Tool) {
	t.Helper()
	for i := range programs {
		name := string(rune('a' + i))
		opt.Servers = append(opt.Servers, Server{Name: name, Command: []string{name}})
	}
	opt.Programs = byName(programs)
	if opt.Timeout == 0 {
		opt.Timeout = time.Minute
	}
	c, warnings := Connect(t.Context(), opt)
	t.Cleanup(func() { c.Close() })
	got, err := c.Invoking(t.Context(), &agent.Invoking{Context: agent.Context{Tools: []agent.Tool{{Name: "todos_add"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return c, warnings, got.Tools
}

type byName []program

func (all byName) Serve(ctx context.Context, s script.Service) (script.Result, error) {
	return all[s.Command[0][0]-'a'].Serve(ctx, s)
}

func call(t *testing.T, tool agent.Tool, arguments string) (agent.ToolResult, error) {
	t.Helper()
	inv := &agent.Invocation{Tool: &tool, Arguments: json.RawMessage(arguments)}
	action, err := inv.Prepare(t.Context())
	if err != nil {
		return agent.ToolResult{}, err
	}
	return action.Run(t.Context())
}

func names(tools []agent.Tool) (out []string) {
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

// TestCall: the server gets the arguments as the model wrote them; its text reaches the
// model without control characters and bounded, other content by type and size, and a
// result marked as an error is a failed one.
func TestCall(t *testing.T) {
	var got string
	answers := []string{
		`{"content":[{"type":"text","text":"25 \u001b[31m°C"},{"type":"image","data":"AAECAw==","mimeType":"image/png"},{"type":"audio","data":"AAE=","mimeType":"audio/wav"},
			{"type":"resource_link","name":"log","uri":"file:///log"},{"type":"resource","resource":{"uri":"x:1","text":"inner"}},{"type":"resource","resource":{"uri":"x:2","blob":"AAEC"}}]}`,
		`{"isError":true,"content":[{"type":"text","text":"no such city"}]}`,
		`{"content":[],"structuredContent":{"rain":true}}`,
		`{"content":[{"type":"text","text":"` + strings.Repeat("x", script.DefaultOutputLimit+1) + `"}]}`,
	}
	_, warnings, tools := start(t, Options{}, serving(oneTool, func(params json.RawMessage) string {
		got = string(params)
		answer := answers[0]
		answers = answers[1:]
		return strings.ReplaceAll(answer, "\n", "")
	}))
	if len(warnings) > 0 || len(tools) != 1 {
		t.Fatal(warnings, tools)
	}
	if tools[0].Description != "Gets." || tools[0].Schema["type"] != "object" || tools[0].Schema["properties"] == nil {
		t.Errorf("got %+v", tools[0])
	}
	result, err := call(t, tools[0], `{"b":1,"a":[2]}`)
	const want = "25 °C\n[image: image/png, 4 bytes, not shown]\n[audio: audio/wav, 2 bytes, not shown]\n[link log: file:///log]\ninner\n[resource x:2: unknown type, 3 bytes, not shown]"
	if err != nil || result.Text != want || result.Failed {
		t.Errorf("got %+v, %v", result, err)
	}
	if !strings.Contains(got, `"arguments":{"b":1,"a":[2]}`) || !strings.Contains(got, `"name":"get"`) {
		t.Errorf("the server got %s", got)
	}
	if result, err := call(t, tools[0], `{}`); err != nil || !result.Failed || result.Text != "no such city" {
		t.Errorf("got %+v, %v", result, err)
	}
	if result, err := call(t, tools[0], `{}`); err != nil || result.Text != `{"rain":true}` {
		t.Errorf("got %+v, %v", result, err)
	}
	if result, err := call(t, tools[0], `{}`); err != nil || !result.Truncated || len(result.Text) > script.DefaultOutputLimit+100 {
		t.Errorf("got %d bytes, %v, %v", len(result.Text), result.Truncated, err)
	}
}

// TestImages checks which images models get: those that are images by their content, within
// limits.
func TestImages(t *testing.T) {
	part := func(data string) string {
		return `{"type":"image","mimeType":"image/x","data":"` + base64.StdEncoding.EncodeToString([]byte(data)) + `"}`
	}
	gif := "GIF89a"
	_, _, tools := start(t, Options{}, serving(oneTool, func(json.RawMessage) string {
		return `{"content":[` + strings.Join([]string{part(gif), part("<svg>"), part(gif + strings.Repeat("x", maxImage)), part(gif), part(gif), part(gif), part(gif)}, ",") + `]}`
	}))
	got, err := call(t, tools[0], `{}`)
	if err != nil || len(got.Parts) != maxImages {
		t.Fatal(len(got.Parts), err)
	}
	const shown = "[image: image/x, 6 bytes]"
	want := strings.Join([]string{shown, "[image: image/x, 5 bytes, not shown]", "[image: image/x, 3,145,734 bytes, not shown: larger than 3 MiB]",
		shown, shown, shown, "[image: image/x, 6 bytes, not shown: more than 4 images]"}, "\n")
	if p := got.Parts[1]; got.Text != want || p.Name != "image 2 of a/get" || p.Type != "image/gif" || p.Size != 6 || string(p.Data) != gif || p.Tool != "get" {
		t.Errorf("got %s\n%+v", got.Text, got.Parts[1])
	}
}

// TestNames: tools keep their names where nobody else has them, get the server's name
// before them where others do, and a number where that is not enough; no tool takes the
// name of one of ours, offered or not.
func TestNames(t *testing.T) {
	tools := func(names ...string) program {
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
		}
		return serving("["+strings.Join(list, ",")+"]", nil)
	}
	long := strings.Repeat("n", 70)
	_, _, got := start(t, Options{Reserved: []string{"load_skill", "read_skill_resource", "run_skill_script"}},
		tools("get", "x y", "x_y", "查询 天气", "naïve", "todos_add", "run_skill_script", long+"1", long+"2"), tools("get", "b.list"))
	want := []string{"a_get", "naïve", "a_" + long[:62], ("a_" + long)[:62] + "_2", "a_run_skill_script", "a_todos_add", "a_x_y", "a_x_y_2", "查询_天气", "b_list", "b_get"}
	if !slices.Equal(names(got), want) {
		t.Errorf("got  %q\nwant %q", names(got), want)
	}
}

// TestFailures: a server that hangs, ends, floods or sends garbage, at its start or in a
// call, is an error with its name, and the others work on.
func TestFailures(t *testing.T) {
	flood := "\n" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n", 1<<20)
	for name, of := range map[string]struct{ answer, want string }{
		"hangs":   {"-", "timed out after 100ms"},
		"ends":    {"", "its program ended with exit code 3"},
		"garbage": {"warming up\n", `it printed "warming up", but an MCP server must print only protocol messages`},
		"no line": {"warming up", `it printed "warming up", but an MCP server must print only protocol messages`},
		"floods":  {flood, "it sent more than 16 MiB, or too many messages"},
		"long":    {`"` + strings.Repeat("x", maxReply+1), "it sent more than 16 MiB, or too many messages"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := of.answer
			fine := serving(oneTool, func(json.RawMessage) string { return `{"content":[{"type":"text","text":"ok"}]}` })
			opt := Options{Timeout: time.Minute}
			if answer == "-" {
				opt.Timeout = 100 * time.Millisecond
			}
			atStart := func(string, json.RawMessage) string { return answer }
			inCall := serving(oneTool, func(json.RawMessage) string { return answer })
			c, warnings, tools := start(t, opt, atStart, fine, inCall)
			if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "the MCP server a is not available: ") || !strings.Contains(warnings[0], of.want) {
				t.Errorf("at the start: %.300q", warnings)
			}
			if got := c.Servers(); !slices.Equal(got, []string{"b", "c"}) {
				t.Errorf("servers %q", got)
			}
			if _, err := call(t, tools[1], `{}`); err == nil || !strings.HasPrefix(err.Error(), "the MCP server c: ") || !strings.Contains(err.Error(), of.want) {
				t.Errorf("in a call: %.300v", err)
			}
			if result, err := call(t, tools[0], `{}`); err != nil || result.Text != "ok" {
				t.Errorf("the other server: %+v, %v", result, err)
			}
		})
	}
}

// TestHandshakes: a server may ignore methods that it does not know, or end at one, and
// may have no handshake but the newer one.
func TestHandshakes(t *testing.T) {
	old := func(unknown string) program {
		known := serving(oneTool, nil)
		return func(method string, params json.RawMessage) string {
			if answer := known(method, params); answer != `{"unknown":true}` {
				return answer
			}
			return unknown
		}
	}
	refuse := func(method string, params json.RawMessage) string {
		switch method {
		case "server/discover":
			return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			return `{"resultType":"complete","tools":` + oneTool + `}`
		}
		return "error"
	}
	for name, p := range map[string]program{"ignores": old("-"), "ends": old(""), "newer": refuse} {
		t.Run(name, func(t *testing.T) {
			if _, warnings, tools := start(t, Options{Timeout: 10 * time.Second}, p); len(warnings) > 0 || !slices.Equal(names(tools), []string{"get"}) {
				t.Errorf("tools %q, warnings %q", names(tools), warnings)
			}
		})
	}
}

// TestDefinitions: a server cannot fill the request: tools beyond a number, and those
// with a large definition, are skipped with a warning.
func TestDefinitions(t *testing.T) {
	var list []string
	for i := range maxTools + 1 {
		list = append(list, fmt.Sprintf(`{"name":"t%03d","inputSchema":{"type":"object"}}`, i))
	}
	large := `[{"name":"t","inputSchema":{"type":"object","title":"` + strings.Repeat("x", maxDefinition) + `"}}]`
	_, warnings, tools := start(t, Options{}, serving("["+strings.Join(list, ",")+"]", nil), serving(large, nil))
	if len(tools) != maxTools || len(warnings) != 2 || !strings.Contains(warnings[0], "more than 128 tools") || !strings.Contains(warnings[1], "larger than 32 KiB") {
		t.Errorf("%d tools, warnings %q", len(tools), warnings)
	}
}

// TestSchemas: a tool whose schema many servers of models refuse is offered with a plainer
// one, and the server still gets what it requires; without a plain form, that one tool is
// left out with a warning that names it.
func TestSchemas(t *testing.T) {
	got := ""
	listed := `[{"name":"find","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["a","b"],
		"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":["integer","null"]}}}},
		{"name":"pick","inputSchema":{"anyOf":[{"type":"object","properties":{"x":{}}},{"type":"object","properties":{"y":{}}}]}}]`
	_, warnings, tools := start(t, Options{}, serving(strings.ReplaceAll(listed, "\n", ""), func(params json.RawMessage) string {
		got = string(params)
		return `{"content":[]}`
	}))
	want := "the tool pick of the MCP server a is not offered, because servers of models refuse its schema: its schema may have one of several types (anyOf)"
	if !slices.Equal(warnings, []string{want}) || !slices.Equal(names(tools), []string{"find"}) {
		t.Fatalf("tools %q, warnings %q", names(tools), warnings)
	}
	schema, _ := json.Marshal(tools[0].Schema)
	if want := `{"properties":{"a":{"description":"a","type":"string"},"b":{"description":"b","type":"integer"}},"type":"object"}`; string(schema) != want {
		t.Errorf("schema\n%s, want\n%s", schema, want)
	}
	for arguments, want := range map[string]string{`{}`: `{"a":null,"b":null}`, `{"b":2}`: `{"b":2,"a":null}`, `{"b":2,"a":"x"}`: `{"b":2,"a":"x"}`} {
		if _, err := call(t, tools[0], arguments); err != nil || !strings.Contains(got, `"arguments":`+want) {
			t.Errorf("%s: the server got %s, %v", arguments, got, err)
		}
	}
}

// TestAction: every call needs approval, for the server and the tool by its own name, as
// flags name them; a tool that the run does not offer is none.
func TestAction(t *testing.T) {
	two := serving(`[{"name":"get","inputSchema":{}},{"name":"put/x","inputSchema":{}}]`, nil)
	_, _, tools := start(t, Options{}, two)
	for i, want := range []string{"a/get", "a/put/x"} {
		inv := &agent.Invocation{Tool: &tools[i], Arguments: json.RawMessage(`{"k":1,"a":"x"}`)}
		action, err := inv.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := action.Summary()
		if got.Kind != agent.KindTool || got.Owner != "a" || got.Target() != want || got.Line != "a=x k=1" || string(got.Arguments) != `{"k":1,"a":"x"}` {
			t.Errorf("got %+v", got)
		}
		if asked := action.Approval(); asked == nil || asked.Action.Target() != want || asked.Sandbox != nil || asked.Source != nil {
			t.Errorf("asked for %+v", asked)
		}
	}
	offer := func(server, tool string) bool { return server+"/"+tool == "a/get" }
	if _, _, tools := start(t, Options{Offer: offer}, two); !slices.Equal(names(tools), []string{"get"}) {
		t.Errorf("offered %q", names(tools))
	}
}

// TestStandardError: what a program prints to standard error is passed on line by line,
// without control characters.
func TestStandardError(t *testing.T) {
	lines := make(chan string, 1)
	start(t, Options{Stderr: func(server, line string) { lines <- server + ": " + line }}, serving(oneTool, nil))
	if got := <-lines; got != "a: hello" {
		t.Errorf("got %q", got)
	}
}
