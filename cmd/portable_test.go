package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// echoServer is an MCP server whose tools have schemas that many servers refuse.
const echoServer = `import json, sys
one = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["text", "limit"],
       "properties": {"text": {"$ref": "#/$defs/Text"}, "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "mode": {"enum": ["a", None]}},
       "$defs": {"Text": {"type": "string"}}}
two = {"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]}
tools = [{"name": "echo", "description": "Echoes.", "inputSchema": one}, {"name": "odd", "description": "Odd.", "inputSchema": two}]
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    result = {"initialize": lambda p: {"protocolVersion": p["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
              "tools/list": lambda p: {"tools": tools},
              "tools/call": lambda p: {"content": [{"type": "text", "text": json.dumps(p["arguments"], sort_keys=True)}]}}.get(m["method"])
    answer = {"result": result(m.get("params"))} if result else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **answer}), flush=True)
`

// TestPortableRequests records the requests of runs of every kind, and holds them to the
// rules of all chat templates: order of roles, plain schemas, a description for each
// parameter. Each request begins with the bytes of the one before it.
func TestPortableRequests(t *testing.T) {
	t.Parallel()
	call := func(id, name, arguments string) openaitest.Call {
		return openaitest.Call{ID: id, Name: name, Arguments: arguments}
	}
	load := openaitest.Do(call("a1", "load_skill", `{"skillName":"unit-converter"}`))
	add := openaitest.Do(call("a2", "todos_add", `{"todos":[{"title":"convert"}]}`))
	table := call("a3", "read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`)
	again := call("a4", "read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`)
	done := openaitest.Text("Done.")
	schema := `{"type":"object","properties":{"pounds":{"type":"number"}},"required":["pounds"]}`
	for _, tt := range []struct {
		name    string
		replies []openaitest.Reply
		runs    [][]string
		cut     bool // requests are shortened, so that they do not continue each other
		want    string
	}{
		{"plain", []openaitest.Reply{load, openaitest.Do(table, again), done}, [][]string{{"--no-todo", "convert"}}, false, "conversion-table"},
		{"todo list", []openaitest.Reply{load, add, openaitest.Do(table), done}, [][]string{{"convert"}}, false, "Current todo list"},
		{"skill by name", []openaitest.Reply{openaitest.Do(table), done}, [][]string{{"/unit-converter convert"}}, false, "# Unit converter"},
		{"continued", []openaitest.Reply{load, add, done, openaitest.Do(table), done, done}, [][]string{{"convert"}, {"and again"}, {"/unit-converter once more"}}, false, "once more"},
		{"empty reply", []openaitest.Reply{load, openaitest.Text(""), done}, [][]string{{"convert"}}, false, "Your last reply was empty"},
		{"closing", []openaitest.Reply{load, done, done}, [][]string{{"--max-turns", "1", "convert"}, {"go on"}}, false, "go on"},
		{"compaction", []openaitest.Reply{load, openaitest.Do(table), openaitest.Do(again), openaitest.Do(call("a5", "load_skill", `{"skillName":"unit-converter"}`)), done},
			[][]string{{"--context-window", "1500", "convert"}}, true, "was removed to save space"},
		{"MCP", []openaitest.Reply{openaitest.Do(call("a6", "echo", `{"text":"hello"}`)), done}, [][]string{{"--mcp", "x=python3 server.py", "echo"}}, false, `{\"limit\": null, \"text\": \"hello\"}`},
		{"images", []openaitest.Reply{load, done, done}, [][]string{{"--image", "a.gif", "see"}, {"--image", "a.gif", "and this"}}, false, "image_url"},
		{"JSON schema", []openaitest.Reply{load, openaitest.Text("no"), openaitest.Text(`{"pounds":2.2}`)}, [][]string{{"--json-schema", "schema.json", "convert"}}, false, "json_schema"},
		{"many skills", []openaitest.Reply{openaitest.Do(call("a7", "find_skills", `{"query":"number 7"}`)), done}, [][]string{{"--skills", "many", "find"}}, false, "find_skills"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("server.py", echoServer)
			write("a.gif", "GIF89a......")
			write("schema.json", schema)
			if tt.name == "many skills" {
				for i := range 120 {
					write(fmt.Sprintf("many/skill-%d/SKILL.md", i), fmt.Sprintf("---\nname: skill-%d\ndescription: Does number %d. %s\n---\nDo it.\n", i, i, strings.Repeat("Use it for this and that. ", 20)))
				}
			}
			server := openaitest.New(t, tt.replies...)
			for _, args := range tt.runs {
				events := runEvents(t, server.URL, dir, args...)
				if got := changesIn(events); len(got) > 0 {
					t.Errorf("retries %q", got)
				}
			}
			requests, all := server.Requests(), ""
			for i, r := range requests {
				all += string(r.Body)
				for _, problem := range openaitest.Portable(r.Body) {
					t.Errorf("request %d: %s", i+1, problem)
				}
				if i > 0 && !tt.cut {
					if problem := openaitest.Continues(requests[i-1].Body, r.Body); problem != "" {
						t.Errorf("request %d: %s", i+1, problem)
					}
				}
			}
			if !strings.Contains(all, tt.want) {
				t.Errorf("%q is not in the requests:\n%s", tt.want, all)
			}
		})
	}
}
