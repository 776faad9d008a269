package script

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// language is one row of the interpreter table.
type language struct {
	extensions []string     // with the dot, lower case
	commands   []invocation // the first whose program is installed runs the script
	needs      []string     // the programs that an error names, alternatives
	install    string       // what to do if none is installed
}

// invocation is one way to run a file: program, before, file, after, arguments.
type invocation struct {
	program string
	before  []string
	after   []string                       // only if there are arguments
	goos    string                         // only on this system; "": on all
	when    func(head []byte) bool         // only for such files; nil: for all
	refuse  func(arguments []string) error // arguments the program would misread; nil: none
}

// languages is the interpreter table. A new language is a new row.
func languages() []language {
	const bash = "install bash (on Windows it comes with Git)"
	return []language{
		{
			extensions: []string{".py"}, needs: []string{"python3"}, install: "install Python 3 (python.org, or your package manager)",
			commands: []invocation{uvRun(), {program: "py", before: []string{"-3"}, goos: "windows"}, {program: "python3"}, {program: "python"}},
		},
		{
			extensions: []string{".js", ".mjs", ".cjs"}, needs: []string{"node"}, install: "install Node.js (nodejs.org, or your package manager)",
			commands: []invocation{{program: "node"}},
		},
		{ // Deno grants a script nothing; one that needs more has a shebang line.
			extensions: []string{".ts"}, needs: []string{"deno", "bun"}, install: "install Deno (deno.com) or Bun (bun.sh)",
			commands: []invocation{{program: "deno", before: []string{"run"}}, {program: "bun", before: []string{"run"}}},
		},
		{extensions: []string{".sh"}, needs: []string{"bash"}, install: bash, commands: []invocation{{program: "bash"}, {program: "sh"}}},
		{extensions: []string{".bash"}, needs: []string{"bash"}, install: bash, commands: []invocation{{program: "bash"}}},
		{
			extensions: []string{".ps1"}, needs: []string{"pwsh"}, install: "install PowerShell 7 (github.com/PowerShell/PowerShell)",
			commands: []invocation{{program: "pwsh", before: []string{"-NoProfile", "-NonInteractive", "-File"}}},
		},
		{
			extensions: []string{".rb"}, needs: []string{"ruby"}, install: "install Ruby (ruby-lang.org, or your package manager)",
			commands: []invocation{{program: "ruby"}},
		},
		{
			extensions: []string{".pl"}, needs: []string{"perl"}, install: "install Perl (perl.org, or your package manager)",
			commands: []invocation{{program: "perl"}},
		},
		{
			extensions: []string{".go"}, needs: []string{"go"}, install: "install Go (go.dev)",
			commands: []invocation{{program: "go", before: []string{"run"}, refuse: noGoFile}},
		},
		{ // Without --file, a project in the working folder would be run instead.
			extensions: []string{".cs"}, needs: []string{"dotnet"}, install: "install the .NET SDK, version 10 or later (dot.net)",
			commands: []invocation{{program: "dotnet", before: []string{"run", "--file"}, after: []string{"--"}}},
		},
		{
			extensions: []string{".csx"}, needs: []string{"dotnet"}, install: "install the .NET SDK (dot.net), then: dotnet tool install -g dotnet-script",
			commands: []invocation{{program: "dotnet", before: []string{"script"}, after: []string{"--"}}},
		},
	}
}

// uvRun is how a Python file that declares its dependencies is run.
func uvRun() invocation {
	return invocation{program: "uv", before: []string{"run", "--script"}, when: func(head []byte) bool {
		_, ok := InlineMetadata(head)
		return ok
	}}
}

// languageOf finds the row of a file's extension, ignoring case.
func languageOf(name string) (language, bool) {
	extension := strings.ToLower(path.Ext(name))
	for _, row := range languages() {
		if slices.Contains(row.extensions, extension) {
			return row, true
		}
	}
	return language{}, false
}

// noGoFile refuses what "go run" would compile into the program.
func noGoFile(arguments []string) error {
	if len(arguments) > 0 && strings.HasSuffix(arguments[0], ".go") {
		return refuse(ErrArguments, "put another argument before it",
			"building the command: go run takes a first argument that ends in .go (%q) for a source file", arguments[0])
	}
	return nil
}

// Runnable reports whether a file would be run as a script: a regular file that
// either has the extension of a known language or begins with a shebang line.
// The executable bit does not matter. Of head, the beginning of the file's
// content, the first line is enough.
func Runnable(name string, head []byte, mode fs.FileMode) bool {
	if !mode.IsRegular() {
		return false
	}
	_, known := languageOf(name)
	return known || len(shebang(head)) > 0
}
