// Package hostile runs the program on what nobody should give it: odd files, names, settings
// and links, skills that change meanwhile, and model servers without limits.
package hostile

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"skills/cmd"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
)

// The exit codes of all commands.
const (
	exitFine     = fault.OK
	exitProblems = fault.Failed
	exitUsage    = fault.Misuse
)

// hostileLimit ends a run that would wait forever. A busy machine takes a minute for some.
const hostileLimit = 4 * time.Minute

var must, makeFile = filetest.Must, filetest.File

func TestMain(m *testing.M) {
	if code, ok := cmd.Supervise(os.Args); ok {
		os.Exit(code)
	}
	flag.Set("test.parallel", "3") // half of these tests wait; -parallel overrides this
	testscript.Main(m, map[string]func(){
		"skills": func() {
			cmd.TuneGC()
			code := cmd.Run(cmd.SignalContext(), cmd.OS(), os.Args[1:])
			if file := os.Getenv(peakFile); file != "" {
				notePeak(file)
			}
			os.Exit(code)
		},
	})
}

// ran is the outcome of a run.
type ran struct {
	code        int
	out, errors string
	peak        string // highest memory use in KiB, "" if not known
}

// skillsIn runs the program in a folder. It fails if the program does not end.
func skillsIn(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return runIn(t, dir, func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "skills", args...) })
}

func runIn(t *testing.T, dir string, command func(context.Context) *exec.Cmd) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
	defer cancel()
	c := command(ctx)
	var out, errs bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	peak := filepath.Join(t.TempDir(), "peak")
	c.Env = append(os.Environ(), "HOME="+dir, "NO_COLOR=1", peakFile+"="+peak)
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%q did not end; so far:\n%s%s", c.Args, out.String(), errs.String())
	case err != nil && !errors.As(err, new(*exec.ExitError)):
		t.Fatal(err)
	}
	noted, _ := os.ReadFile(peak) // missing on systems that do not report memory
	return ran{c.ProcessState.ExitCode(), out.String(), errs.String(), string(noted)}
}

// wants fails unless the run ended with code and printed each of the phrases, on any
// stream.
func (r ran) wants(t *testing.T, code int, phrases ...string) {
	t.Helper()
	all := r.out + r.errors
	if r.code != code {
		t.Errorf("exit code %d, want %d:\n%s", r.code, code, all)
	}
	for _, p := range phrases {
		if !strings.Contains(all, filepath.FromSlash(p)) {
			t.Errorf("%q is not printed:\n%s", p, all)
		}
	}
}

// hostileSkill makes a good skill, with a script and a reference, and returns
// its folder.
func hostileSkill(t *testing.T, dir string) string {
	t.Helper()
	text := "---\nname: " + filepath.Base(dir) + "\ndescription: Turns pages into text. Use when a page has to be read.\n---\n\n" +
		"Run `python3 scripts/x.py`. More is in [the list](references/a.md).\n"
	makeFile(t, filepath.Join(dir, "SKILL.md"), text)
	makeFile(t, filepath.Join(dir, "scripts", "x.py"), "print(1)\n")
	makeFile(t, filepath.Join(dir, "references", "a.md"), "# A list\n")
	return dir
}

// sparse makes a file of 1 GiB that takes no room.
func sparse(t *testing.T, path string) {
	t.Helper()
	makeFile(t, path, "")
	must(t, os.Truncate(path, 1<<30))
}

// TestHostileNumbers checks a skill of 100,000 files: the check is bounded and reports
// that the skill is too large.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := hostileSkill(t, filepath.Join(root, "many"))
	file := ""
	for i := range 100_000 {
		name := filepath.Join(dir, fmt.Sprintf("f%d.md", i))
		if i%1000 > 0 { // a second name costs a disk less than a second file
			must(t, os.Link(file, name))
			continue
		}
		file = name
		makeFile(t, file, "")
	}
	r := skillsIn(t, root, "validate", "many")
	r.wants(t, exitFine, "warning: many: folder holds more than 100,000 entries, the rest was not read", "  hint: ",
		"many/SKILL.md: warning: the skill's folder holds more than 10000 files and folders: the rest, from ", "[unread-file]", "Valid skill: many")
	r.checkMemory(t)
	r = skillsIn(t, root, "list", "many")
	r.wants(t, exitFine, "many", "warning: many: folder holds more than 100,000 entries")
	r.checkMemory(t)
	skillsIn(t, root, "to-prompt", "many").wants(t, exitFine, "\nmany\n", "warning: many: folder holds more than 100,000 entries")
	skillsIn(t, root, "read-properties", "many").wants(t, exitFine, `"name": "many"`)

	// The same files without their skill.
	must(t, os.Remove(filepath.Join(dir, "SKILL.md")))
	skillsIn(t, root, "validate", "many").wants(t, exitProblems, "many: error: Missing required file: SKILL.md", "warning: many: folder holds more than 100,000 entries")
	skillsIn(t, root, "validate", "many/f7.md").wants(t, exitUsage, "error: many/f7.md", "hint: ")
}
