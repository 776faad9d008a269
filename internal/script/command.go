package script

// The command line of a script: the interpreter of its shebang or its extension, as far as
// it is installed, and the arguments of the model or the user, which are never parsed by a
// shell.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/internal/params"
	"skills/internal/programs"
	"skills/internal/pymeta"
	"skills/internal/script/sandbox"
)

// Command returns the command line that [Runner.Run] would start, for the
// user's approval: the interpreter's absolute path and its own arguments, the
// script's absolute path, the arguments. It does not include the sandbox.
//
// It returns the same error as Run for a script that cannot be run.
func (r *Runner) Command(s Script, args []string) ([]string, error) {
	if !filepath.IsAbs(r.Dir) {
		return nil, fmt.Errorf("building the command: the working directory %q is not an absolute path", r.Dir)
	}
	if err := checkArguments(args); err != nil {
		return nil, err
	}
	head, _, _, err := Source(s, maxHead)
	if err != nil {
		return nil, err
	}
	return interpreters{r}.command(s.Name, filepath.Join(s.Dir, filepath.FromSlash(s.Name)), head, args)
}

// interpreters chooses among the installed interpreters.
type interpreters struct{ *Runner }

// command selects the interpreter and builds the command line.
func (i interpreters) command(name, file string, head []byte, args []string) ([]string, error) {
	row, known := programs.LanguageOf(name)
	words, needs := shebang(head), strings.Fields(row.Needs)
	if len(words) > 0 {
		interpreter := base(words[0])
		// A plain Python shebang names the language, but not where dependencies
		// come from.
		if len(words) == 1 && slices.Contains([]string{"python", "python3"}, interpreter) {
			if command, err := i.try(programs.UV(), file, head, args); command != nil || err != nil {
				return command, err
			}
		}
		program, found := i.Find(words[0])
		if !found || !filepath.IsAbs(words[0]) { // interpreters are in different places on different systems
			program, found = i.Find(interpreter)
		}
		if found {
			return slices.Concat([]string{program}, words[1:], []string{file}, args), nil
		}
		// Another version of the same language is acceptable, another language is
		// not.
		if !known || !slices.ContainsFunc(needs, func(need string) bool { return sameLanguage(interpreter, need) }) {
			return nil, missing(name, "install "+interpreter, interpreter)
		}
		needs = []string{interpreter}
	}
	for _, way := range row.Commands {
		if command, err := i.try(way, file, head, args); command != nil || err != nil {
			return command, err
		}
	}
	if known {
		return nil, missing(name, row.Install, needs...)
	}
	return nil, newError(ErrInterpreter, "begin the file with a line such as #!/usr/bin/env python3",
		"choosing the interpreter: %s has neither a known extension nor a shebang line", name)
}

// sameLanguage reports whether two interpreters differ only in version or
// spelling, such as nodejs and node. bash runs scripts for sh.
func sameLanguage(a, b string) bool {
	const version = "0123456789.-"
	a, b = strings.TrimRight(a, version), strings.TrimRight(b, version)
	return a == "sh" && b == "bash" || a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// try returns the command line of one invocation, or nil if it does not apply.
func (i interpreters) try(way programs.Command, file string, head []byte, args []string) ([]string, error) {
	if way.GOOS != "" && way.GOOS != runtime.GOOS {
		return nil, nil
	}
	if way.Metadata {
		if _, ok := pymeta.Read(head); !ok {
			return nil, nil
		}
	}
	program, ok := i.Find(way.Program)
	if !ok {
		return nil, nil
	}
	if way.NotFirst != "" && len(args) > 0 && strings.HasSuffix(args[0], way.NotFirst) {
		return nil, newError(ErrArguments, "put another argument before it",
			"building the command: %s %s takes a first argument that ends in %s (%q) for a source file", way.Program, way.Before, way.NotFirst, args[0])
	}
	if len(args) > 0 {
		args = append(strings.Fields(way.After), args...)
	}
	return slices.Concat([]string{program}, strings.Fields(way.Before), []string{file}, args), nil
}

// Find returns the path of a program for scripts: a bare name is searched on
// PATH, an absolute path is returned unchanged.
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
	return findIn(r.Folders(), name)
}

