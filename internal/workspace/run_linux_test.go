package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skills/internal/agent"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// confined returns the tools of a working folder whose commands run in a sandbox of this
// machine, and its name. Without one, the test is skipped.
func confined(t *testing.T, dir string, folders ...string) (map[string]agent.Tool, string) {
	t.Helper()
	p, box := provider(t, dir, folders...)
	tools := map[string]agent.Tool{}
	for _, tool := range p.tools() {
		tools[tool.Name] = tool
	}
	return tools, box
}

// provider is the provider of these tools.
func provider(t *testing.T, dir string, folders ...string) (*Provider, string) {
	t.Helper()
	runner := &script.Runner{
		Dir: filepath.Join(dir, "work"), Self: "/proc/self/exe", Sandbox: script.SandboxRequire, Shared: script.Shared{Lines: true},
		Env: []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "SECRET_TOKEN=SECRET=6"},
	}
	t.Cleanup(func() { runner.Close() })
	status, err := runner.TrySandbox(t.Context())
	if errors.Is(err, script.ErrNoSandbox) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Files: true, Shell: true, Runner: script.Workspace{Runner: runner}, Loaded: loaded(folders)})
	if err != nil {
		t.Fatal(err)
	}
	return p, status.Name
}

// TestEscapes: what a script may not read or change, a command may not either.
func TestEscapes(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one", "work/.env": "SECRET=1", "work/toenv": "->.env", "work/out": "->DIR/home/key", "work/outdir": "->DIR/home",
		"work/.git/config": "[core]\n", "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects/x": "", "work/.git/refs/x": "", "work/.github/w.yml": "x",
		"work/.claude/settings.json": "{}", "home/key": "SECRET=4", "home/.ssh/id": "SECRET=5", "skills/other/SKILL.md": "SECRET=7",
	})
	tools, box := confined(t, dir)
	bubblewrap := box == sandbox.Bubblewrap
	for line, everywhere := range map[string]bool{
		"cat ~/key": true, "cat out outdir/key outdir/.ssh/id": true, "cat ../home/key ../skills/other/SKILL.md": true, "cd / && cat " + dir + "/home/key": true,
		"cat .env toenv": false, "ln .env hard && cat hard": false, "ln -f ../home/key b && cat b": true, "grep -r SECRET . ..": false, "env": true,
		"cat /proc/1/environ /proc/$PPID/environ | tr '\\0' '\\n'": true, "for p in /proc/[0-9]*; do cat $p/environ $p/root" + dir + "/home/key; done | tr '\\0' '\\n'": true,
		"bash -c 'cat ~/.ssh/id'": true, "python3 -c 'print(open(\"" + dir + "/home/key\").read())'": true, "find / -name key -exec cat {} + 2>/dev/null": true,
	} {
		if got := call(t, tools["run_command"], in{"command": line}); strings.Contains(got.Text, "SECRET=") && (everywhere || bubblewrap) {
			t.Errorf("%s: got %s", line, got.Text)
		}
	}
	for _, line := range []string{
		"echo x >>.git/config", "mkdir .git/hooks && echo x >.git/hooks/pre-commit", "mv .git old", "echo x >.github/w.yml", "rm -rf .claude", "ln -sf /x .claude/settings.json",
	} {
		got := call(t, tools["run_command"], in{"command": line})
		if bubblewrap && !got.Failed || !bubblewrap && !strings.Contains(got.Text, "Protected files appeared or changed") {
			t.Errorf("%s: got %+v", line, got)
		}
		if !bubblewrap {
			break
		}
	}
	for _, line := range []string{"echo x >~/key", "echo x >../home/new", "echo x >outdir/new", "touch /usr/x", "mknod d c 1 5 && cat d"} {
		got := call(t, tools["run_command"], in{"command": line})
		if !got.Failed && !bubblewrap { // with it, a folder of the sandbox's own may take the file
			t.Errorf("%s: got %+v", line, got)
		}
	}
	for _, name := range []string{"home/new", "work/d"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && !info.Mode().IsRegular() || err == nil && name == "home/new" {
			t.Errorf("%s was made", name)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "home/key")); string(got) != "SECRET=4" {
		t.Errorf("the key is %q", got)
	}
}

