package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/script"
)

// folder returns a working folder with files, of which names that end in a slash are
// folders, and values that begin with -> are links.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err != nil {
			t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(text, "->")
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "DIR", dir), path)
		default:
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// offered returns the tools of a working folder, whose runs have loaded skills in folders.
func offered(t *testing.T, dir string, folders ...string) map[string]agent.Tool {
	t.Helper()
	runner := &script.Runner{Dir: filepath.Join(dir, "work"), Env: []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}}
	p, err := New(Options{Files: true, Shell: true, Runner: script.Workspace{Runner: runner}, Loaded: loaded(folders)})
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]agent.Tool{}
	for _, tool := range p.tools() {
		tools[tool.Name] = tool
	}
	return tools
}

// loaded returns the skills in folders as those that a run has loaded.
func loaded(folders []string) func(context.Context, *agent.Session) ([]Skill, error) {
	var all []Skill
	for _, f := range folders {
		all = append(all, Skill{Name: filepath.Base(f), Folder: f})
	}
	return func(context.Context, *agent.Session) ([]Skill, error) { return all, nil }
}

// prepare returns the action of a call.
func prepare(t *testing.T, tool agent.Tool, arguments any) agent.Action {
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
	return action
}

// call approves and runs a call.
func call(t *testing.T, tool agent.Tool, arguments any) agent.ToolResult {
	t.Helper()
	result, err := prepare(t, tool, arguments).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

type in map[string]any

// TestReads: what a script may read can be read, and nothing else, whatever leads there.
func TestReads(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one", "work/sub/b.txt": "two", "work/.env": "SECRET=1", "work/.env.example": "KEY=", "work/prod.env": "SECRET=2",
		"work/inside": "->sub/b.txt", "work/out": "->DIR/home/key", "work/outdir": "->DIR/home", "work/toenv": "->.env", "work/sub/.env": "SECRET=3",
		"home/key": "SECRET=4", "skills/s/SKILL.md": "skill", "skills/s/x.md": "text", "skills/other/SKILL.md": "SECRET=5", "skills/s/.env": "SECRET=6", "skills/s/.env.linked": "->x.key", "skills/s/x.key": "SECRET=7",
	})
	if err := os.Link(filepath.Join(dir, "work/.env"), filepath.Join(dir, "work/hard")); err != nil {
		t.Fatal(err)
	}
	tools := offered(t, dir, filepath.Join(dir, "skills/s"))
	for path, want := range map[string]string{
		"a.txt": "one", "./sub/../a.txt": "one", "inside": "two", dir + "/work/a.txt": "one", ".env.example": "KEY=",
		dir + "/skills/s/x.md": "text", "../skills/s/x.md": "text",
	} {
		if got := call(t, tools["read_file"], in{"path": path}); got.Text != want || got.Failed {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	for _, path := range []string{
		".env", "prod.env", "toenv", "hard", "sub/.env", "out", "outdir/key", "../home/key", dir + "/home/key", "~/key", "../skills/other/SKILL.md", "/proc/self/environ",
		"/etc/shadow", "nothing", "sub", "", "a.txt\x00", "sub/../../home/key",
		"../skills/s/.env", "../skills/s/x.key",
	} {
		if got := call(t, tools["read_file"], in{"path": path}); !got.Failed || strings.Contains(got.Text, "SECRET") {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	for _, got := range []agent.ToolResult{
		call(t, tools["search_files"], in{"pattern": "SECRET"}), call(t, tools["list_files"], in{}), call(t, tools["search_files"], in{"pattern": "SECRET", "path": "outdir"}),
		call(t, tools["search_files"], in{"pattern": "SECRET", "path": ".env"}),
	} {
		if strings.Contains(got.Text, "SECRET=") || strings.Contains(got.Text, ".env\n") {
			t.Errorf("got %s", got.Text)
		}
	}
}

// TestWrites: what a script may write can be written; protected names cannot, or only with
// a person.
func TestWrites(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one", "work/.git/config": "[core]", "work/.github/w.yml": "x", "work/linked": "->DIR/home", "work/.claude/": "", "work/scripts/x.sh": "echo",
		"home/": "", "skills/s/SKILL.md": "skill",
	})
	tools := offered(t, dir, filepath.Join(dir, "skills/s"))
	for path, want := range map[string]string{
		"a.txt": "", "new/deep/b.txt": "", "scripts/x.sh": "", ".github/w.yml": "attended", ".claude/x.json": "attended", ".agents/skills/x/SKILL.md": "attended",
		".git/config": "refused", ".git/hooks/pre-commit": "refused", "sub/.git/config": "refused", ".GIT/config": "refused", ".env": "refused", "x/.env.local": "refused",
		".skills.yaml": "refused", ".husky/pre-commit": "refused", "linked/x": "refused", "../home/x": "refused", "../skills/s/SKILL.md": "refused", "/usr/x": "refused",
		".": "refused", "new/../../home/y": "refused",
		// What macOS and Windows take for these names.
		".g\u200cit/hooks/x": "refused", ".git./config": "refused", ".git /config": "refused", "git~1/config": "refused", "sub/.git::$INDEX_ALLOCATION/config": "refused",
		".\u017fkills.yaml": "refused", ".env.": "refused", ".EN\ufeffV": "refused", ".github\u200d/x.yml": "attended",
	} {
		action := prepare(t, tools["write_file"], in{"path": path, "content": "text\n"})
		asked, got := action.Approval(), ""
		switch {
		case asked == nil:
			got = "refused"
		case asked.Attended:
			got = "attended"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		result, err := action.Run(t.Context())
		if err != nil || result.Failed != (want == "refused") {
			t.Errorf("%s: got %+v, %v", path, result, err)
		}
	}
	for _, path := range []string{"home/x", "home/y", "skills/s/x"} {
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			t.Errorf("%s exists", path)
		}
	}
}

// TestEdits: an edit applies to the text that the model has read, or says what is there.
func TestEdits(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.txt": "alpha beta\n\tgamma delta\nend\nend\n", "work/crlf.txt": "one\r\ntwo\r\n", "work/b.bin": "\x00\x01\x02"})
	tools := offered(t, dir)
	edit := func(path, old, new string) agent.ToolResult {
		return call(t, tools["edit_file"], in{"path": path, "old": old, "new": new})
	}
	for _, row := range []struct{ path, old, want string }{
		{"a.txt", "end", "2 times in a.txt, in lines 3, 4"},
		{"a.txt", "gamma  delta", "differs only in blanks from the text that begins in line 2:\n\tgamma delta"},
		{"a.txt", "alpha betas", "nearest text begins in line 1:\nalpha beta"},
		{"a.txt", "zzz", "It must match exactly"},
		{"a.txt", "", "cannot be empty"},
		{"b.bin", "x", "not a text file"},
		{"c.txt", "x", "does not exist"},
	} {
		if got := edit(row.path, row.old, "new"); !got.Failed || !strings.Contains(got.Text, row.want) {
			t.Errorf("%s %q: got %s", row.path, row.old, got.Text)
		}
	}
	if got := edit("crlf.txt", "one\ntwo", "1\n2"); got.Failed {
		t.Error(got.Text)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "work/crlf.txt")); string(text) != "1\r\n2\r\n" {
		t.Errorf("got %q", text)
	}
	call(t, tools["read_file"], in{"path": "a.txt"})
	action := prepare(t, tools["edit_file"], in{"path": "a.txt", "old": "alpha", "new": "ALPHA"})
	path := filepath.Join(dir, "work/a.txt")
	if err := os.WriteFile(path, []byte("alpha beta, changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := action.Run(t.Context()); err != nil || !strings.Contains(got.Text, "has changed meanwhile") {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := edit("a.txt", "alpha", "ALPHA"); !strings.Contains(got.Text, "changed since you read it") {
		t.Errorf("got %s", got.Text)
	}
	call(t, tools["read_file"], in{"path": "a.txt"})
	if got := edit("a.txt", "alpha", "ALPHA"); got.Failed || !strings.Contains(got.Shown, "-alpha beta, changed\n+ALPHA beta, changed") {
		t.Errorf("got %+v", got)
	}
}

// TestLines: a file is read in pieces, and what is missing is said.
func TestLines(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.txt": strings.Repeat("line\n", 100_000), "work/long.txt": strings.Repeat("ü", maxText), "work/empty": "", "work/p.png": "\x89PNG\r\n\x1a\n123"})
	tools := offered(t, dir)
	for _, row := range []struct {
		arguments in
		want      string
	}{
		{in{"path": "a.txt", "offset": 99_999}, "line\nline"},
		{in{"path": "a.txt", "limit": 2}, "line\nline\n[lines 1 to 2 of 100000; offset 3 continues]"},
		{in{"path": "a.txt", "offset": 100_001}, "Error: a.txt has 100000 lines; offset is the number of the first line."},
		{in{"path": "empty"}, "(the file is empty)"},
		{in{"path": "p.png"}, "p.png is not text (image/png, 11 bytes). Use a command or a script that reads such files."},
	} {
		if got := call(t, tools["read_file"], row.arguments); got.Text != row.want {
			t.Errorf("%v: got %.200q", row.arguments, got.Text)
		}
	}
	for _, name := range []string{"a.txt", "long.txt"} {
		if got := call(t, tools["read_file"], in{"path": name}); len(got.Text) > maxText+200 || !strings.HasSuffix(got.Text, "]") {
			t.Errorf("%s: %d bytes", name, len(got.Text))
		}
	}
}

// TestReadsImages: an image that models take is part of the result, unless it is too large.
func TestReadsImages(t *testing.T) {
	encode := func(size int) string {
		var data bytes.Buffer
		picture := image.NewRGBA(image.Rect(0, 0, 3, 2))
		if err := png.Encode(&data, picture); err != nil {
			t.Fatal(err)
		}
		return data.String() + strings.Repeat("\x00", size)
	}
	dir := folder(t, map[string]string{"work/small.png": encode(0), "work/large.png": encode(maxImage)})
	tools := offered(t, dir)
	got := call(t, tools["read_file"], in{"path": "small.png"})
	if len(got.Parts) != 1 || got.Parts[0].Type != "image/png" || !strings.HasPrefix(got.Text, "small.png is an image (image/png, 3 × 2, ") || got.Failed {
		t.Errorf("got %+v", got)
	}
	got = call(t, tools["read_file"], in{"path": "large.png"})
	if len(got.Parts) != 0 || !strings.Contains(got.Text, "too large to be shown") {
		t.Errorf("got %+v", got)
	}
}

// TestHome: in a home folder nothing can be used, and the result says what helps.
func TestHome(t *testing.T) {
	dir := folder(t, map[string]string{"home/a.txt": "SECRET=1"})
	runner := &script.Runner{Dir: filepath.Join(dir, "home"), Sandbox: script.SandboxOff, Env: []string{"HOME=" + filepath.Join(dir, "home")}}
	p, err := New(Options{Files: true, Runner: script.Workspace{Runner: runner}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range p.tools()[:3] {
		arguments := in{"path": "a.txt"}
		if tool.Name == "search_files" {
			arguments["pattern"] = "."
		}
		got := call(t, tool, arguments)
		if !got.Failed || strings.Contains(got.Text, "SECRET") || !strings.HasSuffix(got.Text, "is a home folder. The user can help: change to the folder of a project.") {
			t.Errorf("%s: got %+v", tool.Name, got)
		}
	}
}