func findIn(folders []string, name string) (path string, ok bool) {
	for _, dir := range folders {
		if path, err := executable(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

// Folders returns the absolute folders of the search path, in order. Relative
// ones depend on the working directory, which is not trusted.
func (r *Runner) Folders() []string { return sandbox.SearchPath(r.Env) }

// executable returns a program's path. Windows runs batch files through its
// shell, which interprets arguments, so they are excluded.
func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err == nil && runtime.GOOS == "windows" && slices.Contains([]string{".bat", ".cmd"}, strings.ToLower(filepath.Ext(found))) {
		return "", exec.ErrNotFound
	}
	return found, err
}

// Limits of a command line that every system, and bubblewrap, can start.
const (
	maxArguments = 1 << 20     // bytes of all arguments, including their terminators
	maxArgument  = 128<<10 - 1 // bytes of one argument; the limit of Linux
	maxCount     = 8000
)

const space = " \t\r\n" // white space in JSON

// Arguments converts a JSON value from a model to an argument list. Arguments are
// never split at blanks or interpreted by a shell.
//
//   - Absent, null, "", {} and [] mean no arguments.
//   - An array is the argument list: strings verbatim, numbers and booleans as in
//     the JSON text, nested values as compact JSON; nulls are omitted.
//   - An object becomes options in the order of the text: --key value. True adds
//     only the option, false and null omit it, an array repeats it for each
//     element except null, a nested object is compact JSON. A key that begins
//     with "-" is used unchanged; any other, even a single letter, gets "--".
//   - A string is one argument, unless it contains a JSON array or object, which
//     is then used instead: models often encode twice.
//   - A number or a boolean is one argument.
//
// The error is [ErrArguments] or wraps a JSON error: invalid JSON, an option
// without a name, an argument with a NUL byte, more than 1 MiB in total.
func Arguments(raw []byte) ([]string, error) {
	raw = bytes.Trim(raw, space)
	if len(raw) == 0 {
		return nil, nil
	}
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("reading arguments: %w", err)
	}
	var args []string
	var err error
	raw = params.Unwrap(raw)
	switch raw[0] {
	case 'n':
	case '[':
		args = values(raw)
	case '{':
		args, err = options(raw)
	default:
		if text := scalar(raw); text != "" {
			args = []string{text}
		}
	}
	if err == nil {
		err = checkArguments(args)
	}
	if err != nil {
		return nil, err
	}
	return args, nil
}

// values returns the elements of a valid array without nulls.
func values(raw []byte) (args []string) {
	var elements []json.RawMessage
	json.Unmarshal(raw, &elements)
	for _, element := range elements {
		if element[0] != 'n' {
			args = append(args, scalar(element))
		}
	}
	return args
}

// options reads a valid object key by key, because a map would lose the order.
func options(raw []byte) (args []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.Token() // the brace
	for decoder.More() {
		var value json.RawMessage
		token, _ := decoder.Token()
		decoder.Decode(&value)
		option, _ := token.(string)
		if strings.Trim(option, "-") == "" { // "--" and "-" have other meanings in most programs
			return nil, newError(ErrArguments, "pass arguments without a name in an array", "reading arguments: %q is not an option's name", option)
		}
		if !strings.HasPrefix(option, "-") {
			option = "--" + option
		}
		switch value[0] {
		case 'n', 'f':
		case 't':
			args = append(args, option)
		case '[':
			for _, text := range values(value) {
				args = append(args, option, text)
			}
		default:
			args = append(args, option, scalar(value))
		}
	}
	return args, nil
}

// scalar returns a value as an argument: the text of a string, anything else as
// compact JSON.
func scalar(raw []byte) (text string) {
	if raw[0] == '"' {
		json.Unmarshal(raw, &text)
		return text
	}
	var compact bytes.Buffer
	json.Compact(&compact, raw)
	return compact.String()
}

// checkArguments returns an error for arguments that cannot be passed to a
// program.
func checkArguments(args []string) error {
	total, longest := 0, 0
	for _, arg := range args {
		if strings.IndexByte(arg, 0) >= 0 {
			return newError(ErrArguments, "", "checking arguments: %.40q holds a NUL byte, which no argument can", arg)
		}
		total, longest = total+len(arg)+1, max(longest, len(arg))
	}
	for _, bound := range []struct {
		n, most int
		of      string
	}{{total, maxArguments, "bytes"}, {len(args), maxCount, "arguments"}, {longest, maxArgument, "bytes in one argument"}} {
		if bound.n > bound.most {
			return newError(ErrArguments, "write the data to a file and pass its path", "checking arguments: %d %s are more than the %d that are allowed", bound.n, bound.of, bound.most)
		}
	}
	return nil
}
