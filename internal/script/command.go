package script

import (
	"bytes"
	"cmp"
	"encoding/json"
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

// sameLanguage reports whether two interpreters differ in version or spelling alone, as
// nodejs and node do. bash runs what is written for sh.
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

// Find returns where scripts find a program: a bare name on PATH, an absolute path as it is.
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

// Folders returns the absolute folders of the search path, in order; others depend on the
// working folder, which is not trusted.
func (r *Runner) Folders() []string { return sandbox.SearchPath(r.Env) }

// executable returns a program's path. Windows runs batch files through its shell, which
// reads arguments as commands, so they are left out.
func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err == nil && runtime.GOOS == "windows" && slices.Contains([]string{".bat", ".cmd"}, strings.ToLower(filepath.Ext(found))) {
		return "", exec.ErrNotFound
	}
	return found, err
}

// Bounds of a command line: what every system, and bubblewrap, starts.
const (
	maxArguments = 1 << 20     // bytes of all arguments together, each counted with its end
	maxArgument  = 128<<10 - 1 // bytes of one; Linux refuses more
	maxCount     = 8000
)

const space = " \t\r\n" // what JSON takes for blank

// Arguments turns the JSON value of a model into an argument list. Nothing is
// ever split at blanks or read as a shell would.
//
//   - Absent, null, "", {} and [] are no arguments.
//   - An array is the argument list: strings as they are, numbers and booleans
//     as the JSON text spells them, nested values as compact JSON text, null
//     left out.
//   - An object becomes options, in the order of the text: --key value. True is
//     the option alone, false and null leave it out, an array repeats it (null
//     elements left out, so an empty one leaves it out), a nested object is
//     compact JSON text. A key that begins with "-" is kept as it is; any other,
//     a single letter too, gets "--" in front.
//   - A string is one argument, unless it holds a JSON array or object, which is
//     then read as such: models like to encode twice.
//   - A number or a boolean is one argument.
//
// The error is [ErrArguments] or wraps a JSON error: text that is not JSON, an
// option without a name, an argument with a NUL byte, more than 1 MiB in all.
func Arguments(raw []byte) ([]string, error) {
	if raw = bytes.Trim(raw, space); len(raw) == 0 {
		return nil, nil
	}
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("reading arguments: %w", err)
	}
	if raw[0] == '"' {
		inner := bytes.Trim([]byte(scalar(raw)), space)
		if json.Valid(inner) && (inner[0] == '[' || inner[0] == '{') {
			raw = inner
		}
	}
	var args []string
	var err error
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
	if err = cmp.Or(err, checkArguments(args)); err != nil {
		return nil, err
	}
	return args, nil
}

// values reads a valid array, null elements left out.
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
		if strings.Trim(option, "-") == "" { // "--" and "-" mean something else to most programs
			return nil, refuse(ErrArguments, "pass arguments without a name in an array", "reading arguments: %q is not an option's name", option)
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

// scalar is a value as an argument: a string's text, anything else as compact JSON.
func scalar(raw []byte) (text string) {
	if raw[0] == '"' {
		json.Unmarshal(raw, &text)
		return text
	}
	var compact bytes.Buffer
	json.Compact(&compact, raw)
	return compact.String()
}

// checkArguments refuses what no program can be started with.
func checkArguments(args []string) error {
	total, longest := 0, 0
	for _, arg := range args {
		if strings.IndexByte(arg, 0) >= 0 {
			return refuse(ErrArguments, "", "checking arguments: %.40q holds a NUL byte, which no argument can", arg)
		}
		total, longest = total+len(arg)+1, max(longest, len(arg))
	}
	for _, bound := range []struct {
		n, most int
		of      string
	}{{total, maxArguments, "bytes"}, {len(args), maxCount, "arguments"}, {longest, maxArgument, "bytes in one argument"}} {
		if bound.n > bound.most {
			return refuse(ErrArguments, "write the data to a file and pass its path", "checking arguments: %d %s are more than the %d that are allowed", bound.n, bound.of, bound.most)
		}
	}
	return nil
}
