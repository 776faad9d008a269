package cmd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"skills/internal/script"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// endLimit ends a program that would wait forever. A busy machine takes a minute for some.
const endLimit = 4 * time.Minute

var must, makeFile = filetest.Must, filetest.File

func TestMain(m *testing.M) {
	if code, ok := Supervise(os.Args); ok {
		os.Exit(code)
	}
	flag.Set("test.parallel", "3") // half of these tests wait; -parallel overrides this
	testscript.Main(m, map[string]func(){
		"skills": func() {
			TuneGC()
			os.Exit(Run(SignalContext(), OS(), os.Args[1:]))
		},
	})
}

type serverKey struct{}

// TestScript runs the scripts in testdata/script, each in a folder of its own
// against the real program. Where an archive holds model.jsonl or a folder model,
// a server runs, and OPENAI_BASE_URL names it. It has the replies of model.jsonl;
// the command model NAME adds those of model/NAME.jsonl, for the command that
// follows. The script fails if a request was malformed or a reply was left over;
// the commands requests and keys write down what was asked. The list of models is
// in models.json.
func TestScript(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("where cmp reports a difference that is right: go test ./cmd -run TestScript -update && git diff")
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       filetest.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"model": model, "requests": requests, "keys": keys,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "sandbox" {
				return sandboxHere(t), nil
			}
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
	})
}

// needSandbox skips a test where no sandbox works.
func needSandbox(t *testing.T) {
	t.Helper()
	if !sandboxHere(t) {
		t.Skip("no sandbox works here")
	}
}

// sandboxHere reports whether a sandbox works on this machine.
func sandboxHere(t *testing.T) bool { return sandboxName(t) != "none" }

// sandboxName is the sandbox of this machine, or "none".
func sandboxName(t *testing.T) string {
	dir := t.TempDir()
	r := &script.Runner{Dir: dir, Self: OS().Self, Env: os.Environ()}
	defer r.Close()
	c, err := r.TrySandbox(t.Context())
	if err == nil && c.Name == "none" && kernelHasSandbox() {
		t.Errorf("the kernel supports a sandbox, but none works: %v", c.NotEnforced)
	}
	if err != nil || c.Name == "none" {
		t.Logf("no sandbox works here: %v %v", c.NotEnforced, err)
		return "none"
	}
	return c.Name
}

func setup(env *testscript.Env) error {
	// Outside the working folder, as for every user.
	for _, name := range []string{"HOME", "TMPDIR"} {
		dir, err := os.MkdirTemp("", "skills-test-")
		if err != nil {
			return err
		}
		env.Defer(func() { os.RemoveAll(dir) })
		env.Setenv(name, dir)
	}
	env.Setenv("NO_COLOR", "")
	env.Setenv("LANG", "C.UTF-8")
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	env.Setenv("REPO", root)
	replies, err := readReplies(filepath.Join(env.WorkDir, "model.jsonl"))
	if _, none := os.Stat(filepath.Join(env.WorkDir, "model")); none != nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	server := openaitest.Start(replies...)
	page, err := os.ReadFile(filepath.Join(env.WorkDir, "models.json"))
	if err == nil {
		server.Pages(map[string]string{"/v1/models": string(page)})
	}
	env.Setenv("OPENAI_BASE_URL", server.URL)
	env.Setenv("OPENAI_API_KEY", "sk-test")
	env.Values[serverKey{}] = server
	t := env.T()
	env.Defer(func() {
		server.Close()
		if err := server.Check(); err != nil {
			t.Log(err)
			t.FailNow()
		}
	})
	return nil
}

func readReplies(path string) ([]openaitest.Reply, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return openaitest.ReadScript(file)
}

// model NAME adds the replies of model/NAME.jsonl, after all others were asked for.
func model(ts *testscript.TestScript, neg bool, args []string) {
	server, ok := ts.Value(serverKey{}).(*openaitest.Server)
	if neg || len(args) != 1 || !ok {
		ts.Fatalf("wants the name of a file in model, without .jsonl")
	}
	ts.Check(server.Check())
	replies, err := readReplies(filepath.Join(ts.Getenv("WORK"), "model", args[0]+".jsonl"))
	ts.Check(err)
	server.Add(replies...)
}

// requests FILE writes the bodies of the requests so far, one a line.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	var out bytes.Buffer
	for _, r := range asked(ts, neg, args) {
		out.Write(r.Body)
		out.WriteByte('\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

// keys FILE writes the Authorization header and the model of the requests so
// far, one a line.
func keys(ts *testscript.TestScript, neg bool, args []string) {
	var out bytes.Buffer
	for _, r := range asked(ts, neg, args) {
		fmt.Fprintf(&out, "%q %s\n", r.Header.Get("Authorization"), r.Model)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

func asked(ts *testscript.TestScript, neg bool, args []string) []openaitest.Request {
	server, ok := ts.Value(serverKey{}).(*openaitest.Server)
	if neg || len(args) != 1 || !ok {
		ts.Fatalf("wants the name of a file, in a script with model.jsonl")
	}
	return server.Requests()
}
