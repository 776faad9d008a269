package script

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// language is one row of the interpreter table.
type language struct {
	extensions []string     // with the dot, lower case
	commands   []invocation // the first whose program is installed runs the script
	needs      []string     // the programs that an error names, alternatives
	install    string       // what to do where none is installed
}

// invocation is one way to run a file: program, before, file, after, arguments.
type invocation struct {
	program string
	before  []string
	after   []string                       // only where there are arguments
	goos    string                         // only on this system; "": on all
	when    func(head []byte) bool         // only for such files; nil: for all
	refuse  func(arguments []string) error // arguments the program would misread; nil: none
}

// languages is the interpreter table. A new language is a new row.
func languages() []language {
	return []language{
		{
			extensions: []string{".py"},
			commands: []invocation{
				uvRun(),
				{program: "py", before: []string{"-3"}, goos: "windows"},
				{program: "python3"},
				{program: "python"},
			},
			needs:   []string{"python3"},
			install: "install Python 3 (python.org, or your package manager)",
		},
		{
			extensions: []string{".js", ".mjs", ".cjs"},
			commands:   []invocation{{program: "node"}},
			needs:      []string{"node"},
			install:    "install Node.js (nodejs.org, or your package manager)",
		},
		{
			// Deno grants a script nothing unless it is told to; a script that
			// needs more says so in its shebang line.
			extensions: []string{".ts"},
			commands: []invocation{
				{program: "deno", before: []string{"run"}},
				{program: "bun", before: []string{"run"}},
			},
			needs:   []string{"deno", "bun"},
			install: "install Deno (deno.com) or Bun (bun.sh)",
		},
		{
			extensions: []string{".sh"},
			commands:   []invocation{{program: "bash"}, {program: "sh"}},
			needs:      []string{"bash"},
			install:    "install bash (on Windows it comes with Git)",
		},
		{
			extensions: []string{".bash"},
			commands:   []invocation{{program: "bash"}},
			needs:      []string{"bash"},
			install:    "install bash (on Windows it comes with Git)",
		},
		{
			extensions: []string{".ps1"},
			commands:   []invocation{{program: "pwsh", before: []string{"-NoProfile", "-NonInteractive", "-File"}}},
			needs:      []string{"pwsh"},
			install:    "install PowerShell 7 (github.com/PowerShell/PowerShell)",
		},
		{
			extensions: []string{".rb"},
			commands:   []invocation{{program: "ruby"}},
			needs:      []string{"ruby"},
			install:    "install Ruby (ruby-lang.org, or your package manager)",
		},
		{
			extensions: []string{".pl"},
			commands:   []invocation{{program: "perl"}},
			needs:      []string{"perl"},
			install:    "install Perl (perl.org, or your package manager)",
		},
		{
			extensions: []string{".go"},
			commands:   []invocation{{program: "go", before: []string{"run"}, refuse: noGoFile}},
			needs:      []string{"go"},
			install:    "install Go (go.dev)",
		},
		{
			// Without --file, a project in the working directory would be run
			// in the script's place.
			extensions: []string{".cs"},
			commands:   []invocation{{program: "dotnet", before: []string{"run", "--file"}, after: []string{"--"}}},
			needs:      []string{"dotnet"},
			install:    "install the .NET SDK, version 10 or later (dot.net)",
		},
		{
			extensions: []string{".csx"},
			commands:   []invocation{{program: "dotnet", before: []string{"script"}, after: []string{"--"}}},
			needs:      []string{"dotnet"},
			install:    "install the .NET SDK (dot.net), then: dotnet tool install -g dotnet-script",
		},
	}
}

// uvRun is how a Python file that declares its dependencies is run.
func uvRun() invocation {
	return invocation{program: "uv", before: []string{"run", "--script"}, when: declaresDependencies}
}

// languageOf finds the row of a file's extension, in whatever case.
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
		return &refusal{
			reason: ErrArguments,
			text:   fmt.Sprintf("building the command: go run takes a first argument that ends in .go (%q) for a source file", arguments[0]),
			hint:   "put another argument before it",
		}
	}
	return nil
}

// declaresDependencies says whether a Python file carries inline script
// metadata as PEP 723 defines it: a comment block from "# /// script" to
// "# ///".
func declaresDependencies(head []byte) bool {
	inside, content := false, false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case !inside:
			inside, content = line == "# /// script", false
		case line == "# ///" && content:
			return true
		case line == "#", strings.HasPrefix(line, "# "):
			content = true
		default:
			inside = false
		}
	}
	return false
}
