//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// TestUntrustedProgramsAreNotRun checks that a program of the machine is run for its
// version, and that one in a skill or below the working folder is not, whether a
// shebang line, PATH or a link names it.
func TestUntrustedProgramsAreNotRun(t *testing.T) {
	const block = "# /// script\n# requires-python = \">=3.11\"\n# ///\n"
	for name, c := range map[string]struct {
		program string // where the program is
		link    string // a link to it
		search  string // folders of the search path, before the machine's
		line    string // the shebang line's interpreter; ROOT is the test's folder
		started bool
		why     string // of the message
	}{
		"of the machine":              {program: "bin/python3", line: "/usr/bin/env python3", search: "bin", started: true},
		"of the machine, by its path": {program: "bin/python3", line: "ROOT/bin/python3", search: "bin", started: true},
		"another skill's, by its path": {program: "other/b/python3", line: "ROOT/other/b/python3",
			why: "it is not on PATH, so it is not run"},
		"anywhere, by its path":     {program: "x/python3", line: "ROOT/x/python3", why: "it is not on PATH"},
		"on PATH, in another skill": {program: "other/b/python3", line: "/usr/bin/env python3", search: "other/b", why: "it is in the working folder or in a skill"},
		"on PATH, a link into another skill": {program: "other/b/python3", link: "bin/python3", line: "/usr/bin/env python3", search: "bin",
			why: "it is in the working folder or in a skill"},
		"on PATH, in its own skill":         {program: "tool/b/python3", line: "/usr/bin/env python3", search: "tool/b", why: "it is in the working folder or in a skill"},
		"on PATH, below the working folder": {program: "work/b/python3", line: "/usr/bin/env python3", search: "work/b", why: "it is in the working folder or in a skill"},
		"on PATH, a link to below the working folder": {program: "work/b/python3", link: "bin/python3", line: "/usr/bin/env python3", search: "bin",
			why: "it is in the working folder or in a skill"},
		"on PATH, a folder that is a link": {program: "work/b/python3", link: "bin", line: "/usr/bin/env python3", search: "bin",
			why: "it is in the working folder or in a skill"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
			filetest.Programs(t, root, map[string]string{
				"work/x":            "",
				"other/SKILL.md":    "---\nname: other\ndescription: Is another.\n---\n",
				"tool/SKILL.md":     "---\nname: tool\ndescription: Does things.\n---\n",
				"tool/scripts/x.py": "#!" + strings.ReplaceAll(c.line, "ROOT", root) + "\n" + block,
				c.program:           "#!/bin/sh\n: > " + at("started") + "\necho Python 3.12.0\n",
			})
			if c.link != "" {
				if err := os.MkdirAll(filepath.Dir(at(c.link)), 0o755); err != nil {
					t.Fatal(err)
				}
				target := at(c.program)
				if filepath.Base(c.link) != filepath.Base(c.program) {
					target = filepath.Dir(target)
				}
				if err := os.Symlink(target, at(c.link)); err != nil {
					t.Fatal(err)
				}
			}
			found, err := loader.Files([]string{at("tool")}, loader.FilesOptions{}).Skills(t.Context())
			if err != nil || len(found) != 1 {
				t.Fatalf("%d skills: %v", len(found), err)
			}
			env := []string{"PATH=" + at("none")}
			if c.search != "" {
				env = []string{"PATH=" + at(c.search)}
			}
			d := &Doctor{Runner: &script.Runner{Dir: at("work"), Env: env, Sandbox: script.SandboxOff}}
			got, err := d.Examine(t.Context(), found[0])
			if err != nil || len(got.Checks) != 1 {
				t.Fatalf("%v\n%s", err, describe(got))
			}
			_, err = os.Stat(at("started"))
			if started := err == nil; started != c.started {
				t.Errorf("started: %v, want %v", started, c.started)
			}
			check := got.Checks[0]
			if c.started && (check.State != OK || check.Version != "3.12.0") || !c.started && (check.State != Unsure || !strings.Contains(check.Message, c.why)) {
				t.Errorf("got %s", describe(got))
			}
		})
	}
}
