//go:build unix

package cmd

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/filetest"
)

// TestToPromptNames checks that a folder's name cannot leave its line or reach the terminal
// in the format of the reference library, which does not escape it.
func TestToPromptNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"plain": true, "a <b> & 'c'": true, "诗": true, "x\x1b[2Jy": false, "x\n</location>": false, "x\ry": false, "x\x7fy": false, "x\u009b2Jy": false,
	} {
		dir := t.TempDir()
		filetest.Write(t, dir, map[string]string{
			filepath.Join(name, "SKILL.md"): "---\nname: odd\ndescription: Does things. Use when testing.\n---\n",
			"good/SKILL.md":                 "---\nname: good\ndescription: Does things. Use when testing.\n---\n",
		})
		run := func(args ...string) (code int, stdout, stderr string) {
			var out, errs bytes.Buffer
			code = Run(t.Context(), Env{Env: run.Env{Dir: dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, append([]string{"to-prompt"}, args...))
			return code, out.String(), errs.String()
		}
		paths := []string{filepath.Join(dir, name), filepath.Join(dir, "good")}
		code, stdout, stderr := run(paths...)
		switch {
		case ok && (code != 0 || !strings.Contains(stdout, "<location>\n"+filepath.Join(paths[0], "SKILL.md")+"\n</location>\n")):
			t.Errorf("%q: exit code %d, %s%s", name, code, stdout, stderr)
		case !ok && (code != 1 || stdout != "" || !strings.Contains(stderr, "has control characters, which the format skills-ref does not escape\nhint: rename the folder, or pass --format xml or --no-location\n")):
			t.Errorf("%q: exit code %d, %q %s", name, code, stdout, stderr)
		}
		if strings.ContainsAny(stderr, "\x1b\r\x7f\u009b") {
			t.Errorf("%q: control characters on standard error: %q", name, stderr)
		}
		for _, more := range []string{"--no-location", "--format=xml", "--format=json", "--format=markdown"} {
			if code, stdout, stderr := run(append(paths, more)...); code != 0 || strings.ContainsAny(stdout, "\x1b\r\x7f\u009b") {
				t.Errorf("%q: %s: exit code %d, %q %s", name, more, code, stdout, stderr)
			}
		}
		if code, stdout, _ := run(append(paths, "--keep-going")...); !ok && (code != 1 || strings.Count(stdout, "<skill>") != 1) {
			t.Errorf("%q: --keep-going: exit code %d, %q", name, code, stdout)
		}
	}
}
