package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
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
// Each must be outside the folders that scripts can write to, and so must be the files that
// the programs of the last kind are given: a script can put a link in the place of a file,
// and the program then reads or overwrites any file of the user. Everything else is exposed.
// That the sandbox keeps some files read-only covers nothing: a script of an earlier run, or
// of one that names no hooks, may have changed them.

// Exposure is a command that may run code which scripts can change, or use files in their
// place, with the reason and what to do instead.
type Exposure struct{ Command, Reason, Advice string }

// What to do instead of an exposed command.
const (
	adviceScript = "put it in a script outside the working folder, and name that with its interpreter: sh /PATH/TO/SCRIPT"
	adviceFile   = "name a file outside the working folder"
	adviceShim   = "name the program that it starts by its path, such as /usr/bin/python3"
)

// exposed returns an exposure of a command that is to become a script elsewhere.
func exposed(reason string) Exposure { return Exposure{Reason: reason, Advice: adviceScript} }

// Exposed returns the commands that may run code which scripts can change, or use files in
// their place, each once.
func (o *PinnedRunner) Exposed() (found []Exposure) {
	for _, e := range o.code {
		if e.Reason != "" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// exposure decides whether scripts can change what a command runs or uses. Its reason is ""
// if they cannot.
func (o *PinnedRunner) exposure(words []string) Exposure {
	program, reason := o.program(words[0])
	if reason != "" {
		return exposed(reason)
	}
	switch {
	case o.interpreter(program):
		return o.interpreted(program, words[1:])
	case o.plain(program):
		return o.data(baseName(program), words[1:])
	case shimmed(program):
		return ofShim(words[0])
	case !o.own(words[0], program):
		return exposed(printableName(words[0]) + " may start other programs, or load code from the working folder")
	}
	if interpreter, isScript := shebang(program); isScript {
		return o.interpretedBy(interpreter, program)
	}
	if o.inside(program) {
		return exposed(printableName(words[0]) + " is in a folder that scripts can write to")
	}
	return Exposure{}
}

// program returns the path of a program, or the reason why it is not certain.
func (o *PinnedRunner) program(name string) (path, reason string) {
	if filepath.Base(name) != name {
		return o.path(name)
	}
	path, found := o.programs.FindTrusted(name)
	if !found {
		return "", printableName(name) + " is not installed"
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
// that scripts can write to. A script or a shim in its place is not: files in the working
// folder, such as .python-version, may choose what it starts.
func (o *PinnedRunner) interpreter(program string) bool {
	real := sandbox.Real(program)
	_, realKnown := harmless[baseName(real)]
	box := baseName(program) == "sh" && baseName(real) == "busybox"
	return knownInterpreter(program) && (realKnown || box) && !isShim(program) && !o.inside(program)
}

// shimmed reports whether a shim is in the place of an interpreter.
func shimmed(program string) bool { return knownInterpreter(program) && isShim(program) }

func ofShim(name string) Exposure {
	return Exposure{Reason: printableName(name) + " is a shim, which may start a program that the working folder chooses", Advice: adviceShim}
}

func knownInterpreter(program string) bool {
	_, known := harmless[baseName(program)]
	return known
}

// isShim reports whether a program is a script or in a folder of shims, which stand for
// programs of several versions.
func isShim(program string) bool {
	real := sandbox.Real(program)
	_, isScript := shebang(real)
	ofShims := func(path string) bool { return strings.EqualFold(filepath.Base(filepath.Dir(path)), "shims") }
	return isScript || ofShims(program) || ofShims(real)
}

// interpreted decides on an interpreter with its arguments.
func (o *PinnedRunner) interpreted(interpreter string, args []string) Exposure {
	name := filepath.Base(interpreter)
	for i, word := range args {
		letters, isOption := strings.CutPrefix(word, "-")
		switch {
		case !isOption:
			return o.file(word)
		case letters == "" || strings.Trim(letters, harmless[baseName(name)]) != "":
			return exposed(fmt.Sprintf("%s %s may run code that is not in one script file", name, printableName(args[i])))
		}
	}
	return exposed(name + " is given no script file")
}

// file decides on a script file.
func (o *PinnedRunner) file(word string) Exposure {
	path, reason := o.path(word)
	switch {
	case reason != "":
		return exposed(reason)
	case o.inside(path):
		return exposed(printableName(word) + " is in a folder that scripts can write to")
	}
	return Exposure{}
}

// interpretedBy decides on a script file that is started by itself, from the words of its
// first line.
func (o *PinnedRunner) interpretedBy(words []string, file string) Exposure {
	unclear := exposed("the first line of " + printableName(filepath.Base(file)) + " names no interpreter and one option at most")
	if len(words) == 0 {
		return unclear
	}
	program := words[0]
	if baseName(program) == "env" && len(words) == 2 && !strings.ContainsAny(words[1], "-=/") {
		found, reason := o.program(words[1])
		if reason != "" {
			return exposed(reason)
		}
		program, words = found, words[1:]
	}
	if len(words) <= 2 && shimmed(program) {
		return ofShim(words[0])
	}
	if len(words) > 2 || !filepath.IsAbs(program) || !o.interpreter(program) {
		return unclear
	}
	return o.interpreted(program, append(slices.Clone(words[1:]), file))
}

// own reports whether a program is one of the user's own: named by its path, and not where
// programs are installed. Those may be made to start any program.
func (o *PinnedRunner) own(word, program string) bool {
	if filepath.Base(word) == word {
		return false
	}
	for _, path := range []string{program, sandbox.Real(program)} {
		dir := filepath.Dir(path)
		places := files.Elements(strings.ToLower(dir))
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
