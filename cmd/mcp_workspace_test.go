package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPWorkspace: --tools offers the tools for files and commands. Reading needs no
// approval; changes and commands need a flag or the client's user.
func TestMCPWorkspace(t *testing.T) {
	needSandbox(t)
	dir := mcpFolder(t)
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("text of a\n"), 0o644))
	s := mcpSession(t, dir, "", nil, "--tools", "files,shell", "--allow-edit", "notes/*", "--allow-command", "echo *")
	list, err := s.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	want := []string{
		"edit_file", "list_files", "load_skill", "read_file", "read_skill_resource", "run_command", "run_skill_script", "search_files", "write_file",
	}
	if !slices.Equal(names, want) || !strings.Contains(s.InitializeResult().Instructions, "working folder") {
		t.Errorf("got %q, %q", names, s.InitializeResult().Instructions)
	}
	for _, test := range []struct {
		name, tool string
		arguments  map[string]any
		want       string
		failed     bool
	}{
		{"read", "read_file", map[string]any{"path": "a.txt"}, "text of a", false},
		{"allowed change", "write_file", map[string]any{"path": "notes/x.md", "content": "X\n"}, "Created", false},
		{"other change", "write_file", map[string]any{"path": "b.txt", "content": "B"}, "changes of files need approval and no one is available", true},
		{"allowed command", "run_command", map[string]any{"command": "echo hello"}, "hello", false},
		{"other command", "run_command", map[string]any{"command": "rm a.txt"}, "commands need approval and no one is available", true},
		{"no skill is loaded", "run_command", map[string]any{"command": "echo hello", "skill": "touch"}, "Load touch first", true},
		{"load", "load_skill", map[string]any{"skillName": "touch"}, "Run it.", false},
		{"outside", "read_file", map[string]any{"path": "/etc/shadow"}, "", true},
	} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: test.arguments})
		must(t, err)
		if text := r.Content[0].(*mcp.TextContent).Text; r.IsError != test.failed || !strings.Contains(text, test.want) {
			t.Errorf("%s: got %q", test.name, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
		t.Error("a change without approval was made")
	}
}
