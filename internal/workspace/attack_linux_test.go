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

// TestBadInput: each has a clear result, and changes nothing.
func TestBadInput(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one\n", "work/bin": "\x00\x01", "work/bad.txt": "a\xffb\n", "work/out": "->DIR/home/key", "home/key": "SECRET=1", "work/changed.txt": "one\n", "work/gone.txt": "one\n",
	})
	err := os.Truncate(filepath.Join(dir, "work/bin"), maxFile+1)
	if err != nil {
		t.Fatal(err)
	}
	tools, _ := confined(t, dir)
	for _, name := range []string{"changed.txt", "gone.txt"} {
		call(t, tools["read_file"], in{"path": name})
	}
	err = errors.Join(os.WriteFile(filepath.Join(dir, "work/changed.txt"), []byte("one, two\n"), 0o644), os.Remove(filepath.Join(dir, "work/gone.txt")))
	if err != nil {
		t.Fatal(err)
	}
	const outside = "it is outside of the folders that this run may use"
	for _, row := range []struct {
		tool      string
		arguments in
		want      string
	}{
		{"read_file", in{"path": "../home/key"}, outside},
		{"read_file", in{"path": "out"}, outside},
		{"edit_file", in{"path": "out", "old": "1", "new": "2"}, outside},
		{"write_file", in{"path": "../home/key", "content": "x"}, outside},
		{"list_files", in{"path": "../home"}, outside},
		{"search_files", in{"path": "../home", "pattern": "S"}, outside},
		{"search_files", in{"pattern": "("}, "missing closing )"},
		{"read_file", in{"path": "bin"}, "not text"},
		{"edit_file", in{"path": "bin", "old": "a", "new": "b"}, "it has 16777217 bytes, more than the 16777216 that are read"},
		{"write_file", in{"path": "bin", "content": "x"}, "16777217 bytes"},
		{"write_file", in{"path": "new", "content": strings.Repeat("x", maxFile+1)}, "The content has more than 16777216 bytes."},
		{"read_file", in{"path": "bad.txt"}, "bad.txt is not text (not UTF-8 text, 4 bytes)"},
		{"edit_file", in{"path": "bad.txt", "old": "a", "new": "b"}, "bad.txt is not a text file in UTF-8, so it cannot be edited."},
		{"edit_file", in{"path": "changed.txt", "old": "one", "new": "1"}, "changed since you read it"},
		{"write_file", in{"path": "changed.txt", "content": "1"}, "changed since you read it"},
		{"edit_file", in{"path": "gone.txt", "old": "one", "new": "1"}, "gone.txt does not exist."},
		{"run_command", in{"command": "read -r line && echo got"}, "Command exited with code 1"},
		{"run_command", in{"command": "cd / && echo x >new"}, "new: "},
		{"run_command", in{"command": "cd ../home && cat key"}, "Command exited with code 1"},
		{"run_command", in{"command": "cd /root/.ssh"}, "cd: /root/.ssh: "},
		{"run_command", in{"command": " "}, "The command cannot be empty."},
		{"run_command", in{"command": strings.Repeat("x", maxCommand+1)}, "The command has more than 65536 bytes. Write the data to a file."},
		{"run_command", in{"command": "true", "timeout": -1}, "The timeout is a number of seconds, at most 3600."},
		{"run_command", in{"command": "true", "skill": "x"}, "No skill is loaded. Load x first."},
	} {
		got := call(t, tools[row.tool], row.arguments)
		isRead := row.tool == "read_file" && strings.Contains(row.want, "not text") // a description, not a failure
		if got.Failed == isRead || !strings.Contains(got.Text, row.want) || strings.Contains(got.Text, "SECRET") {
			t.Errorf("%s %.100v: got %v %.300s", row.tool, row.arguments, got.Failed, got.Text)
		}
	}
	for name, want := range map[string]string{"work/changed.txt": "one, two\n", "work/bad.txt": "a\xffb\n", "home/key": "SECRET=1"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
}
