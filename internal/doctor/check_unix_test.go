//go:build unix

package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// examine examines a skill of the given files on a machine with nothing but
// the given programs.
func examine(t *testing.T, compatibility string, files, programs map[string]string) Skill {
	t.Helper()
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "tool")
	for name, text := range programs {
		filetest.Programs(t, bin, map[string]string{name: "#!/bin/sh\n" + text})
	}
	filetest.Write(t, dir, map[string]string{"SKILL.md": "---\nname: tool\ndescription: Does things. Use when testing.\ncompatibility: \"" + compatibility + "\"\n---\n"})
	filetest.Programs(t, dir, files)
	found, err := loader.Files([]string{dir}, loader.FilesOptions{}).Skills(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("%d skills: %v", len(found), err)
	}
	// An entry that is not absolute, and the skill's own folder, are on the path, too.
	d := &Doctor{Runner: &script.Runner{Dir: dir, Env: []string{"PATH=scripts:" + bin + ":" + dir + "/scripts"}}}
	got, err := d.Examine(t.Context(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// describe writes a skill's checks one a line.
func describe(s Skill) string {
	var b strings.Builder
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "%s %s %s for %s %s: %s (%s)\n", c.State, c.Kind, c.Name, strings.Join(c.For, "+"), c.Version, c.Message, c.Hint)
	}
	return b.String()
}

func TestExamine(t *testing.T) {
	files := map[string]string{
		"scripts/a.sh": "echo\n", "scripts/b.sh": "echo\n", "scripts/c.rb": "#!/usr/bin/env ruby\nputs 1\n",
		"scripts/d.py": "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\"requests<3\", \"rich\"]\n# ///\n",
		"scripts/jq":   "#!/bin/sh\n: > \"$0.started\"\necho jq-9.9\n",
	}
	got := examine(t, "Requires jq 1.6+, git 2.30+, node 18+ and docker; tar if there is one. Optional: pandoc", files, map[string]string{
		"bash": "", "sh": "", "python3": "echo Python 3.9.2\n", "git": "echo git version 2.39.5\n", "node": "echo v16.1.0\n",
	})
	want := `ok interpreter bash for scripts/a.sh+scripts/b.sh :  ()
missing interpreter ruby for scripts/c.rb : not on PATH (install Ruby (ruby-lang.org, or your package manager))
missing interpreter python3 for scripts/d.py 3.9.2: 3.9.2 is older than 3.11 (install uv (docs.astral.sh/uv), which provides the Python and the dependencies that a script names)
warning dependencies requests<3, rich for scripts/d.py : uv is not on PATH, so python3 must have them installed (install uv (docs.astral.sh/uv), which provides the Python and the dependencies that a script names)
ok interpreter sh for scripts/jq :  ()
warning command jq for  : 1.6 or later is needed, and its version is not known: it is in the working folder or in a skill, so it is not run ()
ok command git for  2.39.5:  ()
missing command node for  16.1.0: 16.1.0 is older than 18 (install Node.js (nodejs.org, or your package manager))
missing command docker for  : not on PATH (install Docker (docs.docker.com/get-docker))
warning command pandoc for  : not on PATH (install pandoc (your package manager))
`
	if text := describe(got); text != want || got.OK {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if _, err := os.Stat(filepath.Join(got.Path, "scripts", "jq.started")); err == nil {
		t.Error("a program of the skill's own folder was run")
	}
	// With uv the rest is uv's concern.
	if got := examine(t, "", map[string]string{"scripts/d.py": files["scripts/d.py"]}, map[string]string{"uv": ""}); describe(got) != "ok interpreter uv for scripts/d.py :  ()\n" || !got.OK {
		t.Errorf("got\n%s", describe(got))
	}
}

// TestExamineAlternatives checks that one of several alternative programs is enough, each
// with its own version bound.
func TestExamineAlternatives(t *testing.T) {
	node := func(version string) map[string]string { return map[string]string{"node": "echo v" + version + "\n"} }
	bun := map[string]string{"node": "echo v16.1.0\n", "bun": ""}
	for _, c := range []struct {
		text     string
		programs map[string]string
		want     string
	}{
		{"Requires Node.js 18+ or Bun", node("20.1.0"), "ok command Node.js or Bun for  20.1.0:  ()\n"},
		{"Requires Node.js 18+ or Bun", bun, "ok command Node.js or Bun for  :  ()\n"},
		{"Requires Node.js 18+ or Bun", node("16.1.0"), "missing command Node.js or Bun for  16.1.0: 16.1.0 is older than 18 (install Node.js (nodejs.org, or your package manager), or install Bun (bun.sh))\n"},
		{"Requires Node.js 18+ or Bun", nil, "missing command Node.js or Bun for  : not on PATH (install Node.js (nodejs.org, or your package manager), or install Bun (bun.sh))\n"},
		{"Requires nmap", nil, ""},
		{"Optional: terraform", nil, "warning command terraform for  : not on PATH (install terraform (your package manager))\n"},
	} {
		if got := describe(examine(t, c.text, nil, c.programs)); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.text, got, c.want)
		}
	}
}

