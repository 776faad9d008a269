package spec

import (
	"path"
	"slices"
	"strings"
)

// ownFolder is how commands name the skill's folder without a doubt.
var ownFolder = newPattern(`^(?:\$?\{(?:CLAUDE_SKILL_DIR|SKILL_DIR|baseDir)\}|\$(?:CLAUDE_SKILL_DIR|SKILL_DIR))/`)

// interpreter is a program that runs a file named in its arguments.
type interpreter struct {
	name string
	stop []string // flags behind which no file follows
	take []string // flags that take the next word
	next []string // words that may stand before the file: run
}

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
	{name: "npx", next: []string{"tsx", "ts-node", "-y", "--yes"}},
	{name: "uv", next: []string{"run", "python", "python3"}, stop: []string{"-m", "-c", "--directory", "--project", "--module"},
		take: []string{"--with", "--python", "-p", "--extra", "--group", "--with-requirements", "--env-file", "--index"}},
	{name: "ruby", stop: []string{"-e"}}, {name: "perl", stop: []string{"-e", "-ne", "-pe"}}, {name: "php", stop: []string{"-r"}},
	{name: "Rscript", stop: []string{"-e"}}, {name: "lua", stop: []string{"-e", "-l"}}, {name: "swift"}, {name: "java", stop: []string{"-jar", "-cp", "-classpath"}},
	{name: "osascript", stop: []string{"-e"}, take: []string{"-l"}},
	{name: "dotnet", next: []string{"run", "script"}, stop: []string{"--project", "-p"}, take: []string{"-c", "--configuration", "-f", "--framework"}},
	{name: "chmod", next: []string{"+x", "a+x", "u+x", "ug+x", "755", "0755", "700", "744", "775"}},
	{name: "pwsh", stop: []string{"-Command", "-c"}, take: []string{"-ExecutionPolicy"}, next: []string{"-File"}},
	{name: "powershell", stop: []string{"-Command", "-c"}, take: []string{"-ExecutionPolicy"}, next: []string{"-File"}},
}

// environments are programs whose "run" starts a command in a project's
// environment.
var environments = []string{"poetry", "pipenv", "pdm", "hatch", "rye", "pixi"}

// backslashed is a path below scripts that is written with backslashes.
var backslashed = newPattern(`^(?:\.\\)?scripts(?:\\[\w.-]+)+$`)

var pythonVersion = newPattern(`^python[0-9.]*$`)

// scriptArgument returns the word of a command that names the script it runs,
// and whether a program is named before it; ok is false where there is none.
func scriptArgument(words []word) (w word, program, ok bool) {
	if len(words) > 2 && words[1].text == "run" && slices.Contains(environments, words[0].text) {
		words = words[2:]
	}
	name := words[0].text
	if pythonVersion().MatchString(name) || name == "py" {
		name = "python"
	}
	i := slices.IndexFunc(interpreters, func(in interpreter) bool { return in.name == name })
	if i < 0 {
		return words[0], false, true
	}
	in := interpreters[i]
	for k := 1; k < len(words); k++ {
		switch text := words[k].text; {
		case slices.Contains(in.stop, text):
			return word{}, false, false
		case slices.Contains(in.take, text):
			k++
		case slices.Contains(in.next, text), strings.HasPrefix(text, "-"):
		default:
			return words[k], true, true
		}
	}
	return word{}, false, false
}

// scriptPath returns the path in the skill that a word of a command names, ""
// where it may be anything else. sure tells that it is in the skill's folder.
func scriptPath(text string) (name string, sure bool) {
	if prefix := ownFolder().FindString(text); prefix != "" {
		text, sure = text[len(prefix):], true
	}
	text = strings.TrimRight(text, ",:;.")
	if backslashed().MatchString(text) {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	if text == "" || isPlaceholder(text) || strings.ContainsAny(text, `?\=@"'`+"`") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") ||
		strings.HasSuffix(text, "/") || hasScheme(text) {
		return "", false
	}
	name = path.Clean(text)
	if !isInside(name) || name == "." {
		return "", false
	}
	return name, sure
}

func isScriptName(name string) bool {
	return path.Ext(name) != "" && scriptLanguage(name, nil) != "" || slices.Contains([]string{".tsx", ".go", ".swift", ".cs", ".csx", ".java", ".applescript", ".scpt"}, path.Ext(name))
}
