package rules

// What commands start is compared with a table of programs. Those that nearly every machine
// has are skipped, and those that the skill mentions as a requirement are not reported.

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/programs"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var prerequisites = &spec.Rule{
	ID:     "prerequisites",
	Title:  "compatibility names the programs that commands need",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: `specification, "compatibility field": required system packages`,
	Check: func(p *spec.Pass) {
		needed := slices.DeleteFunc(neededPrograms(p), func(n need) bool { return n.Documented })
		if len(needed) == 0 {
			return
		}
		var names []string
		for _, n := range needed {
			names = append(names, n.File)
		}
		first := needed[0]
		first.in.report(p, first.start, first.end, "add a line such as compatibility: Requires "+listed(names),
			"commands need %s, which compatibility does not name", printable.Quoted(listed(names)))
	},
}

// Need is a program that commands of a skill start.
type Need struct {
	File       string // its executable
	Install    string // how to install it
	In         string // the file with the command, relative to the skill
	Documented bool   // the skill mentions the requirement, or is about the program
}

// need is a Need with the position of its first command.
type need struct {
	Need
	in         *text
	start, end int
}

// Needs returns the programs of the table that commands of a skill start and
// that are not part of most systems, in the order of their first commands.
func Needs(doc *spec.Document) []Need {
	var out []Need
	for _, n := range neededPrograms(spec.NewPass(doc, prerequisites, spec.Options{})) {
		out = append(out, n.Need)
	}
	return out
}

// assumed lists programs that nearly every machine with an agent has, and tool
// chains that everyone with such a project has.
var assumed = sync.OnceValue(func() map[string]bool {
	const names = `git curl wget unzip openssl perl bash sh zsh make python3 python pip3 pip node npm npx ssh rsync tmux
	poetry pdm conda pnpm yarn bun deno cargo rustc go dotnet java mvn gradle ruby php composer gcc clang cmake pipx git-lfs dot`
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
})

func neededPrograms(p *spec.Pass) []need {
	const most = 20
	var out []need
	seen := map[string]bool{}
	own := skillOf(p).own()
	add := func(t *text, base int, commands []references.Command) {
		for _, c := range commands {
			w := c.Words[0]
			row, ok := programs.OfFile(w.Text)
			if !ok || seen[w.Text] || len(out) >= most {
				continue
			}
			if assumed()[w.Text] {
				continue
			}
			isCommand := c.Block && c.Lang != "" || !c.Block && len(c.Words) > 1 && own.Sentence(w.Start, w.End).IsRunInstruction()
			if !isCommand {
				continue
			}
			if w.Text == "uv" && !runsFile(c.Words) {
				continue // a project's tool chain
			}
			seen[w.Text] = true
			if isOptional(t.src, w.Text) {
				continue
			}
			what := Need{File: w.Text, Install: row.Install, In: cmp.Or(t.name, p.Doc.File), Documented: isDocumented(p.Doc, row)}
			out = append(out, need{Need: what, in: t, start: base + w.Start, end: base + w.End})
		}
	}
	add(&own.text, own.start, own.Commands())
	for t, language := range scripts(p.Doc) {
		if language == "shell" {
			add(t, 0, references.ShellCommands(string(t.src)))
		}
	}
	return out
}

// runsFile reports whether a uv command runs a Python file.
func runsFile(words []references.Word) bool {
	i := slices.IndexFunc(words, func(w references.Word) bool { return strings.HasSuffix(w.Text, ".py") })
	return i > 0 && !slices.ContainsFunc(words[:i], func(w references.Word) bool { return w.Text == "pytest" })
}

// isOptional reports whether a script tests for a program.
func isOptional(src []byte, program string) bool {
	return slices.ContainsFunc([]string{"command -v ", "which ", "type -P ", "hash ", "Get-Command "}, func(test string) bool { return bytes.Contains(src, []byte(test+program)) })
}

// demanding matches lines about what to install.
var demanding = lazyregexp.New(`(?i)install|requir|prerequisite|depend|\bneeds?\b|must have|available|on (?:the |your )?path|\bcli\b|setup|如果没有|安装|需要|依赖`)

// isDocumented reports whether a skill mentions that it requires a program: in
// compatibility, in its name or description, or in a line about installing it.
func isDocumented(doc *spec.Document, program programs.Program) bool {
	if docker, _ := programs.OfFile("docker"); program.Files[0] == "docker-compose" && isDocumented(doc, docker) {
		return true
	}
	for _, field := range []string{"compatibility", "name", "description", "allowed-tools"} {
		if program.IsNamed(strings.NewReplacer("-", " ", "(", " ").Replace(doc.Text(field))) {
			return true
		}
	}
	if m := doc.Field("metadata"); m != nil && program.IsNamed(doc.At(m.Value.Span)) {
		return true
	}
	if !program.IsNamed(doc.Body) {
		return path.Base(doc.Path) != spec.FileName // only in a script
	}
	for line := range strings.Lines(doc.Body) {
		if program.IsNamed(line) && demanding().MatchString(line) {
			return true
		}
	}
	return false
}
