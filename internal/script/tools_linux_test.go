package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/workspace"
)

// toolsOf returns the tools for files and commands of a run that has loaded the skill of a
// suite.
func toolsOf(t *testing.T, s script.Suite) map[string]agent.Tool {
	t.Helper()
	p, err := workspace.New(workspace.Options{
		Files: true, Shell: true, Runner: script.Workspace{Runner: s.Runner},
		Loaded: func(context.Context, *agent.Session) ([]workspace.Skill, error) {
			return []workspace.Skill{{Name: "s", Folder: s.Skill}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	offered, err := p.Invoking(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]agent.Tool{}
	for _, tool := range offered.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

// call approves and runs a call.
func call(t *testing.T, tool agent.Tool, arguments map[string]any) agent.ToolResult {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	inv := &agent.Invocation{Tool: &tool, Arguments: text, Session: agent.NewSession(), Emit: func(agent.Event) {}}
	action, err := tool.Prepare(t.Context(), inv)
	if err != nil {
		t.Fatal(err)
	}
	result, err := action.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// loopback is how rows end in a network namespace of their own, which commands have with
// bubblewrap: nobody listens there.
func loopback() map[string]string {
	return map[string]string{"connect to IPv4": "ECONNREFUSED", "listen at IPv4": "open", "connect to IPv6": "ECONNREFUSED EADDRNOTAVAIL", "send by UDP": "open ECONNREFUSED", "netlink": "open"}
}

// TestEscapesOfCommands tries all rows of the suites by the tool for commands.
func TestEscapesOfCommands(t *testing.T) {
	for _, kind := range script.ByKind() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			others := map[string]string{}
			if kind == sandbox.Bubblewrap {
				others = loopback()
			}
			for _, s := range script.Suites(t, kind) {
				line := "cd " + s.Folder() + ` && exec python3 "$SKILL_DIR/scripts/escape.py" '` + s.World + "'"
				got := call(t, toolsOf(t, s)["run_command"], map[string]any{"command": line, "skill": "s"})
				s.Judge(t, s.Results(t, got.Text), others)
				if s.Name == "more" { // its skill has a .env, which a command elsewhere must not read either
					got = call(t, toolsOf(t, s)["run_command"], map[string]any{"command": "cat " + s.Skill + "/SKILL.md " + s.Skill + "/.env"})
					if !strings.Contains(got.Text, "x") || strings.Contains(got.Text, "KEY") {
						t.Errorf("got %s", got.Text)
					}
				}
				for what, arrived := range s.Arrived() {
					if arrived {
						t.Errorf("%s arrived", what)
					}
				}
			}
		})
	}
}

// TestEscapesOfFileTools tries each path of each row of the suites by the tools for files.
// What the strongest sandbox refuses they refuse too, and what every script may do works.
func TestEscapesOfFileTools(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the attempts are in Python, which is not installed")
	}
	for _, s := range script.Suites(t, "off") {
		tools := toolsOf(t, s)
		for _, row := range recorded(t, s) {
			name, operation, path := row[0], row[1], row[2]
			if slices.Contains(harmless(), path) {
				continue
			}
			wanted := s.MayOpen(name)
			switch open := tryPath(t, s, tools, operation, path); {
			case open && !wanted:
				t.Errorf("%s: %s %s works", name, operation, path)
			case !open && wanted && !slices.Contains(stricter(), name):
				t.Errorf("%s: %s %s does not work", name, operation, path)
			}
		}
	}
}

// harmless are names in the working folder that rows use besides: those that they would give
// to what they take, and folders that they read.
func harmless() []string {
	return strings.Fields("id id2 logs2 mine skills skills2 .git2 device . owned owned2 owned3 owned4 owned5 owned6")
}

// stricter are the rows of which the tools refuse what a script may do: they hide .env files
// and protect Git directories at any depth, use regular files only, and have no /tmp before
// the first command.
func stricter() []string {
	return []string{
		"read .env further down", "read .env further down in the skill", "write settings of a repository further down", "write to a device",
		"the null device", "write in /tmp",
	}
}

// recorded returns the paths of the rows of a suite.
func recorded(t *testing.T, s script.Suite) (rows [][3]string) {
	t.Helper()
	program := exec.Command("python3", "-c", s.Recorder(), s.World)
	program.Dir, program.Env = s.Folder(), s.Variables()
	var out, problems bytes.Buffer
	program.Stdout, program.Stderr = &out, &problems
	err := program.Run()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	for line := range strings.Lines(out.String()) {
		var row [3]string
		if json.Unmarshal([]byte(line), &row) == nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no paths: %s", problems.String())
	}
	return rows
}

// tryPath reports whether any tool for an operation gets through.
func tryPath(t *testing.T, s script.Suite, tools map[string]agent.Tool, operation, path string) (open bool) {
	t.Helper()
	works := func(tool string, arguments map[string]any) {
		got := call(t, tools[tool], arguments)
		if !got.Failed && !strings.HasPrefix(got.Text, "(no ") {
			open = true
		}
	}
	switch operation {
	case "list":
		works("list_files", map[string]any{"path": path})
	case "read":
		works("read_file", map[string]any{"path": path})
		works("search_files", map[string]any{"path": path, "pattern": "."})
	case "folder":
		works("write_file", map[string]any{"path": path + "/file", "content": "x"})
	default:
		if start := startOf(s, path); start != "" {
			works("edit_file", map[string]any{"path": path, "old": start, "new": "y", "all": true})
		}
		works("write_file", map[string]any{"path": path, "content": "x"})
	}
	return open
}

// startOf returns the first character of a regular file, as everybody sees it.
func startOf(s script.Suite, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Folder(), path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return ""
	}
	return string(data[:1])
}