// TestExamineInline checks versions by PEP 440, and that an invalid one is reported.
func TestExamineInline(t *testing.T) {
	const hint = "(install uv (docs.astral.sh/uv), which provides the Python and the dependencies that a script names)"
	const write = "(follow PEP 723 (packaging.python.org): uv rejects anything else)"
	for text, want := range map[string]string{
		"# requires-python = \"==3.99.*\"":                   "missing interpreter python3 for scripts/a.py 3.11.2: 3.11.2 is installed, and ==3.99.* is needed " + hint + "\n",
		"# requires-python = \"<3.9\"":                       "missing interpreter python3 for scripts/a.py 3.11.2: 3.11.2 is installed, and <3.9 is needed " + hint + "\n",
		"# requires-python = \">=3.8,<3.9\"":                 "missing interpreter python3 for scripts/a.py 3.11.2: 3.11.2 is installed, and >=3.8,<3.9 is needed " + hint + "\n",
		"# requires-python = \">=3.8,<3.12\"":                "ok interpreter python3 for scripts/a.py 3.11.2:  ()\n",
		"# requires-python = \"^3.8\"":                       "ok interpreter python3 for scripts/a.py :  ()\nwarning script scripts/a.py for scripts/a.py : scripts/a.py: requires-python is not a version specifier: \"^3.8\" " + write + "\n",
		"# requires-python = \">=":                           "ok interpreter python3 for scripts/a.py :  ()\nwarning script scripts/a.py for scripts/a.py : scripts/a.py: its script metadata is invalid: line 1 (last key \"requires-python\"): strings cannot contain newlines " + write + "\n",
		"# x = 1\n# ///\n#\nimport x\n# /// script\n# x = 1": "ok interpreter python3 for scripts/a.py :  ()\nwarning script scripts/a.py for scripts/a.py : scripts/a.py: it has two blocks of script metadata, and one is allowed " + write + "\n",
		"# dependencies = [ # \"notme\"\n# ]":                "ok interpreter python3 for scripts/a.py :  ()\n",
	} {
		files := map[string]string{"scripts/a.py": "# /// script\n" + text + "\n# ///\n"}
		if got := describe(examine(t, "", files, map[string]string{"python3": "echo Python 3.11.2\n"})); got != want {
			t.Errorf("%s: got\n%swant\n%s", text, got, want)
		}
	}
}

// TestExamineCommands checks that programs started by commands are examined, each once.
func TestExamineCommands(t *testing.T) {
	files := map[string]string{
		"SKILL.md":     "---\nname: tool\ndescription: Does things. Use when testing.\ncompatibility: Requires jq 1.6+\n---\n```bash\njq . x | docker run y\ngit status\n```\n",
		"scripts/a.sh": "ffmpeg -i x y\n",
	}
	got := describe(examine(t, "Requires jq 1.6+", files, map[string]string{"bash": "", "jq": "echo jq-1.7\n", "ffmpeg": ""}))
	want := `ok interpreter bash for scripts/a.sh :  ()
ok command jq for  1.7:  ()
warning command docker for SKILL.md : not on PATH (install Docker (docs.docker.com/get-docker))
ok command ffmpeg for scripts/a.sh :  ()
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExamineShebang checks that an interpreter in a shebang line that is never used is
// reported.
func TestExamineShebang(t *testing.T) {
	const instead = ", which is not installed; this one is run instead (write #!/usr/bin/env "
	for line, want := range map[string]string{
		"/no/such/bin/bash":      "warning interpreter bash for scripts/a : the shebang line names /no/such/bin/bash" + instead + "bash)\n",
		"./bash":                 "warning interpreter bash for scripts/a : the shebang line names ./bash" + instead + "bash)\n",
		"/usr/bin/env bash":      "ok interpreter bash for scripts/a :  ()\n",
		"/usr/bin/env ./bash -x": "warning interpreter bash for scripts/a : the shebang line names ./bash" + instead + "bash)\n",
	} {
		got := describe(examine(t, "", map[string]string{"scripts/a": "#!" + line + "\n"}, map[string]string{"bash": ""}))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got\n%swant\n%s", line, got, want)
		}
	}
}

// TestExamineOddities checks that unreadable files and unusable programs are reported
// with a reason, and that a skill without requirements is fine.
func TestExamineOddities(t *testing.T) {
	got := examine(t, "No special requirements", map[string]string{"scripts/a.unknown": "#!/opt/none/interp -x\n"}, nil)
	if text := describe(got); text != "missing interpreter interp for scripts/a.unknown : not on PATH (install interp)\n" {
		t.Errorf("got\n%s", text)
	}
	if got := examine(t, "", nil, nil); !got.OK || len(got.Checks) != 0 {
		t.Errorf("got\n%s", describe(got))
	}
	d := &Doctor{Runner: &script.Runner{Dir: t.TempDir()}}
	broken := &loader.Skill{Name: "broken", Load: func(context.Context) (loader.Contents, error) { return loader.Contents{}, errors.New("no such folder") }}
	if got, err := d.Examine(t.Context(), broken); err != nil || got.OK || describe(got) != "missing skill broken for  : no such folder ()\n" {
		t.Errorf("got %v\n%s", err, describe(got))
	}
}
