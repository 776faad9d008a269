//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// podman starts the command of a container here, with the folders that it mounts.
const podman = `#!/usr/bin/env python3
import os, subprocess, sys
words, mounts = sys.argv[1:], {}
assert words[:4] == ["run", "--rm", "--network", "none"], words
while words[0] != "python:3":
    word = words.pop(0)
    if word == "-v":
        folder, place = words.pop(0).split(":")[:2]
        mounts[place] = folder
assert words[1] == "python" and words[2].startswith("/skill/"), words
words[1:3] = [sys.executable, mounts["/skill"] + words[2].removeprefix("/skill")]
sys.exit(subprocess.run(words[1:], cwd=mounts["/data"]).returncode)
`

// TestRunnerPage runs the runner in docs/control.md: a script gets its arguments as they are,
// and its output and exit code come back.
func TestRunnerPage(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	_, page, _ := strings.Cut(filetest.Read(t, "../docs/control.md"), "```python\n")
	runner, _, found := strings.Cut(page, "```\n")
	if !found {
		t.Fatal("docs/control.md has no runner")
	}
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{
		"runner.py":          runner,
		"data.txt":           "of the user\n",
		"touch/SKILL.md":     "---\nname: touch\ndescription: Touches a file. Use when testing.\n---\n",
		"touch/scripts/a.py": "import sys\nprint(sys.argv[1:], open('data.txt').read(), end='')\nprint('no', file=sys.stderr)\nsys.exit(4)\n",
	})
	bin := filetest.Programs(t, t.TempDir(), map[string]string{"podman": podman})
	c := exec.Command(program(t), "exec", "--runner", "python3 runner.py", "./touch", "scripts/a.py", "--", "a b", "c\nd", "")
	c.Dir = dir
	c.Env = append(c.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, _ := c.CombinedOutput()
	want := "['a b', 'c\\nd', ''] of the user\nno\nerror: touch/scripts/a.py exited with code 4\n"
	if got := string(out); got != want || c.ProcessState.ExitCode() != exitProblems {
		t.Errorf("exit code %d, output:\n%s", c.ProcessState.ExitCode(), got)
	}
}
