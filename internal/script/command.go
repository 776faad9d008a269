package script

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// Command returns the command line that [Runner.Run] would start, which is what
// a user approves: the interpreter's absolute path and its own arguments, the
// script's absolute path, the arguments. The sandbox around it is not shown.
//
// It refuses what Run would refuse because of the script, with the same error.
func (r *Runner) Command(s Script, args []string) ([]string, error) {
	if !filepath.IsAbs(r.Dir) {
		return nil, fmt.Errorf("building the command: the working directory %q is not an absolute path", r.Dir)
	}
	head, _, _, err := read(s, maxHead)
	if err = cmp.Or(checkArguments(args), err); err != nil {
		return nil, err
	}
	return r.interpret(s.Name, filepath.Join(s.Dir, filepath.FromSlash(s.Name)), head, args)
}

// interpret chooses the interpreter and puts the command line together.
func (r *Runner) interpret(name, file string, head []byte, args []string) ([]string, error) {
	row, known := languageOf(name)
	words, needs := shebang(head), strings.Fields(row.needs)
	if len(words) > 0 {
		interpreter := base(words[0])
		// A plain Python shebang says which language, not where its
		// dependencies come from.
		if len(words) == 1 && slices.Contains([]string{"python", "python3"}, interpreter) {
			if command, err := r.try(uvRun(), file, head, args); command != nil || err != nil {
				return command, err
			}
		}
		program, found := r.Find(words[0])
		if !found || !filepath.IsAbs(words[0]) { // systems keep their interpreters in different places
			program, found = r.Find(interpreter)
		}
		if found {
			return slices.Concat([]string{program}, words[1:], []string{file}, args), nil
		}
		// Another version of the same language will do, another language not.
		if !known || !slices.ContainsFunc(needs, func(need string) bool { return sameLanguage(interpreter, need) }) {
			return nil, missing(name, "install "+interpreter, interpreter)
		}
		needs = []string{interpreter}
	}
	for _, way := range row.commands {
		if command, err := r.try(way, file, head, args); command != nil || err != nil {
			return command, err
		}
	}
	if known {
		return nil, missing(name, row.install, needs...)
	}
	return nil, refuse(ErrInterpreter, "begin the file with a line such as #!/usr/bin/env python3",
		"choosing the interpreter: %s has neither a known extension nor a shebang line", name)
}

// sameLanguage reports whether two interpreters differ in their version alone,
// as python3.12 and python3 do, or in a spelling such as nodejs and node. bash
// runs what is written for sh.
func sameLanguage(a, b string) bool {
	const version = "0123456789.-"
	a, b = strings.TrimRight(a, version), strings.TrimRight(b, version)
	return a == "sh" && b == "bash" || a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// try builds the command line of one invocation, nil if it does not apply.
func (r *Runner) try(way invocation, file string, head []byte, args []string) ([]string, error) {
	if way.goos != "" && way.goos != runtime.GOOS || way.when != nil && !way.when(head) {
		return nil, nil
	}
	program, ok := r.Find(way.program)
	if !ok {
		return nil, nil
	}
	if way.refuse != nil {
		if err := way.refuse(args); err != nil {
			return nil, err
		}
	}
	if len(args) > 0 {
		args = append(strings.Fields(way.after), args...)
	}
	return slices.Concat([]string{program}, strings.Fields(way.before), []string{file}, args), nil
}

// Find returns where a program is, as scripts would find it: a bare name on the
// search path, an absolute path as it is.
func (r *Runner) Find(name string) (path string, ok bool) {
	switch {
	case name == "":
		return "", false
	case r.find != nil:
		return r.find(name)
	case filepath.IsAbs(name):
		path, err := executable(name)
		return path, err == nil
	}
	for _, dir := range r.Folders() {
		if path, err := executable(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

// Folders returns the folders of the search path, in their order. An empty or
// relative entry is left out: it depends on the working folder, whose files are
// not trusted.
func (r *Runner) Folders() []string { return sandbox.SearchPath(r.Env) }

// executable returns the path of a program, on Windows with its extension. Batch
// files are left out: Windows runs them through its shell, which reads arguments
// as commands.
func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err == nil && runtime.GOOS == "windows" && slices.Contains([]string{".bat", ".cmd"}, strings.ToLower(filepath.Ext(found))) {
		return "", exec.ErrNotFound
	}
	return found, err
}
