package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// backends are the sandbox backends of Linux.
var backends = [...]string{"landlock", "bubblewrap"}

// sandboxedRun is a run with one skill, whose script is called several times in
// the sandbox of one backend. The working folder is "work"; the script must not
// reach anything next to it.
type sandboxedRun struct {
	backend, body string
	calls         int
	files         map[string]string // content by path; all are executable
	links         map[string]string // target by path
	args          []string          // additional flags
	end           openaitest.Reply  // reply to the last call; the default is the answer "done"
	stops         bool              // the call ends the run
}

// do runs it and returns the folder that holds everything, and what was printed.
// It skips the test where the backend is not available, and fails it if the script ran in
// another sandbox.
func (c sandboxedRun) do(t *testing.T) (dir, stdout, stderr string) {
	t.Helper()
	path := c.path(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	place := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		return path
	}
	must(os.WriteFile(place("work/skills/evil/SKILL.md"), []byte("---\nname: evil\ndescription: Is evil. Use when testing.\n---\nText.\n"), 0o644))
	must(os.WriteFile(place("work/skills/evil/scripts/evil.sh"), []byte("PATH=/usr/bin:/bin\n"+c.body), 0o644)) // the search path of the run does not exist in the sandbox
	must(os.WriteFile(place("home/.cache/x"), nil, 0o644))
	filetest.Programs(t, dir, c.files)
	for name, to := range c.links {
		must(os.Symlink(to, place(name)))
	}
	var replies []openaitest.Reply
	for range c.calls {
		replies = append(replies, openaitest.Do(openaitest.Call{ID: "c1", Name: "run_skill_script", Arguments: `{"skillName":"evil","scriptName":"scripts/evil.sh"}`}))
	}
	if c.end.Status == 0 {
		c.end = openaitest.Text("done")
	}
	if !c.stops {
		replies = append(replies, c.end)
	}
	server := openaitest.New(t, replies...)
	var out, errs bytes.Buffer
	env := Env{
		Env:   run.Env{Dir: filepath.Join(dir, "work"), Home: filepath.Join(dir, "home"), Self: OS().Self, Environ: []string{"PATH=" + path, "HOME=" + filepath.Join(dir, "home"), "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test"}},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	}
	Run(t.Context(), env, append([]string{"run", "--allow-script", "evil/*", "--format", "jsonl"}, append(c.args, "go")...))
	if !strings.Contains(out.String(), `"sandbox":"`+c.backend+`"`) {
		t.Fatalf("not sandboxed by %s: %s %s", c.backend, out.String(), errs.String())
	}
	return dir, out.String(), errs.String()
}

// kernelHasSandbox reports whether the kernel supports the weakest sandbox, without
// using the code under test.
func kernelHasSandbox() bool {
	const createRuleset, askVersion, leastVersion = 444, 1, 3
	version, _, errno := syscall.Syscall(createRuleset, 0, 0, askVersion)
	return errno == 0 && version >= leastVersion && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
}

// path is a PATH with which a run uses this backend. It skips the test where the backend is
// not available.
func (c sandboxedRun) path(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	link := func(name, program string) {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "cat", "cp", "ln", "mkdir", "mv", "mkfifo", "rm", "sleep"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		link(name, program)
	}
	if c.backend != "bubblewrap" {
		if !kernelHasSandbox() {
			t.Skip("landlock does not work here: the kernel does not have it")
		}
		return bin
	}
	program, err := exec.LookPath("bwrap")
	if err != nil { // where ci/bubblewrap.sh puts it
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		program = filepath.Join(cache, "skills-test-bubblewrap", "usr", "bin", "bwrap")
		if _, err := os.Stat(program); err != nil {
			t.Skip("bubblewrap does not work here: it is not installed")
		}
	}
	words := strings.Fields("--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-net --ro-bind / / --dev /dev --proc /proc -- /bin/true")
	if out, err := exec.Command(program, words...).CombinedOutput(); err != nil {
		t.Skipf("bubblewrap does not work here: %v: %s", err, out)
	}
	link("bwrap", program)
	return bin
}
