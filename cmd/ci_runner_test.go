package cmd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
	const head = "description: Extracts text from PDF files. Use when a task names a PDF.\n---\n\nRun `pdftotext` on the file.\n"
	r.write("good/SKILL.md", "---\nname: good\n"+head)
	r.write("my skills/bad/SKILL.md", "---\nname: Bad\n"+head)
	return r
}

func (r *ciRunner) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		r.Fatal(err)
	}
}

// run starts the script with further variables.
func (r *ciRunner) run(env ...string) (code int, stdout, stderr string) {
	r.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		r.Fatal(err)
	}
	script, err := filepath.Abs("../ci/action.sh")
	if err != nil {
		r.Fatal(err)
	}
	cmd := exec.CommandContext(r.Context(), bash, script)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, &out, &errs
	cmd.Env = append(r.env[:len(r.env):len(r.env)], env...)
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// text returns a file of the runner's, "" where it was not written.
func (r *ciRunner) text(path string) string {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return string(data)
}
