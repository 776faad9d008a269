package spec

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"skills/internal/markdown"
)

var scriptTarget = &Rule{
	ID:     "script-target",
	Title:  "scripts that commands run are in the skill",
	Level:  Warning,
	Needs:  NeedsBody,
	Source: "agentskills.io, using scripts: paths in commands are relative to the skill's folder",
	Check: func(p *Pass) {
		f := p.Doc.folder()
		if f == nil {
			return
		}
		told := map[string]bool{}
		for _, in := range p.Doc.linked() {
			t := scriptCheck{p, f, in.page, isGuide(in.body()), told}
			if in.depth > 0 && (isTemplate(in.name) || !strings.Contains(in.body(), "scripts/")) {
				continue
			}
			t.commands()
			if in.depth == 0 {
				t.prose()
				t.named()
			}
		}
	},
}

// commands looks at all the commands in a page's code.
func (t scriptCheck) commands() {
	moved := -1 // the piece of code that went to another folder
	for _, c := range t.own.commands() {
		piece := pieceOf(t.own.Code, c.words[0].start)
		switch c.words[0].text {
		case "cd", "pushd", "Set-Location":
			moved = piece
		}
		if moved < 0 || moved != piece {
			t.command(c)
		}
	}
}

// pieceOf returns the index of the code in which a place is.
func pieceOf(code []markdown.Code, at int) int {
	lo, hi := 0, len(code)
	for lo < hi {
		if mid := (lo + hi) / 2; code[mid].Start <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

type scriptCheck struct {
	*Pass
	folder *folder
	own    *page
	guide  bool
	told   map[string]bool // names that are not there and were looked at
}

// command looks at one command in code.
func (t scriptCheck) command(c command) {
	w, program, ok := scriptArgument(c.words)
	if !ok {
		return
	}
	name, sure := scriptPath(w.text)
	// A path alone in a span, or in a block that may be a listing, is a name
	// and no command.
	alone := !program && len(c.words) == 1 && (!c.block || c.lang == "")
	if name == "" || !sure && alone || !program && !sure && !strings.HasPrefix(name, "scripts/") {
		return
	}
	t.report(name, w.start, w.end, program, sure)
}

// proseCommand is a command that is not marked as code.
var proseCommand = newPattern(`(?:^|[\s(])(?:python3?|bash|sh|zsh|node|deno run|bun run|bun|tsx|npx tsx|uv run(?: python3?)?|ruby|perl|pwsh|Rscript|php) ((?:\./)?scripts/[\w./-]*\w)`)

func (t scriptCheck) prose() {
	const dir = "scripts/"
	body := t.own.body()
	for from := 0; ; {
		n := strings.Index(body[from:], dir)
		if n < 0 {
			return
		}
		at := from + n
		from = at + len(dir)
		i, _ := slices.BinarySearchFunc(t.own.Prose, from, func(s markdown.Stretch, at int) int { return cmp.Compare(s.End, at) })
		if i == len(t.own.Prose) || at < t.own.Prose[i].Start {
			continue
		}
		s := t.own.Prose[i]
		line := body[s.Start:s.End]
		from = s.End
		for _, at := range proseCommand().FindAllStringSubmatchIndex(line, 20) {
			if name, sure := scriptPath(line[at[2]:at[3]]); name != "" && isScriptName(name) {
				t.report(name, s.Start+at[2], s.Start+at[3], true, sure)
			}
		}
	}
}

// named looks at the scripts that a sentence tells to run or use, by their path
// alone. Where the skill has no scripts/, it has to be run in so many words, or
// stand in a list of the skill's scripts: much of what is named so is the
// project's.
func (t scriptCheck) named() {
	for _, m := range t.own.bareReferences() {
		if !m.isScript() {
			continue
		}
		if actual, _ := t.folder.find(m.path); actual != "" ||
			t.folder.isDir("scripts") && demanded(t.own, m, t.guide) || m.code && ordered(t.own.body(), m.start, m.end) || offered(t.own, m) {
			t.report(m.path, m.start, m.end, true, false)
		}
	}
}

// projectWords tell that a command is meant for somebody's project, theirScript
// does so in an introduction, and theirWords tell that it may be.
var (
	projectWords = newPattern(`(?:^|[^\pL])(?:project|projects|repo|repos|repository|workspace|codebase|monorepo|plugin|plugins|upstream|checkout|clone)(?:[^\pL]|$)`)
	theirScript  = newPattern(`(?:^|[^\pL])(?:project|repo|repository|workspace|codebase|monorepo|plugin)['’]s (?:[^ ]+ ){0,3}scripts?(?:[^\pL]|$)`)
	theirWords   = newPattern(`(?:^|[^\pL])(?:app|your|their)(?:[^\pL]|$)`)
)

// report tells of a script that is not there, unless it may be somewhere else.
func (t scriptCheck) report(name string, start, end int, program, sure bool) {
	actual, known := t.folder.find(name)
	const most = 1000 // different names that are not there
	if beside := path.Join(path.Dir(t.own.name), name); t.own.name != "" && t.folder.has(beside) {
		return // named from the file's own folder
	}
	if !known || t.folder.has(name) || t.told[name] || t.Full() || len(t.told) > most {
		return
	}
	t.told[name] = true
	top, _, _ := strings.Cut(name, "/")
	help := "add the script, or correct the path"
	guess := t.folder.guess(name)
	if guess != "" {
		help = "did you mean " + show(guess) + "?"
	}
	span := t.own.place(start, end)
	if actual != "" {
		t.ReportIn(t.own.path(t.Pass), span, nil, "write it as it is on disk: "+show(actual), "%s is called %s on disk, which is another file where upper and lower case differ", quote(name), quote(actual))
		return
	}
	body := t.own.body()
	before, after := around(body, start, end)
	above := t.own.introduction(start)
	switch {
	case sure:
	case t.guide && guess == "":
		return // an example of another skill
	case projectWords().MatchString(before), theirs().MatchString(strings.TrimLeft(after, "`")), theirScript().MatchString(above), t.folder.aboveHas(name):
		return // the project's
	case t.folder.isDir(top):
		if top != "scripts" && (!program || !isScriptName(name)) {
			return
		}
	case top != "scripts" || path.Dir(name) == "." || !isScriptName(name):
		return // a script of the folder in which the agent works
	case theirWords().MatchString(before) || projectWords().MatchString(after) || projectWords().MatchString(above) || theirWords().MatchString(above):
		return
	}
	if produced(t.own, name) {
		return
	}
	t.ReportIn(t.own.path(t.Pass), span, nil, help, "the script %s does not exist in the skill's folder", quote(name))
}
