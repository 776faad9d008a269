package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/testing/filetest"
)

type skillsParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
	URI    string `json:"uri,omitempty"`
}

type servedSkill struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   []struct {
		URI    string `json:"uri"`
		Digest string `json:"digest"`
		Size   int    `json:"size"`
	} `json:"resources"`
}

type skillsResult struct {
	mcp.ResultBase
	ResultType string        `json:"resultType"`
	CacheScope string        `json:"cacheScope"`
	NextCursor string        `json:"nextCursor"`
	Skills     []servedSkill `json:"skills"`
	Skill      servedSkill   `json:"skill"`
}

// mcpSession starts skills mcp in a folder, and a session with it by the SDK's client.
// answer is that of the client's user; nil for a client without elicitation.
func mcpSession(t *testing.T, dir, version string, answer map[string]any, args ...string) *mcp.ClientSession {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	bin := filepath.Join(t.TempDir(), "skills")
	must(t, os.Symlink(self, bin))
	c := exec.Command(bin, append([]string{"mcp", "skills"}, args...)...)
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8"}
	opt := &mcp.ClientOptions{}
	if answer != nil {
		opt.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if !strings.Contains(r.Params.Message, `"scripts/touch.sh"`) || !strings.Contains(r.Params.Message, "arguments  --name x\n") {
				t.Errorf("the user is asked %q", r.Params.Message)
			}
			return &mcp.ElicitResult{Action: "accept", Content: answer}, nil
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opt)
	for _, method := range []string{"skills/list", "skills/get"} {
		must(t, mcp.AddSendingCustomMethod[*skillsParams, *skillsResult](client, method))
	}
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// mcpFolder returns a folder with a skill whose script writes the file ran.
func mcpFolder(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	scripts := filepath.Join(dir, "skills", "touch", "scripts")
	must(t, os.MkdirAll(scripts, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "skills", "touch", "SKILL.md"), []byte("---\nname: touch\ndescription: Touches a file. Use when testing.\nlicense: MIT\n---\nRun it.\n"), 0o644))
	filetest.Programs(t, scripts, map[string]string{"touch.sh": "#!/bin/sh\n: > ran\necho \"ran $*\"\n"})
	return dir
}

func callScript(t *testing.T, s *mcp.ClientSession) (string, bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_skill_script", Arguments: map[string]any{
		"skillName": "touch", "scriptName": "scripts/touch.sh", "arguments": []string{"--name", "x"},
	}})
	must(t, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// TestMCPSkills: a client gets the three tools, and by the extension the frontmatter and
// the files with their digests, which are those of the contents that it reads; an
// unknown URI is invalid parameters.
func TestMCPSkills(t *testing.T) {
	t.Parallel()
	s := mcpSession(t, mcpFolder(t), "", nil)
	if s.InitializeResult().Capabilities.Extensions["io.modelcontextprotocol/skills"] == nil {
		t.Errorf("got %+v", s.InitializeResult().Capabilities)
	}
	tools, err := s.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"load_skill", "read_skill_resource", "run_skill_script"}) {
		t.Errorf("tools %q", names)
	}
	loaded, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "load_skill", Arguments: map[string]any{"skillName": "touch"}})
	must(t, err)
	if text := loaded.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "Run it.") {
		t.Errorf("got %q", text)
	}
	list, err := skillsCall(t, s, "skills/list", &skillsParams{})
	must(t, err)
	if len(list.Skills) != 1 || list.ResultType != "complete" || list.CacheScope != "private" || len(list.Skills[0].Resources) != 2 {
		t.Fatalf("got %+v", list)
	}
	for _, r := range list.Skills[0].Resources {
		got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		must(t, err)
		text := got.Contents[0].Text
		if r.Size != len(text) || r.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) {
			t.Errorf("%+v is not that of %q", r, text)
		}
	}
	one, err := skillsCall(t, s, "skills/get", &skillsParams{URI: "skill://touch/SKILL.md"})
	must(t, err)
	if one.Skill.URI != list.Skills[0].URI {
		t.Errorf("got %+v", one)
	}
	for _, uri := range []string{"skill://touch/../../etc/passwd", "skill://touch", "skill://touch/scripts/touch.sh", "skill://other/SKILL.md"} {
		_, err = skillsCall(t, s, "skills/get", &skillsParams{URI: uri})
		refused(t, err, jsonrpc.CodeInvalidParams, "")
	}
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://touch/none"})
	refused(t, err, jsonrpc.CodeInvalidParams, "unknown URI")
}

func skillsCall(t *testing.T, s *mcp.ClientSession, method string, p *skillsParams) (*skillsResult, error) {
	return mcp.CallCustomMethod[*skillsParams, *skillsResult](t.Context(), s, method, p)
}

// refused checks that err is one of the protocol.
func refused(t *testing.T, err error, code int64, message string) {
	t.Helper()
	if bad := (*jsonrpc.Error)(nil); !errors.As(err, &bad) || bad.Code != code || !strings.Contains(bad.Message, message) {
		t.Errorf("got %#v, want %d %s", err, code, message)
	}
}

// TestMCPApproval: a script runs if --allow-script names it or the client's user agrees,
// in the old and in the new protocol; it does not if they disagree, or if the client
// cannot ask.
func TestMCPApproval(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	yes, no := map[string]any{"answer": "yes"}, map[string]any{"answer": "no", "reason": "too wet"}
	for _, test := range []struct {
		name, version string
		answer        map[string]any
		args          []string
		want          string
	}{
		{"flag", "", nil, []string{"--allow-script", "touch/*"}, "ran --name x"},
		{"nobody", "", nil, nil, "scripts need approval and no one is available"},
		{"yes", "", yes, nil, "ran --name x"},
		{"no", "", no, nil, "the user answered no: too wet"},
		{"yes, old", "2025-06-18", yes, nil, "ran --name x"},
		{"no, old", "2025-06-18", no, nil, "the user answered no: too wet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := mcpFolder(t)
			text, failed := callScript(t, mcpSession(t, dir, test.version, test.answer, test.args...))
			_, err := os.Stat(filepath.Join(dir, "ran"))
			ran := strings.HasPrefix(test.want, "ran")
			if !strings.Contains(text, test.want) || failed == ran || (err == nil) != ran {
				t.Errorf("got %q, failed %v, file %v", text, failed, err)
			}
		})
	}
}
