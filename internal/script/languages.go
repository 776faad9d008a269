package script

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/internal/pymeta"
)

// language is a row of the interpreter table. Lists are separated by spaces.
type language struct {
	extensions string       // with the dot, lower case
	needs      string       // alternative programs, for errors
	install    string       // how to install one of them
	commands   []invocation // the first one whose program is installed is used
}

// invocation is a way to run a file: program, before, file, after, arguments.
type invocation struct {
	program, before string
	after           string                         // only if there are arguments
	goos            string                         // only on this system; "" for all
	when            func(head []byte) bool         // only for matching files; nil for all
	refuse          func(arguments []string) error // rejects arguments that the program would misinterpret; may be nil
}

// languages returns the interpreter table.
func languages() []language {
	const bash = "install bash (on Windows it comes with Git)"
	const powershell, dotnet = "-NoProfile -NonInteractive -File", "install the .NET SDK, version 10 or later (dot.net)"
	return []language{
		{".py", "python3", "install Python 3 (python.org, or your package manager)",
			[]invocation{uvRun(), {program: "py", before: "-3", goos: "windows"}, {program: "python3"}, {program: "python"}}},
		{".js .mjs .cjs", "node", "install Node.js (nodejs.org, or your package manager)", []invocation{{program: "node"}}},
		// Deno grants no permissions; a script that needs some has a shebang.
		{".ts", "deno bun", "install Deno (deno.com) or Bun (bun.sh)", []invocation{{program: "deno", before: "run"}, {program: "bun", before: "run"}}},
		{".sh", "bash", bash, []invocation{{program: "bash"}, {program: "sh"}}},
		{".bash", "bash", bash, []invocation{{program: "bash"}}},
		{".ps1", "pwsh", "install PowerShell 7 (github.com/PowerShell/PowerShell)", []invocation{{program: "pwsh", before: powershell}}},
		{".rb", "ruby", "install Ruby (ruby-lang.org, or your package manager)", []invocation{{program: "ruby"}}},
		{".pl", "perl", "install Perl (perl.org, or your package manager)", []invocation{{program: "perl"}}},
		{".go", "go", "install Go (go.dev)", []invocation{{program: "go", before: "run", refuse: noGoFile}}},
		// Without --file, a project in the working directory would be run
		// instead.
		{".cs", "dotnet", dotnet, []invocation{{program: "dotnet", before: "run --file", after: "--"}}},
		{".csx", "dotnet", dotnet + ", then: dotnet tool install -g dotnet-script", []invocation{{program: "dotnet", before: "script", after: "--"}}},
	}
}

// uvRun returns the invocation for a Python file that declares dependencies.
func uvRun() invocation {
	return invocation{program: "uv", before: "run --script", when: func(head []byte) bool {
		_, ok := pymeta.Read(head)
		return ok
	}}
}

// languageOf returns the row for a file's extension, ignoring case.
func languageOf(name string) (language, bool) {
	extension := strings.ToLower(path.Ext(name))
	for _, row := range languages() {
		if slices.Contains(strings.Fields(row.extensions), extension) {
			return row, true
		}
	}
	return language{}, false
}

// noGoFile rejects arguments that "go run" would compile into the program.
func noGoFile(arguments []string) error {
	if len(arguments) > 0 && strings.HasSuffix(arguments[0], ".go") {
		return refuse(ErrArguments, "put another argument before it",
			"building the command: go run takes a first argument that ends in .go (%q) for a source file", arguments[0])
	}
	return nil
}

// Runnable reports whether a file can be run as a script: it is regular and has
// a known extension, or a shebang in head. The executable bit does not matter.
func Runnable(name string, head []byte, mode fs.FileMode) bool {
	if !mode.IsRegular() {
		return false
	}
	_, known := languageOf(name)
	return known || len(shebang(head)) > 0
}

const maxShebang = 4096 // bytes of the longest line; systems read less

// shebang returns the words of a file's shebang, the interpreter first, or nil.
// The line is parsed, not executed: the file needs no executable bit, and the
// line may end with CR LF or follow a byte order mark. Words are separated by
// blanks, on every system; quotes are not special.
//
// "/usr/bin/env NAME" becomes NAME, with or without -S. With variables or
// options, env remains the interpreter.
func shebang(head []byte) []string {
	line, found := bytes.CutPrefix(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("#!"))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if !found || len(line) > maxShebang || bytes.IndexByte(line, 0) >= 0 {
		return nil
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || base(words[0]) != "env" {
		return words
	}
	behind := words[1:]
	if len(behind) > 0 {
		if behind[0] = strings.TrimPrefix(behind[0], "-S"); behind[0] == "" {
			behind = behind[1:]
		}
	}
	if len(behind) > 0 && (strings.HasPrefix(behind[0], "-") || strings.Contains(behind[0], "=")) {
		return append(words[:1:1], behind...)
	}
	return behind
}

// Shebang returns the interpreter in a file's shebang as written, or "". For
// "/usr/bin/env NAME" it is NAME.
func Shebang(head []byte) string {
	if words := shebang(head); len(words) > 0 {
		return words[0]
	}
	return ""
}

// base returns the last element of an interpreter's path, on any system.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}