// TestEnds: a command always ends with a clear result, and with everything that it started.
func TestEnds(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.txt": "one"})
	pipe := filepath.Join(dir, "work/pipe")
	err := syscall.Mkfifo(pipe, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	held, err := syscall.Open(pipe, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	tools, _ := confined(t, dir)
	for _, row := range []struct {
		line    string
		timeout int
		want    string
	}{
		{"sleep 1000 >pipe & echo started", 0, "started"},
		{"(setsid sh -c 'trap \"\" TERM HUP; exec sleep 1000' >pipe 2>&1 </dev/null &); echo away", 0, "away"},
		{"nohup sleep 1000 >pipe 2>/dev/null & disown; exit 3", 0, "Command exited with code 3"},
		{"cat; read x || echo none; python3 -c 'input()'", 0, "none\n"},
		{"echo before; sleep 1000 >pipe", 1, "before\nCommand timed out after 1s and was terminated"},
		{`printf 'a\0b\377c\033[31mred'`, 0, "red"},
		{"kill -9 $$", 0, "signal"},
		{"no-such-program-x", 0, "no-such-program-x is not installed here"},
		{"cd nowhere", 0, "nowhere"},
		{"true", 0, "(no output)"},
	} {
		got := call(t, tools["run_command"], in{"command": row.line, "timeout": row.timeout})
		if !strings.Contains(got.Text, row.want) || strings.ContainsAny(got.Text, "\x00\x1b") || strings.ToValidUTF8(got.Text, "") != got.Text {
			t.Errorf("%s: got %q", row.line, got.Text)
		}
		if n, err := syscall.Read(held, make([]byte, 1)); n != 0 || err != nil {
			t.Errorf("%s: a process lives on (%d, %v)", row.line, n, err)
		}
	}
	if got := prepare(t, tools["run_command"], in{"command": "a\x00b"}); got.Approval() != nil {
		t.Error("a command with a NUL character is asked for")
	}
}

// TestRepositoryAbove: a repository above the working folder is neither read nor written, and
// the result says what helps.
func TestRepositoryAbove(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	dir := folder(t, map[string]string{"work/a.txt": "one", "other/b.txt": "two", "home/": ""})
	for _, words := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first"}} {
		out, err := exec.Command(git, append([]string{"-C", dir}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	before := fileStates(t, filepath.Join(dir, ".git"))
	tools, _ := confined(t, dir)
	for _, line := range []string{"git commit -am second", "git add -A", "git -C .. stash", "git log", "GIT_DISCOVERY_ACROSS_FILESYSTEM=1 git tag v1", "ls missing"} {
		got := call(t, tools["run_command"], in{"command": line})
		want := strings.Contains(line, "git ")
		if !got.Failed || strings.Contains(got.Text, "the Git repository "+dir+", which is out of reach") != want {
			t.Errorf("%s: got %s", line, got.Text)
		}
	}
	if after := fileStates(t, filepath.Join(dir, ".git")); after != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
}

// TestElsewhere: a path that only a loaded skill has, and a link that leads out of one, are
// named in the result of a command that does not find them.
func TestElsewhere(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.txt": "one", "home/": "", "skills/s/SKILL.md": "text", "skills/s/scripts/x.py": "", "skills/s/scripts/in.py": "->x.py", "skills/s/scripts/out.py": "->../../shared.py", "skills/shared.py": ""})
	tools, _ := confined(t, dir, filepath.Join(dir, "skills/s"))
	const link = "scripts/out.py is a link in the skill s that leads out of its folder. It is not followed; the user can put a copy of the file in its place."
	for _, row := range []struct{ line, skill, want string }{
		{"cat ./scripts/x.py", "", "./scripts/x.py is a file of the skill s: use run_skill_script, or the path " + dir + "/skills/s/scripts/x.py."},
		{"cat scripts/out.py", "", link},
		{"cat scripts/out.py", "s", link},
		{"cat scripts/in.py; false", "s", "Command exited with code 1"},
		{"cat scripts/none.py", "s", "Command exited with code 1"},
		{"cat a.txt scripts/none.py", "", "Command exited with code 1"},
	} {
		got := call(t, tools["run_command"], in{"command": row.line, "skill": row.skill})
		text := strings.TrimSuffix(got.Text, "The sandbox does not show: "+dir+"/skills/shared.py\n")
		if !strings.HasSuffix(text, row.want) {
			t.Errorf("%s: got %s", row.line, got.Text)
		}
	}
}

// fileStates lists the files of a folder with their sizes and times.
func fileStates(t *testing.T, dir string) (text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			text += fmt.Sprintln(path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFlood: of a large output the model gets the start and the end, and can read all of it.
func TestFlood(t *testing.T) {
	dir := folder(t, map[string]string{"work/a.txt": "one"})
	tools, _ := confined(t, dir)
	const lines = 1_000_000 // of 100 bytes
	line := fmt.Sprintf("echo first; yes %s | head -n %d; echo last", strings.Repeat("x", 99), lines)
	got := call(t, tools["run_command"], in{"command": line})
	text, path, found := strings.Cut(got.Text, "The whole output is in ")
	if !strings.HasPrefix(text, "first\n") || !strings.Contains(text, "\nlast\n") || len(text) > 80<<10 || !got.Truncated || !found {
		t.Fatalf("got %d bytes: %.100s … %s", len(got.Text), got.Text, got.Text[max(len(got.Text)-200, 0):])
	}
	path = strings.TrimSuffix(path, ".")
	for offset, want := range map[int]string{1: "first\nxxx", lines + 2: "last", lines + 1: "x\nlast", lines: "x\nx"} {
		if got := call(t, tools["read_file"], in{"path": path, "offset": offset}); got.Failed || !strings.Contains(got.Text, want) {
			t.Errorf("line %d: got %.300s", offset, got.Text)
		}
	}
	if got := call(t, tools["read_file"], in{"path": path, "offset": lines + 3}); !got.Failed {
		t.Errorf("got %.100s", got.Text)
	}
	if got := call(t, tools["edit_file"], in{"path": path, "old": "first", "new": "x"}); !got.Failed || !strings.Contains(got.Text, "bytes") {
		t.Errorf("got %.300s", got.Text)
	}
}

// TestKeptOutput: what cannot be kept as a whole, or is not needed, leaves no file.
func TestKeptOutput(t *testing.T) {
	p, _ := provider(t, folder(t, map[string]string{"work/a.txt": "one"}))
	ws := p.opt.Runner
	for _, row := range []struct {
		most, size int
		wanted     bool
		left       int
	}{
		{2 * maxMemory, 3 * maxMemory, false, 0},
		{2 * maxMemory, 3 * maxMemory / 2, false, 0},
		{2 * maxMemory, 3 * maxMemory / 2, true, 1},
		{0, 3 * maxMemory, false, 0},
	} {
		o := &output{runner: ws, most: row.most}
		for written := 0; written < row.size; written += maxMemory / 2 {
			o.Write(make([]byte, maxMemory/2))
		}
		if path := o.keep(); (path != "") != (row.size <= row.most) {
			t.Errorf("%+v: kept in %q", row, path)
		}
		kept := o.close(row.wanted)
		files, err := filepath.Glob(filepath.Join(ws.Temp(), "output-*"))
		if err != nil || len(files) != row.left || (kept > 0) != row.wanted {
			t.Errorf("%+v: %d bytes in %q, %v", row, kept, files, err)
		}
		for _, file := range files {
			os.Remove(file)
		}
	}
	if got := p.room(maxKeptAll - 5); got != 5 || p.room(6) >= 0 {
		t.Errorf("room for %d bytes", got)
	}
}

// TestSpecial: pipes, sockets, devices and huge files do not block or fill a tool.
func TestSpecial(t *testing.T) {
	dir := folder(t, map[string]string{"work/zero": "->/dev/zero", "work/null": "->/dev/null", "work/stdin": "->/proc/self/fd/0", "work/bad.txt": "a\xffb\n", "home/": ""})
	work := filepath.Join(dir, "work")
	huge, err := os.Create(filepath.Join(work, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	t.Chdir(work) // the path of a socket is short
	err = errors.Join(huge.Truncate(1<<40), syscall.Mkfifo("pipe", 0o600), syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}))
	if err != nil {
		t.Fatal(err)
	}
	tools := offered(t, dir)
	for _, name := range []string{"pipe", "socket", "zero", "null", "stdin"} {
		for _, got := range []agent.ToolResult{
			call(t, tools["read_file"], in{"path": name}), call(t, tools["edit_file"], in{"path": name, "old": "a", "new": "b"}),
			call(t, tools["write_file"], in{"path": name, "content": "x"}), call(t, tools["search_files"], in{"path": name, "pattern": "a"}),
		} {
			if !got.Failed {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	}
	if got := call(t, tools["read_file"], in{"path": "huge"}); strings.Contains(got.Text, "\x00") || len(got.Text) > 1000 {
		t.Errorf("got %.200q", got.Text)
	}
	if got := call(t, tools["search_files"], in{"pattern": "a"}); got.Failed {
		t.Errorf("got %+v", got)
	}
	if got := call(t, tools["read_file"], in{"path": "bad.txt"}); !strings.Contains(got.Text, "not UTF-8") {
		t.Errorf("got %+v", got)
	}
}

// TestSwapped: a folder that becomes a link, or another folder, between the decision and
// the change leads nowhere.
func TestSwapped(t *testing.T) {
	for _, tool := range []string{"write_file", "edit_file", "read_file"} {
		dir := folder(t, map[string]string{"work/sub/a.txt": "one", "home/a.txt": "SECRET one"})
		tools := offered(t, dir)
		arguments := map[string]in{"write_file": {"content": "two"}, "edit_file": {"old": "one", "new": "two"}, "read_file": {}}[tool]
		arguments["path"] = "sub/a.txt"
		action := prepare(t, tools[tool], arguments)
		sub := filepath.Join(dir, "work/sub")
		err := errors.Join(os.Rename(sub, filepath.Join(dir, "work/old")), os.Symlink(filepath.Join(dir, "home"), sub))
		if err != nil {
			t.Fatal(err)
		}
		got, err := action.Run(t.Context())
		if err != nil || !got.Failed || strings.Contains(got.Text, "SECRET") {
			t.Errorf("%s: got %+v, %v", tool, got, err)
		}
		for _, path := range []string{"home/a.txt", "work/old/a.txt"} {
			if text, _ := os.ReadFile(filepath.Join(dir, path)); strings.Contains(string(text), "two") {
				t.Errorf("%s: %s is %q", tool, path, text)
			}
		}
	}
}
