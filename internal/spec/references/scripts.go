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
		for _, arg := range fileArguments(c.Words) {
			if s, ok := c.script(p, arg, moved >= 0, c.piece == own, base); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// script returns the script that an argument of a command refers to. moved is true
// after a change to another folder, inBase after one to a folder of the skill; ok is false
// if the file may be anywhere.
func (c Command) script(p *Page, arg fileArgument, moved, inBase bool, base string) (s Script, ok bool) {
	w, program := arg.Word, arg.program
	if !program && !strings.ContainsAny(w.Text, `/\`) {
		return Script{}, false
	}
	s, ok = p.script(w)
	s.Program = program
	inOwnFolder := inBase && program && IsScriptName(s.Path)
	if !s.Sure && inOwnFolder {
		s.Path, s.Sure = path.Join(base, s.Path), true
	}
	elsewhere := moved && !s.Sure && !s.Plugin
	if isPackage := arg.module && p.exists(strings.TrimSuffix(s.Path, ".py")); !ok || elsewhere || isPackage {
		return Script{}, false
	}
	// A path alone in a span, or in a block that may be a listing, is a name
	// and not a command.
	alone := !program && len(c.Words) == 1 && (!c.Block || c.Lang == "")
	mayBeInstalled := !program && !s.Plugin && !strings.HasPrefix(s.Path, "scripts/")
	return s, s.Sure || !alone && !mayBeInstalled
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
