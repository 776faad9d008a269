package workspace

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
)

// TestSkillSecrets: the .env files of a loaded skill are hidden from every tool.
func TestSkillSecrets(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one", "home/": "", "skills/s/SKILL.md": "skill", "skills/s/x.md": "text", "skills/s/.env": "SECRET=1", "skills/s/link": "->.env",
		"skills/s/.env.local": "->secret.txt", "skills/s/secret.txt": "SECRET=2", "skills/o/SKILL.md": "skill", "skills/o/.env": "SECRET=3",
	})
	skill := filepath.Join(dir, "skills/s")
	tools, _ := confined(t, dir, skill, filepath.Join(dir, "skills/o"))
	for _, got := range []agent.ToolResult{
		call(t, tools["read_file"], in{"path": skill + "/.env"}), call(t, tools["read_file"], in{"path": skill + "/link"}), call(t, tools["read_file"], in{"path": skill + "/secret.txt"}),
		call(t, tools["search_files"], in{"path": skill, "pattern": "SECRET"}), call(t, tools["run_command"], in{"command": "grep -r SECRET= " + dir + "/skills"}),
		call(t, tools["run_command"], in{"command": "cat .env link secret.txt ../o/.env", "skill": "s"}),
	} {
		if strings.Contains(got.Text, "SECRET=") {
			t.Errorf("got %s", got.Text)
		}
	}
	for _, got := range []agent.ToolResult{
		call(t, tools["read_file"], in{"path": skill + "/x.md"}), // also below /tmp, of which commands see another
		call(t, tools["run_command"], in{"command": "cat " + skill + "/x.md"}), call(t, tools["run_command"], in{"command": "cat x.md", "skill": "s"}),
	} {
		if strings.TrimSpace(got.Text) != "text" {
			t.Errorf("got %s", got.Text)
		}
	}
	if got := call(t, tools["run_command"], in{"command": "echo x >" + skill + "/new"}); !got.Failed {
		t.Errorf("got %+v", got)
	}
}

// TestHostileSearch: a pattern or a folder that would keep a search busy for hours is refused,
// cut, or ends with the run.
func TestHostileSearch(t *testing.T) {
	dir := folder(t, map[string]string{"work/long.txt": strings.Repeat("a", maxSearch-10), "work/lines.txt": "1\n2\n3\n"})
	tools := offered(t, dir)
	for _, arguments := range []in{
		{"pattern": "x", "glob": strings.Repeat("**/", 1000) + "x"}, {"pattern": strings.Repeat("x", maxPattern+1)}, {"pattern": "[a-z]{1000}[a-z]{1000}[a-z]{1000}" + strings.Repeat("[b-y]{900}", 20)},
		{"pattern": "(((a{100}){100}){100})"}, {"pattern": "x", "path": strings.Repeat("a/", 3000)},
	} {
		if got := call(t, tools["search_files"], arguments); !got.Failed || len(got.Text) > 1000 {
			t.Errorf("%.60v: got %.200s", arguments, got.Text)
		}
	}
	action := prepare(t, tools["search_files"], in{"pattern": strings.Repeat("[a-z]{0,300}", 5) + "b"})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := action.Run(ctx); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
	expression, _ := parseExpression("(a|aa)*[a-z]{0,300}b")
	if expression.matches(ctx, []byte(strings.Repeat("a", maxSearch))) {
		t.Error("a match was found")
	}
	if got := call(t, tools["search_files"], in{"pattern": "^a+$", "path": "long.txt"}); got.Failed || !strings.HasPrefix(got.Text, "long.txt:1: aaa") || len(got.Text) > 1000 {
		t.Errorf("got %.200s", got.Text)
	}
	if got := call(t, tools["read_file"], in{"path": "lines.txt", "offset": 2, "limit": math.MaxInt}); got.Text != "2\n3" {
		t.Errorf("got %q", got.Text)
	}
}

// TestDeepFolders: a walk ends far below, and says so.
func TestDeepFolders(t *testing.T) {
	dir := folder(t, map[string]string{"work/a/a.txt": "x"})
	at, err := os.OpenRoot(filepath.Join(dir, "work"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxDepth {
		err := errors.Join(at.Mkdir("d", 0o700), at.WriteFile("f.txt", nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot("d")
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	at.Close()
	tools := offered(t, dir)
	if got := call(t, tools["list_files"], in{}); !got.Truncated || !strings.Contains(got.Text, "d/d/f.txt") || strings.Count(got.Text, "\n") > maxDepth+5 {
		t.Errorf("got %.300s", got.Text)
	}
}

// TestDiffShowsAll: no content of a change is hidden from the person who approves it.
func TestDiffShowsAll(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.sh": "echo one\n", "work/b.bin": "\x00\xff\n"})
	tools := offered(t, dir)
	for path, want := range map[string]string{
		"a.sh": "@@ -1 +1,2 @@\n-echo one\n+#\x00\n+evil", "b.bin": "@@ -1 +1,2 @@\n-(3 bytes that are not text)\n+#\x00\n+evil", "new": "@@ -0,0 +1,2 @@\n+#\x00\n+evil",
	} {
		asked := prepare(t, tools["write_file"], in{"path": path, "content": "#\x00\nevil\n"}).Approval()
		if got := strings.Join(asked.Preview, "\n"); got != want {
			t.Errorf("%s: got %q", path, got)
		}
	}
}
