package ci

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestAction runs the script of action.yml as a workflow would.
func TestAction(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which bash is found first differs on Windows; the workflow runs the action there")
	}
	// The test binary is the program when it is called by that name.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "skills")
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}

	t.Run("annotates and sums up", func(t *testing.T) {
		r := newRunner(t, binary)
		if err := os.WriteFile(r.summary, []byte("Before.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := r.run("SKILLS_PATH=.", "SKILLS_SARIF=out file.sarif")
		if code != 1 || !strings.Contains(stderr, "1 error, 0 warnings") || !strings.Contains(stdout, "::error file=my skills/bad/SKILL.md,line=2") || strings.Contains(stdout, "stop-commands") {
			t.Errorf("exit code %d, want 1 and an annotation\n%s%s", code, stdout, stderr)
		}
		if s := r.text(r.summary); !strings.HasPrefix(s, "Before.\n") || !strings.Contains(s, "name-lowercase") {
			t.Errorf("the summary is\n%s", s)
		}
		if s := r.text(r.output); s != "exit-code=1\nsarif="+filepath.Join(r.dir, "out file.sarif")+"\n" {
			t.Errorf("the outputs are %q", s)
		}
		if s := r.text(filepath.Join(r.dir, "out file.sarif")); !strings.Contains(s, `"2.1.0"`) {
			t.Errorf("the SARIF file is\n%s", s)
		}
		left, err := filepath.Glob(filepath.Join(r.temp, "skills-action.*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	})

	t.Run("starts in a folder of the repository", func(t *testing.T) {
		r := newRunner(t, binary)
		r.write(".git/HEAD", "ref: refs/heads/main\n")
		top := r.dir
		r.dir = filepath.Join(top, "my skills")
		code, stdout, stderr := r.run("SKILLS_PATH=bad", "SKILLS_SARIF=out.sarif", "GITHUB_WORKSPACE="+top)
		if code != 1 || !strings.Contains(stderr, "1 error, 0 warnings") || !strings.Contains(stdout, "::error file=my skills/bad/SKILL.md,line=2") {
			t.Errorf("exit code %d, want 1 and an annotation from the root\n%s%s", code, stdout, stderr)
		}
		file := filepath.Join(r.dir, "out.sarif")
		if s := r.text(r.output); s != "exit-code=1\nsarif="+file+"\n" {
			t.Errorf("the outputs are %q", s)
		}
		if s := r.text(file); !strings.Contains(s, `"uri": "my%20skills/bad/SKILL.md"`) {
			t.Errorf("the SARIF file is\n%s", s)
		}
		r.run("SKILLS_PATH=bad", "SKILLS_SARIF="+filepath.Join(r.temp, "absolute.sarif"))
		if s := r.text(r.output); !strings.HasSuffix(s, "\nsarif="+filepath.Join(r.temp, "absolute.sarif")+"\n") {
			t.Errorf("the outputs are %q", s)
		}
	})

	t.Run("paths and arguments are data", func(t *testing.T) {
		r := newRunner(t, binary)
		marker := filepath.Join(r.temp, "ran")
		for name, tc := range map[string]struct {
			path, args string
			code       int
			want       string
		}{
			"blanks in a path":                  {"my skills\r\n\n  good  \n", "", 1, "file=my skills/bad/SKILL.md"},
			"without paths, the working folder": {"\n", "--rule name-lowercase=off\n--rule=name-directory=off", 0, ""},
			"a path like an option":             {"--help", "", 2, ""},
			"a command in a path":               {"$(touch '" + marker + "')", "", 2, ""},
			"a command in arguments":            {"good", "`touch\t" + marker + "`", 2, ""},
			"a command after another":           {"good; touch '" + marker + "'", "", 2, ""},
			"a pattern":                         {"*", "", 2, ""},
			"a pattern in arguments":            {"good", "--rule *", 2, ""},
		} {
			code, stdout, stderr := r.run("SKILLS_PATH="+tc.path, "SKILLS_ARGS="+tc.args, "SKILLS_SUMMARY=false")
			if code != tc.code || !strings.Contains(stdout, tc.want) {
				t.Errorf("%s: exit code %d, want %d and %q\n%s%s", name, code, tc.code, tc.want, stdout, stderr)
			}
			if _, err := os.Stat(marker); err == nil {
				t.Fatalf("%s: it was run", name)
			}
		}
		if s := r.text(r.summary); s != "" {
			t.Errorf("there is a summary, though it was disabled:\n%s", s)
		}
	})

	t.Run("a skill's text is not a command to the runner", func(t *testing.T) {
		r := newRunner(t, binary)
		code, stdout, _ := r.run("SKILLS_PATH=my skills", "SKILLS_FORMAT=text")
		first, rest, _ := strings.Cut(stdout, "\n")
		token, ok := strings.CutPrefix(first, "::stop-commands::")
		if code != 1 || !ok || len(token) < 32 || !strings.HasSuffix(rest, "\n::"+token+"::\n") || !strings.Contains(rest, "[name-lowercase]") {
			t.Errorf("exit code %d, want 1 and the output between two marks\n%s", code, stdout)
		}
		_, again, _ := r.run("SKILLS_PATH=my skills", "SKILLS_FORMAT=text")
		if strings.Contains(again, token) {
			t.Error("the mark is the same twice, so it can be guessed")
		}
	})

	t.Run("an output name cannot be smuggled in", func(t *testing.T) {
		r := newRunner(t, binary)
		r.run("SKILLS_PATH=good", "SKILLS_SARIF=a\nexit-code=7")
		if s := r.text(r.output); s != "exit-code=0\nsarif="+filepath.Join(r.dir, "aexit-code=7")+"\n" {
			t.Errorf("the outputs are %q", s)
		}
	})
}

// TestActionBuilds lets the script build the program. The go command is a fake
// that records how it is called and puts this test's binary in place; the
// workflow builds it for real.
func TestActionBuilds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake needs a shell")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, "")
	r.write("bin/go", `#!/bin/sh
[ "$1" = env ] && exit
echo "$CGO_ENABLED [$GOFLAGS] $GOWORK $*" > "$RUNNER_TEMP/called"
while [ "$1" != -o ]; do shift; done
ln -s "`+self+`" "$2"
`)
	if err := os.Chmod(filepath.Join(r.dir, "bin", "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := r.run("SKILLS_PATH=good", "SKILLS_FORMAT=text", "GOFLAGS=-mod=nonsense", "GOWORK=elsewhere",
		"PATH="+filepath.Join(r.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if code != 0 || !strings.Contains(stdout, "Valid skill: good\n") {
		t.Errorf("exit code %d, want 0\n%s%s", code, stdout, stderr)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	want := "0 [] off -C " + root + " build -trimpath -buildvcs=false -o "
	if got := r.text(filepath.Join(r.temp, "called")); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "/skills .\n") {
		t.Errorf("go was called as %q, want %q", got, want+"…/skills .")
	}
}

// ciRunner simulates a GitHub runner for the action's script.
type ciRunner struct {
	*testing.T
	dir, temp, summary, output string
	env                        []string
}

func newRunner(t *testing.T, binary string) *ciRunner {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &ciRunner{T: t, dir: dir, temp: t.TempDir()}
	r.summary, r.output = filepath.Join(r.temp, "summary"), filepath.Join(r.temp, "output")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN"} {
		if v, ok := os.LookupEnv(name); ok {
			r.env = append(r.env, name+"="+v)
		}
	}
	r.env = append(r.env, "GITHUB_ACTIONS=true", "RUNNER_TEMP="+r.temp, "GITHUB_STEP_SUMMARY="+r.summary, "GITHUB_OUTPUT="+r.output,
		"SKILLS_SOURCE="+root, "SKILLS_BINARY="+binary, "SKILLS_FORMAT=github", "SKILLS_SUMMARY=true", "SKILLS_ARGS=", "SKILLS_SARIF=")
	const body = "---\n\nRun `pdftotext` on the file.\n"
	r.write("good/SKILL.md", "---\nname: good\ndescription: Extracts text from PDF files. Use when a task names a PDF.\n"+body)
	r.write("my skills/bad/SKILL.md", "---\nname: Bad\ndescription: Extracts text from images. Use when a task names an image.\n"+body)
	return r
}

// run starts the script with further variables.
func (r *ciRunner) run(env ...string) (code int, stdout, stderr string) {
	r.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		r.Fatal(err)
	}
	script, err := filepath.Abs("action.sh")
	if err != nil {
		r.Fatal(err)
	}
	c := exec.CommandContext(r.Context(), bash, script)
	var out, errs bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = r.dir, &out, &errs
	c.Env = append(r.env[:len(r.env):len(r.env)], env...)
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// text returns a file of the runner's, "" where it was not written.
func (r *ciRunner) text(path string) string {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return string(data)
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
