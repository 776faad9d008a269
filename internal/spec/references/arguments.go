package references

// Which words of a command are files that it runs or reads. A program is a row in a table:
// the options that end the search, those with a value, and those whose value is a file.

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/programs"
)

// interpreter is a program that runs a file named in its arguments.
type interpreter struct {
	name string
	stop []string // flags after which no file follows
	take []string // flags whose value is the next word
	next []string // words that may precede the file: run
}

// interpreters are the programs with flags of their own, and those that no script
// language of package programs uses.
var interpreters = []interpreter{
	{name: "python", stop: []string{"-c", "-m", "-"}, take: []string{"-W", "-X"}},
	{name: "bash", stop: []string{"-c", "-s"}, take: []string{"-o"}},
	{name: "sh", stop: []string{"-c", "-s"}},
	{name: "zsh", stop: []string{"-c", "-s"}},
	{name: "source"}, {name: "."},
	{name: "node", stop: []string{"-e", "-p", "--eval", "--print", "-r", "--require", "--import"}},
	{name: "deno", next: []string{"run"}},
	{name: "bun", next: []string{"run"}, stop: []string{"-e"}},
	{name: "go", next: []string{"run"}, take: []string{"-C", "-exec", "-tags", "-ldflags", "-gcflags", "-mod", "-modfile", "-overlay", "-p"}},
	{name: "tsx"}, {name: "ts-node"},
	{name: "bunx", next: []string{"tsx", "ts-node", "--bun"}},
	{name: "npx", next: []string{"tsx", "ts-node", "-y", "--yes"}},
	{name: "uv", next: []string{"run", "python", "python3"}, stop: []string{"-m", "-c", "--directory", "--project", "--module"},
		take: []string{"--with", "--python", "-p", "--extra", "--group", "--with-requirements", "--env-file", "--index"}},
	{name: "ruby", stop: []string{"-e"}}, {name: "perl", stop: []string{"-e", "-ne", "-pe"}}, {name: "php", stop: []string{"-r"}},
	{name: "Rscript", stop: []string{"-e"}}, {name: "lua", stop: []string{"-e", "-l"}}, {name: "swift"}, {name: "java", stop: []string{"-jar", "-cp", "-classpath"}},
	{name: "osascript", stop: []string{"-e"}, take: []string{"-l"}},
	{name: "dotnet", next: []string{"run", "script"}, stop: []string{"--project", "-p"}, take: []string{"-c", "--configuration", "-f", "--framework"}},
	{name: "chmod", next: []string{"+x", "a+x", "u+x", "ug+x", "755", "0755", "700", "744", "775"}},
	{name: "bb", stop: []string{"-e"}}, {name: "fish", stop: []string{"-c"}}, {name: "julia", stop: []string{"-e"}},
	{name: "cp"},
	{name: "pwsh", stop: []string{"-Command", "-c"}, take: []string{"-ExecutionPolicy"}, next: []string{"-File"}},
	{name: "powershell", stop: []string{"-Command", "-c"}, take: []string{"-ExecutionPolicy"}, next: []string{"-File"}},
}

// environments are programs whose "run" starts a command in a project's
// environment.
var environments = []string{"poetry", "pipenv", "pdm", "hatch", "rye", "pixi"}

// fileArgument is a word of a command that names a file which it reads or runs.
type fileArgument struct {
	Word
	program bool // a program precedes it
	module  bool // it is the name of a Python module, as a path
}

// fileFlags are the options whose value is a file that must exist, by program.
var fileFlags = map[string][]string{
	"make": {"-f", "--file", "--makefile"}, "gmake": {"-f", "--file", "--makefile"}, "docker": {"-f", "--file"}, "podman": {"-f", "--file"},
	"psql": {"-f", "--file"}, "jq": {"-f", "--from-file"}, "awk": {"-f"}, "gawk": {"-f"}, "sed": {"-f"},
	"java": {"-jar"}, "kubectl": {"-f", "--filename"}, "helm": {"-f", "--values"}, "terraform": {"-var-file", "--var-file"}, "tofu": {"-var-file", "--var-file"},
	"uvx": {"--from"}, "docker-compose": {"-f", "--file"},
}

