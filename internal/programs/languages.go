package programs

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Language is a row of the table of script languages. Lists are separated by spaces.
type Language struct {
	Extensions string    // with the dot, lower case
	Needs      string    // alternative programs, for errors
	Install    string    // how to install one of them
	Commands   []Command // the first one whose program is installed is used
}

// Command is a way to run a file: program, Before, file, After, arguments.
type Command struct {
	Program, Before string
	After           string // only if there are arguments
	GOOS            string // only on this system; "" for all
	Metadata        bool   // only for files that declare their dependencies (PEP 723)
	NotFirst        string // extension that the program would misinterpret in the first argument; "" for none
}

// UV returns the command for a Python file that declares its dependencies.
func UV() Command { return Command{Program: "uv", Before: "run --script", Metadata: true} }

// languages is the table of script languages. A new language is a row here.
var languages = sync.OnceValue(func() []Language {
	const bash = "install bash (on Windows it comes with Git)"
	const powershell, dotnet = "-NoProfile -NonInteractive -File", "install the .NET SDK, version 10 or later (dot.net)"
	return []Language{
		{Extensions: ".py", Needs: "python3", Install: "install Python 3 (python.org, or your package manager)",
			Commands: []Command{UV(), {Program: "py", Before: "-3", GOOS: "windows"}, {Program: "python3"}, {Program: "python"}}},
		{Extensions: ".js .mjs .cjs", Needs: "node", Install: "install Node.js (nodejs.org, or your package manager)", Commands: []Command{{Program: "node"}}},
		{Extensions: ".sh", Needs: "bash", Install: bash, Commands: []Command{{Program: "bash"}, {Program: "sh"}}},
		{Extensions: ".bash", Needs: "bash", Install: bash, Commands: []Command{{Program: "bash"}}},
		{Extensions: ".ps1", Needs: "pwsh", Install: "install PowerShell 7 (github.com/PowerShell/PowerShell)", Commands: []Command{{Program: "pwsh", Before: powershell}}},
		// Without --file, a project in the working directory would be run
		// instead.
		{Extensions: ".cs", Needs: "dotnet", Install: dotnet, Commands: []Command{{Program: "dotnet", Before: "run --file", After: "--"}}},
		{Extensions: ".csx", Needs: "dotnet", Install: dotnet + ", then: dotnet tool install -g dotnet-script", Commands: []Command{{Program: "dotnet", Before: "script", After: "--"}}},
		// Deno grants no permissions; a script that needs some has a shebang.
		{Extensions: ".ts", Needs: "deno bun", Install: "install Deno (deno.com) or Bun (bun.sh)", Commands: []Command{{Program: "deno", Before: "run"}, {Program: "bun", Before: "run"}}},
		{Extensions: ".rb", Needs: "ruby", Install: "install Ruby (ruby-lang.org, or your package manager)", Commands: []Command{{Program: "ruby"}}},
		{Extensions: ".go", Needs: "go", Install: "install Go (go.dev)", Commands: []Command{{Program: "go", Before: "run", NotFirst: ".go"}}},
		{Extensions: ".pl", Needs: "perl", Install: "install Perl (perl.org, or your package manager)", Commands: []Command{{Program: "perl"}}},
	}
})

// ScriptExtensions returns the extensions of files that an agent runs: the
// framework's, and other script languages that are common in published skills. The
// caller must not change them.
func ScriptExtensions() []string { return extensions() }

var extensions = sync.OnceValue(func() (out []string) {
	for _, row := range languages() {
		out = append(out, strings.Fields(row.Extensions)...)
	}
	return slices.Clip(out)
})

// LanguageOf returns the row for a file's extension, ignoring case.
func LanguageOf(name string) (Language, bool) {
	extension := strings.ToLower(path.Ext(name))
	for _, row := range languages() {
		if slices.Contains(strings.Fields(row.Extensions), extension) {
			return row, true
		}
	}
	return Language{}, false
}

// CommandOf returns the first command of the table that starts a program.
func CommandOf(program string) (Command, bool) {
	for _, row := range languages() {
		for _, c := range row.Commands {
			if c.Program == program {
				return c, true
			}
		}
	}
	return Command{}, false
}
