package references

// A skill that gives command lines, besides those of its own scripts, needs somebody who
// runs them. Which code is meant to be run is decided in favour of "none": examples of
// scripts, installations and options in prose do not count.

import (
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
	"skills/internal/programs"
)

// commandName matches the name of a program.
var commandName = lazyregexp.New(`^[a-z][a-z0-9_-]*(?:\.[a-z0-9]+)?$`)

// aside are words that begin commands of a shell itself, and commands that say nothing
// about the task.
const aside = `cd echo export set source eval exit return read printf if then else elif fi for do done while until case esac
	function local declare readonly alias unset shift trap wait true false test sleep exec in pip pip3 brew apt apt-get yum dnf
	choco winget scoop pacman apk open claude codex cursor gemini copilot which type command pwd clear mkdir chmod`

// ShellCommand returns a command line of a skill's text that is not one of its own scripts,
// or "". own reports whether a path is one of the skill's files.
func ShellCommand(body, dir string, own func(name string) bool) string {
	p := New(markdown.Parse([]byte(body)), body, dir, own)
	if p.IsGuide() {
		return ""
	}
	for _, c := range p.Commands() {
		first := c.Words[0]
		mine := slices.ContainsFunc(c.Words, func(w Word) bool { return isOwn(w.Text, own) })
		if mine || !isTask(c) || !isRun(p, c) {
			continue
		}
		return strings.TrimSpace(body[first.Start:c.Words[len(c.Words)-1].End])
	}
	return ""
}

// isRun reports whether a command is in code that a reader is to run.
func isRun(p *Page, c Command) bool {
	code := p.Code[c.piece]
	if c.Block {
		return c.Lang != "" && !isExample(code.Text)
	}
	_, known := programs.OfFile(c.Words[0].Text)
	return known && p.Sentence(code.Start, code.End).IsRunInstruction()
}

// isOwn reports whether a word of a command is a file of the skill.
func isOwn(word string, own func(name string) bool) bool {
	word = strings.ReplaceAll(strings.Trim(word, `"'`), `\`, "/") // as on Windows
	for rest, more := word, true; more; _, rest, more = strings.Cut(rest, "/") {
		if rest != "" && own(path.Clean(rest)) {
			return true
		}
	}
	return strings.Contains(word, "scripts/") || strings.Contains(word, "{baseDir}") || strings.Contains(word, "SKILL_DIR")
}

// isTask reports whether a command does something for the task.
func isTask(c Command) bool {
	name := c.Words[0].Text
	if len(c.Words) < 2 || !commandName().MatchString(name) || slices.Contains(strings.Fields(aside), name) {
		return false
	}
	installs := slices.ContainsFunc(c.Words[1:min(len(c.Words), 6)], func(w Word) bool {
		return slices.Contains([]string{"install", "add", "i", "--version", "-v", "--help", "skills", "plugin", "clone", "init", "create"}, w.Text)
	})
	return !installs
}

// isExample reports whether code is the text of a script, rather than commands to run.
func isExample(code string) bool {
	return strings.Contains(code, "#!") || strings.Contains(code, "() {") || strings.Contains(code, "set -e") || strings.Count(code, "\n") > 40
}