// fileArguments returns the files that a command reads or runs: the script of its
// program, the values of its options for files, and what is redirected to it.
func fileArguments(words []Word) (out []fileArgument) {
	words = withoutWrapper(words)
	if len(words) == 0 {
		return nil
	}
	flags := fileFlags[words[0].Text]
	for i, w := range words {
		if i == 0 {
			continue
		}
		name, value, joined := strings.Cut(w.Text, "=")
		switch prev := words[i-1].Text; {
		case slices.Contains(flags, prev) || prev == "<":
			out = append(out, fileArgument{Word: w, program: true})
		case joined && slices.Contains(flags, name):
			out = append(out, fileArgument{Word: Word{Text: value, Start: w.Start + len(name) + 1, End: w.End}, program: true})
		case prev == "-m" && strings.HasPrefix(w.Text, "scripts."):
			w.Text = strings.ReplaceAll(w.Text, ".", "/") + ".py"
			out = append(out, fileArgument{Word: w, program: true, module: true})
		case redirected().MatchString(w.Text):
			out = append(out, fileArgument{Word: Word{Text: w.Text[1:], Start: w.Start + 1, End: w.End}, program: true})
		}
	}
	if w, program, ok := scriptArgument(words); ok {
		out = append(out, fileArgument{Word: w, program: program})
	}
	return slices.DeleteFunc(out, func(a fileArgument) bool { return a.Text == "<" || strings.HasPrefix(a.Text, "-") })
}

// redirected matches a word such as <data/x.sql, which is no placeholder.
var redirected = lazyregexp.New(`^<[\w.$][^<>]*/[^<>]*$`)

// withoutWrapper returns the command that xargs, timeout and the like start.
func withoutWrapper(words []Word) []Word {
	switch words[0].Text {
	case "xargs", "parallel", "timeout", "nice", "caffeinate":
	default:
		return words
	}
	for i, w := range words[1:] {
		isScript := strings.HasPrefix(strings.TrimPrefix(w.Text, "./"), "scripts/")
		isProgram := pythonVersion().MatchString(w.Text) || fileFlags[w.Text] != nil ||
			slices.ContainsFunc(interpreters, func(in interpreter) bool { return in.name == w.Text })
		if isScript || isProgram {
			return words[1+i:]
		}
	}
	return nil
}

// scriptArgument returns the word of a command that is the script to run, and
// whether a program precedes it; ok is false if there is none.
func scriptArgument(words []Word) (w Word, program, ok bool) {
	if len(words) > 2 && words[1].Text == "run" && slices.Contains(environments, words[0].Text) {
		words = words[2:]
	}
	for i := 2; i+1 < len(words); i++ { // pip install -r requirements.txt, however pip is started
		if words[i].Text == "-r" && words[i-1].Text == "install" {
			return words[i+1], true, true
		}
	}
	name := words[0].Text
	if pythonVersion().MatchString(name) || name == "py" {
		name = "python"
	}
	var in interpreter
	if i := slices.IndexFunc(interpreters, func(in interpreter) bool { return in.name == name }); i >= 0 {
		in = interpreters[i]
	} else if command, found := programs.CommandOf(name); found {
		in.next = strings.Fields(command.Before)
	} else {
		return words[0], false, true
	}
	for k := 1; k < len(words); k++ {
		switch text := words[k].Text; {
		case slices.Contains(in.stop, text):
			return Word{}, false, false
		case slices.Contains(in.take, text):
			k++
		case slices.Contains(in.next, text), strings.HasPrefix(text, "-"):
		default:
			return words[k], true, true
		}
	}
	return Word{}, false, false
}
