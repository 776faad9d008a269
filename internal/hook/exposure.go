package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/script/sandbox"
)

// Hooks run outside the sandbox, so scripts must not be able to change what they run. No
// list of dangerous programs is complete: any program may start another one, or load code
// from the folder in which it runs. Therefore only what this file recognises is covered:
//
//   - an interpreter, options of it that load nothing, and one script file;
//   - a program of the user's own, named by its path;
//   - a few programs that run no code of others.
//
// Each must be outside the folders that scripts can write to. A script file in such a
// folder is as good if the sandbox keeps its folder read-only. Everything else is exposed.

// Exposure is a command that may run code which scripts can change, and the reason.
type Exposure struct{ Command, Reason string }

// exposure is what is known of the code of a command.
type exposure struct {
	command string
	reason  string // why scripts may be able to change its code; "" if they cannot
	held    bool   // its code is safe only if the sandbox keeps the paths of Protect read-only
	data    bool   // its arguments are data, and never code
}

// Exposed returns the commands that may run code which scripts can change, each once.
// readOnly is whether the sandbox keeps the paths of [PinnedRunner.Protect] read-only.
func (o *PinnedRunner) Exposed(readOnly bool) (found []Exposure) {
	for _, c := range o.code {
		if c.held && !readOnly {
			c.reason = "the sandbox does not keep its folder read-only"
		}
		if e := (Exposure{c.command, c.reason}); c.reason != "" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// exposure decides whether scripts can change the code of a command.
func (o *PinnedRunner) exposure(words []string) exposure {
	program, reason := o.program(words[0])
	if reason != "" {
		return exposure{reason: reason}
	}
	switch {
	case o.interpreter(program):
		return o.interpreted(program, words[1:])
	case o.plain(program):
		return exposure{data: true}
	case !o.own(words[0], program):
		return exposure{reason: printableName(words[0]) + " may start other programs, or load code from the working folder"}
	}
	if interpreter, isScript := shebang(program); isScript {
		return o.interpretedBy(interpreter, program)
	}
	if o.inside(program) {
		return exposure{reason: printableName(words[0]) + " is in a folder that scripts can write to"}
	}
	return exposure{}
}

// program returns the path of a program, or the reason why it is not certain.
func (o *PinnedRunner) program(name string) (path, reason string) {
	if filepath.Base(name) != name {
		return o.path(name)
	}
	path, found := o.programs.Find(name)
	if !found {
		return "", printableName(name) + " is not installed"
	}
	for _, folder := range o.programs.Folders() {
		if folder == filepath.Dir(path) {
			break
		}
		if o.inside(folder) {
			return "", "PATH has a folder that scripts can write to before that of " + printableName(name)
		}
	}
	return path, ""
}

// harmless are the interpreters that run the file they are given, with the one-letter
// options that load no other code.
var harmless = map[string]string{
	"sh": "efuvx", "bash": "efuvx", "dash": "efuvx", "ksh": "efuvx", "zsh": "efuvx",
	"python": "bBdEIOPqsSu", "node": "", "nodejs": "", "ruby": "w", "perl": "w",
}

// baseName returns a program's name without its version.
func baseName(path string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".exe")
	return strings.TrimRight(name, "0123456789.-")
}

// interpreter reports whether a program is one of the interpreters, outside the folders
// that scripts can write to. The shims of pyenv and its relatives are: what a repository
// can choose with them is an installed version.
func (o *PinnedRunner) interpreter(program string) bool {
	real := sandbox.Real(program)
	_, known := harmless[baseName(program)]
	_, realKnown := harmless[baseName(real)]
	_, isScript := shebang(real)
	folder := filepath.Dir(real)
	shim := filepath.Base(folder) == "shims" && isFolder(filepath.Join(filepath.Dir(folder), "versions"))
	box := baseName(program) == "sh" && baseName(real) == "busybox"
	return known && (realKnown || box) && (!isScript || shim) && !o.inside(program)
}

// interpreted decides on an interpreter with its arguments.
func (o *PinnedRunner) interpreted(interpreter string, args []string) exposure {
	name := filepath.Base(interpreter)
	for i, word := range args {
		letters, isOption := strings.CutPrefix(word, "-")
		switch {
		case !isOption:
			return o.file(word)
		case letters == "" || strings.Trim(letters, harmless[baseName(name)]) != "":
			return exposure{reason: fmt.Sprintf("%s %s may run code that is not in one script file", name, printableName(args[i]))}
		}
	}
	return exposure{reason: name + " is given no script file"}
}

// file decides on a script file.
func (o *PinnedRunner) file(word string) exposure {
	path, reason := o.path(word)
	switch {
	case reason != "":
		return exposure{reason: reason}
	case !o.inside(path):
		return exposure{}
	case o.isOpen(filepath.Dir(sandbox.Real(path))):
		return exposure{reason: printableName(word) + " is directly in a folder that scripts can write to, from which it may load code"}
	}
	return exposure{held: true}
}

// interpretedBy decides on a script file that is started by itself, from the words of its
// first line.
func (o *PinnedRunner) interpretedBy(words []string, file string) exposure {
	unclear := exposure{reason: "the first line of " + printableName(filepath.Base(file)) + " names no interpreter and one option at most"}
	if len(words) == 0 {
		return unclear
	}
	program := words[0]
	if baseName(program) == "env" && len(words) == 2 && !strings.ContainsAny(words[1], "-=/") {
		found, reason := o.program(words[1])
		if reason != "" {
			return exposure{reason: reason}
		}
		program, words = found, words[1:]
	}
	if len(words) > 2 || !filepath.IsAbs(program) || !o.interpreter(program) {
		return unclear
	}
	return o.interpreted(program, append(slices.Clone(words[1:]), file))
}

// plainPrograms read and write data, and cannot be made to run code.
const plainPrograms = "cat cut date echo false grep head jq logger printf tail tee tr true uniq wc"

// plain reports whether a program reads and writes data, and runs no code of others. Its
// own code is where scripts cannot write.
func (o *PinnedRunner) plain(program string) bool {
	names := strings.Fields(plainPrograms)
	real := sandbox.Real(program)
	_, isScript := shebang(real)
	named := slices.Contains(names, baseName(program))
	itself := slices.Contains(append(names, "coreutils", "busybox", "ggrep"), baseName(real))
	return named && itself && !isScript && !o.inside(program)
}

// own reports whether a program is one of the user's own: named by its path, and not where
// programs are installed. Those may be made to start any program.
func (o *PinnedRunner) own(word, program string) bool {
	if filepath.Base(word) == word {
		return false
	}
	for _, path := range []string{program, sandbox.Real(program)} {
		dir := filepath.Dir(path)
		places := elements(strings.ToLower(dir))
		ofSystem := len(places) > 0 && slices.Contains(installations, places[0])
		ofPrograms := slices.ContainsFunc(places, func(name string) bool { return slices.Contains(programFolders, name) })
		onPath := slices.Contains(o.programs.Folders(), dir)
		installed := ofSystem || ofPrograms || onPath
		if installed && !o.inside(path) {
			return false
		}
	}
	return true
}

// installations are folders of the root that hold installed programs, and programFolders
// names of such folders anywhere.
var (
	installations  = []string{"usr", "opt", "nix", "snap", "run", "lib", "lib64", "library", "system", "applications", "windows", "program files"}
	programFolders = []string{"bin", "sbin", ".bin", "shims", "scripts"}
)

// printableName returns a word of a command for a message.
func printableName(word string) string { return printable.Truncate(printable.Line(word), 60) }
