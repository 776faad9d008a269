package references

// A command refers to a script by a path that may start in the skill's folder, in the
// user's project or anywhere else. It counts as the skill's where a variable or a folder
// in the path says so, and below scripts/ unless an earlier command has left the folder.
// What may be anywhere is not reported as missing.

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
	"skills/internal/programs"
)

var (
	// ownFolder matches a variable that certainly refers to the skill's folder.
	ownFolder = lazyregexp.New(`^(?:\$?\{(?:CLAUDE_SKILL_DIR|HERMES_SKILL_DIR|SKILL_DIR|SKILL_ROOT|baseDir)\}|\$(?:CLAUDE_SKILL_DIR|HERMES_SKILL_DIR|SKILL_DIR|SKILL_ROOT))/`)
	// skillFolder matches a placeholder for the skill's folder.
	skillFolder = lazyregexp.New(`^(?:<(?:path-to-skill|path/to/skill|skill[-_](?:dir|directory|path|root|folder))>|SKILL_(?:DIR|ROOT))/`)
	// skillsFolder matches a folder of installed skills at the start of a path.
	skillsFolder = lazyregexp.New(`^[~$\w./{}-]*\bskills(?:/[\w.-]+)?$`)
	// pluginFolder matches the variable for the plugin that contains the skill.
	pluginFolder = lazyregexp.New(`^\$(?:CLAUDE_PLUGIN_ROOT|\{CLAUDE_PLUGIN_ROOT\})/`)
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

// backslashed matches a path below scripts with backslashes.
var backslashed = lazyregexp.New(`^(?:\.\\)?scripts(?:\\[\w.-]+)+$`)

var pythonVersion = lazyregexp.New(`^python[0-9.]*$`)

// Script is a script that a command of the page runs.
type Script struct {
	Path       string // clean, relative to the skill's folder
	Start, End int    // offsets in the body
	Program    bool   // a program to run it is given
	Sure       bool   // it is certainly in the skill's folder
	Plugin     bool   // Path is relative to the plugin that contains the skill
}

// CodeScripts returns the scripts that commands in the page's code run, and the
// files that they copy or install from. Commands after a change of folder, in
// the same code or later in the section, are omitted unless they refer to the
// skill's folder.
func (p *Page) CodeScripts() []Script {
	var out []Script
	moved := -1         // offset up to which commands run in another folder
	own, base := -1, "" // index of the code whose commands run in the skill's folder, and the subfolder
	for _, c := range p.Commands() {
		if at := c.Words[0].Start; p.leavesSkillFolder(c) {
			moved = at
		} else if moved >= 0 {
			if p.headingBetween(moved, at) {
				at = -1
			}
			moved = at
		}
		if changesFolder(c) {
			own = -1
			if moved < 0 {
				dir := c.Words[1].Text + "/"
				own, base = c.piece, dir[p.ownPrefix(dir):]
			}
			continue
		}
		w, program, ok := scriptArgument(c.Words)
		if !ok || !program && !strings.ContainsAny(w.Text, `/\`) {
			continue
		}
		s, ok := p.script(w)
		s.Program = program
		inOwnFolder := c.piece == own && program && IsScriptName(s.Path)
		if !s.Sure && inOwnFolder {
			s.Path, s.Sure = path.Join(base, s.Path), true
		}
		elsewhere := moved >= 0 && !s.Sure && !s.Plugin
		if !ok || elsewhere {
			continue
		}
		// A path alone in a span, or in a block that may be a listing, is a name
		// and not a command.
		alone := !program && len(c.Words) == 1 && (!c.Block || c.Lang == "")
		mayBeInstalled := !program && !s.Plugin && !strings.HasPrefix(s.Path, "scripts/")
		if !s.Sure && (alone || mayBeInstalled) {
			continue
		}
		out = append(out, s)
	}
	return out
}

// leavesSkillFolder reports whether a command changes to a folder that may not be the
// skill's, fetches a repository that the next commands use, or runs a program
// that the skill does not have.
func (p *Page) leavesSkillFolder(c Command) bool {
	if changesFolder(c) {
		return len(c.Words) < 2 || p.ownPrefix(c.Words[1].Text+"/") == 0
	}
	if c.Clones() {
		return true
	}
	name, found := strings.CutPrefix(c.Words[0].Text, "./") // a program in another folder
	return found && !strings.HasPrefix(name, "scripts/") && !IsPlaceholder(name) && !p.exists(path.Clean(name))
}

// Clones reports whether a command clones a repository.
func (c Command) Clones() bool {
	return (c.Words[0].Text == "git" || c.Words[0].Text == "gh") && slices.ContainsFunc(c.Words, func(w Word) bool { return w.Text == "clone" })
}

// changesFolder reports whether a command changes the working directory.
func changesFolder(c Command) bool {
	return slices.Contains([]string{"cd", "pushd", "Set-Location"}, c.Words[0].Text)
}

// headingBetween reports whether a heading begins between two offsets.
func (p *Page) headingBetween(from, to int) bool {
	i, _ := slices.BinarySearchFunc(p.Prose, from, func(s markdown.Range, at int) int { return cmp.Compare(s.Start, at) })
	for ; i < len(p.Prose) && p.Prose[i].Start < to; i++ {
		before := p.Body[max(p.Prose[i].Start-8, 0):p.Prose[i].Start]
		if strings.HasSuffix(strings.TrimRight(before, " *_`["), "#") {
			return true
		}
	}
	return false
}

// variable matches a variable at the start of a word.
var variable = lazyregexp.New(`^\$\{?(\w+)`)

// script returns the file that a word of a command refers to. ok is false if it
// may be anywhere, such as below a variable that the page itself sets.
func (p *Page) script(w Word) (s Script, ok bool) {
	if at := variable().FindStringSubmatch(w.Text); at != nil && strings.Contains(p.Body, at[1]+"=") {
		return Script{}, false
	}
	s = Script{Start: w.Start, End: w.End}
	own := p.ownPrefix(w.Text)
	text := w.Text[own:]
	if prefix := pluginFolder().FindString(text); prefix != "" {
		text, s.Plugin = text[len(prefix):], true
	}
	s.Path = scriptPath(text)
	s.Sure = own > 0
	return s, s.Path != ""
}

// proseCommand matches a command that is not marked up as code.
var proseCommand = lazyregexp.New(`(?:^|[\s(])(?:python3?|bash|sh|zsh|node|deno run|bun run|bun|tsx|npx tsx|uv run(?: python3?)?|ruby|perl|pwsh|Rscript|php) ((?:\./)?scripts/[\w./-]*\w)`)

// ProseScripts returns the scripts that commands in prose run.
func (p *Page) ProseScripts() []Script {
	const limit = 20 // per line
	var out []Script
	if !strings.Contains(p.Body, "scripts/") {
		return nil
	}
	for _, s := range p.Prose {
		line := p.Body[s.Start:s.End]
		if !strings.Contains(line, "scripts/") {
			continue
		}
		for _, at := range proseCommand().FindAllStringSubmatchIndex(line, limit) {
			if name := scriptPath(line[at[2]:at[3]]); name != "" && IsScriptName(name) {
				out = append(out, Script{Path: name, Start: s.Start + at[2], End: s.Start + at[3], Program: true})
			}
		}
	}
	return out
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

// ownPrefix returns the length of the part of a path that refers to the skill's
// folder: a variable, or a path below a folder for skills.
func (p *Page) ownPrefix(text string) int {
	if n := len(ownFolder().FindString(text)); n > 0 || p.dir == "" {
		return n
	}
	if i := strings.Index(text, "/"+p.dir+"/"); i >= 0 && skillsFolder().MatchString(text[:i]) {
		return i + len(p.dir) + 2
	}
	return 0
}

// scriptPath returns the path in the skill that a word of a command refers to,
// or "" if it may be anything else.
func scriptPath(text string) string {
	text = text[len(skillFolder().FindString(text)):]
	text = strings.TrimRight(text, ",:;.")
	if backslashed().MatchString(text) {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	switch {
	case text == "", strings.HasSuffix(text, "/"), strings.ContainsAny(text, `?\=@"'`+"`"):
		return "" // not the path of a file
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "~"), hasScheme(text), IsPlaceholder(text):
		return "" // not in the skill
	}
	name := path.Clean(text)
	if !IsInside(name) {
		return ""
	}
	return name
}
