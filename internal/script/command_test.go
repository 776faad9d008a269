package script

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
)

// installed is a search that knows these programs only. A name means
// /bin/NAME, a path for itself.
func installed(programs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		switch {
		case !slices.Contains(programs, name):
			return "", false
		case filepath.IsAbs(name):
			return name, true
		}
		return "/bin/" + name, true
	}
}

func TestCommand(t *testing.T) {
	tests := []struct {
		name      string
		file      string
		content   string
		installed string // separated by blanks
		args      []string
		want      string // FILE is replaced by the file; or, with "!", what the error says
	}{
		{"python", "scripts/a.py", "", "python3 python", []string{"--v", "1"}, "/bin/python3 FILE --v 1"},
		{"only python", "a.py", "", "python", nil, "/bin/python FILE"},
		{"no python", "scripts/a.py", "", "", nil, "!python3 is not on PATH; scripts/a.py needs it"},
		{"metadata and uv", "a.py", metadata, "uv python3", []string{"x"}, "/bin/uv run --script FILE x"},
		{"metadata, no uv", "a.py", metadata, "python3", nil, "/bin/python3 FILE"},
		{"uv, no metadata", "a.py", "", "uv python3", nil, "/bin/python3 FILE"},
		{"metadata under a Python shebang", "a.py", "#!/usr/bin/env python3\n" + metadata, "uv python3", nil, "/bin/uv run --script FILE"},
		{"metadata without extension", "a", "#!/usr/bin/python3\n" + metadata, "uv", nil, "/bin/uv run --script FILE"},
		{"metadata under a particular Python", "a.py", "#!/usr/bin/env python3.12\n" + metadata, "uv python3.12", nil, "/bin/python3.12 FILE"},
		{"uv in the shebang", "a.py", "#!/usr/bin/env -S uv run --script\n" + metadata, "uv python3", nil, "/bin/uv run --script FILE"},
		{"javascript", "a.js", "", "node", nil, "/bin/node FILE"},
		{"javascript module", "a.mjs", "", "node", nil, "/bin/node FILE"},
		{"common javascript", "a.cjs", "", "node", nil, "/bin/node FILE"},
		{"typescript, deno first", "a.ts", "", "bun deno", []string{"-x"}, "/bin/deno run FILE -x"},
		{"typescript, bun", "a.ts", "", "bun", nil, "/bin/bun run FILE"},
		{"typescript, nothing", "a.ts", "", "node", nil, "!deno or bun is not on PATH; a.ts needs it"},
		{"shell", "a.sh", "", "sh bash", nil, "/bin/bash FILE"},
		{"shell without bash", "a.sh", "", "sh", nil, "/bin/sh FILE"},
		{"bash", "a.bash", "", "bash", nil, "/bin/bash FILE"},
		{"upper case", "A.SH", "", "bash", nil, "/bin/bash FILE"},
		{"powershell", "a.ps1", "", "pwsh", []string{"-Name", "x"}, "/bin/pwsh -NoProfile -NonInteractive -File FILE -Name x"},
		{"ruby", "a.rb", "", "ruby", nil, "/bin/ruby FILE"},
		{"perl", "a.pl", "", "perl", nil, "/bin/perl FILE"},
		{"go", "a.go", "", "go", []string{"x", "y.go"}, "/bin/go run FILE x y.go"},
		{"go would compile the argument", "a.go", "", "go", []string{"y.go"}, `!first argument that ends in .go ("y.go")`},
		{"csharp", "a.cs", "", "dotnet", []string{"-v"}, "/bin/dotnet run --file FILE -- -v"},
		{"csharp, no arguments", "a.cs", "", "dotnet", nil, "/bin/dotnet run --file FILE"},
		{"csharp script", "a.csx", "", "dotnet", []string{"-v"}, "/bin/dotnet script FILE -- -v"},

		{"shebang, path elsewhere", "a", "#!/opt/x/zsh -f\n", "zsh", nil, "/bin/zsh -f FILE"},
		{"shebang, relative path", "a", "#!../evil/zsh\n", "../evil/zsh zsh", nil, "/bin/zsh FILE"},
		{"shebang before the extension", "a.sh", "#!/usr/bin/env zsh\n", "zsh bash", nil, "/bin/zsh FILE"},
		{"shebang missing, extension there", "a.py", "#!/usr/bin/python2\n", "python3", nil, "/bin/python3 FILE"},
		{"env with a variable", "a", "#!/usr/bin/env -S A=1 zsh -f\n", "/usr/bin/env zsh", nil, "/usr/bin/env A=1 zsh -f FILE"},
		{"both missing", "a.rb", "#!/usr/bin/env ruby3.1\n", "python3", nil, "!ruby3.1 is not on PATH; a.rb needs it"},
		{"shebang missing, no extension", "a", "#!/usr/bin/zsh\n", "bash", nil, "!zsh is not on PATH; a needs it"},
		{"nothing known", "a.xyz", "echo\n", "bash", nil, "!a.xyz has neither a known extension nor a shebang line"},
		{"NUL in an argument", "a.sh", "", "bash", []string{"a\x00b"}, "!holds a NUL byte"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := skill(t, test.file, test.content)
			r := &Runner{Dir: t.TempDir(), state: state{find: installed(strings.Fields(test.installed)...)}}
			got, err := r.Command(s, test.args)
			if text, refused := strings.CutPrefix(test.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("Command() = %q, %v, want an error with %q", got, err, text)
				}
				return
			}
			want := strings.Fields(test.want)
			for i := range want {
				if want[i] == "FILE" {
					want[i] = filepath.Join(s.Dir, filepath.FromSlash(test.file))
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("Command() = %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestMissingInterpreterHints(t *testing.T) {
	s := skill(t, "scripts/convert.py", "print(1)\n")
	r := &Runner{Dir: t.TempDir(), Env: []string{"PATH=" + t.TempDir()}}
	_, err := r.Command(s, nil)
	if !errors.Is(err, ErrInterpreter) {
		t.Fatalf("Command() = %v, want ErrInterpreter", err)
	}
	if !strings.Contains(fault.Hint(err), "install Python 3") {
		t.Errorf("the error %q has no hint that says what to install", err)
	}
}

func TestCommandRefusesRelativePaths(t *testing.T) {
	s := skill(t, "a.sh", "")
	if got, err := (&Runner{state: state{find: installed("bash")}}).Command(s, nil); err == nil {
		t.Errorf("without a working directory: Command() = %q, want an error", got)
	}
	s.Dir = "skills/x"
	if got, err := (&Runner{Dir: t.TempDir(), state: state{find: installed("bash")}}).Command(s, nil); err == nil {
		t.Errorf("relative skill folder: Command() = %q, want an error", got)
	}
}

// TestShebangDecides checks that the interpreter of the file extension does not replace
// a missing one of the shebang, unless it is another version of the same language.
func TestShebangDecides(t *testing.T) {
	for _, test := range []struct{ name, line, installed, program, err string }{
		{"a.sh", "/usr/bin/env nosuch", "bash", "", "nosuch"},
		{"a.sh", "/usr/bin/env fish", "bash", "", "fish"},
		{"a.sh", "/bin/sh", "bash", "bash", ""},
		{"a.py", "/usr/bin/env python3.12", "python3", "python3", ""},
		{"a.py", "/opt/x/python", "python3", "python3", ""},
		{"a.py", "/usr/bin/env -S uv run --script", "python3", "", "uv"},
		{"a.js", "/usr/bin/env nodejs", "node", "node", ""},
		{"a.ts", "/usr/bin/env tsx", "deno", "", "tsx"},
	} {
		t.Run(test.name+" "+test.line, func(t *testing.T) {
			s := skill(t, "scripts/"+test.name, "#!"+test.line+"\nx\n")
			r := &Runner{Dir: t.TempDir(), Sandbox: SandboxOff, state: state{find: installed(test.installed)}}
			got, err := r.Command(s, nil)
			switch {
			case test.err == "" && (err != nil || filepath.Base(got[0]) != test.program):
				t.Errorf("Command() = %q, %v, want %s", got, err, test.program)
			case test.err != "" && (!errors.Is(err, ErrInterpreter) || !strings.Contains(err.Error(), test.err+" is not on PATH")):
				t.Errorf("Command() = %q, %v, want that %s is not on PATH", got, err, test.err)
			}
		})
	}
}
