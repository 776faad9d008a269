package rules

import (
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var interpreterRule = &spec.Rule{
	ID:     "interpreter",
	Title:  "commands run scripts with the interpreter of their language",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "the interpreters: each reads its own language",
	Fix:    "replaces the interpreter in front of a script of the skill",
	Check: func(p *spec.Pass) {
		for _, in := range skillOf(p).instructions() {
			for _, c := range in.Commands() {
				if !p.Full() {
					checkInterpreter(p, in, &in.text, c, in.start)
				}
			}
		}
		for t, language := range scripts(p.Doc) {
			if language != "shell" {
				continue
			}
			for _, c := range references.ShellCommands(string(t.src)) {
				if !p.Full() {
					checkInterpreter(p, nil, t, c, 0)
				}
			}
		}
	},
}

// interpreted maps programs to the language that they read. Perl is not one of them: it
// starts what the first line of a script names. Bun runs shell scripts.
var interpreted = map[string]string{
	"python": "python", "python3": "python", "py": "python",
	"bash": "shell", "sh": "shell", "zsh": "shell", "dash": "shell",
	"node": "javascript", "tsx": "javascript", "ts-node": "javascript",
	"ruby": "ruby", "php": "php", "lua": "lua", "Rscript": "r",
}

// interpretersOf maps a language to the program that a command should start.
var interpretersOf = map[string]string{
	"python": "python3", "shell": "bash", "javascript": "node", "ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "r": "Rscript", "powershell": "pwsh",
}

var (
	versioned = lazyregexp.New(`^python[23]\.?\d*$`)
	wrong     = lazyregexp.New(`(?i)❌|✗|\b(?:wrong|bad|incorrect|never|not|don['’]t|avoid|instead|fails?|error|broken)\b`)
)

// started is a script that a command starts with a program.
type started struct {
	program  references.Word // as written
	name     string          // of the program that reads the script
	language string          // that it reads
	script   references.Word
	direct   bool // the program is the first word, and the script the second
}

// startedScript returns the script that a command starts; ok is false if there is none.
func startedScript(words []references.Word) (s started, ok bool) {
	s = started{program: words[0], name: words[0].Text, direct: true}
	environment := len(words) > 2 && words[1].Text == "run"
	switch {
	case environment && s.name == "deno":
		s.name, s.direct, words = "node", false, words[1:]
	case environment && slices.Contains([]string{"uv", "poetry", "pipenv"}, s.name):
		s.name, s.direct, words = "python", false, words[1:]
		if interpreted[words[1].Text] != "" {
			s.name, words = words[1].Text, words[1:]
		}
	}
	if versioned().MatchString(s.name) {
		s.name = "python"
	}
	s.language = interpreted[s.name]
	if s.language == "" || len(words) < 2 {
		return s, false
	}
	s.script = words[1]
	return s, !strings.HasPrefix(s.script.Text, "-")
}

// checkInterpreter reports a command that starts a script with the interpreter of another
// language. in is the page with the command, nil in a script; base is added to offsets.
func checkInterpreter(p *spec.Pass, in *page, t *text, c references.Command, base int) {
	s, ok := startedScript(c.Words)
	written := references.Language(s.script.Text, nil)
	should := interpretersOf[written]
	if !ok || should == "" || written == s.language {
		return
	}
	own := strings.TrimPrefix(strings.TrimPrefix(s.script.Text, fromSkill().FindString(s.script.Text)), "./")
	file, exists := fileOf(p.Doc, own)
	if isPath := strings.Contains(own, "/") && c.Block && !references.IsPlaceholder(own); !exists && !isPath {
		return
	}
	if exists {
		if script := readText(p.Doc, file); script != nil && references.Language("", script.src) == s.language {
			return // the extension is wrong
		}
	}
	first, last := base+s.program.Start, base+s.script.End
	if in != nil && in.showsMistake(first, s) {
		return
	}
	var fix *spec.Fix
	if unquoted := isUserByte(t.src[first]); exists && s.direct && unquoted {
		end := first + len(s.program.Text)
		fix = &spec.Fix{Description: "run it with " + should, Edits: []spec.Edit{{File: t.name, Start: first, End: end, Text: should}}}
	}
	p.ReportIn(t.path(p), t.span(first, last), fix, "write "+should+" "+shorten(s.script.Text),
		"%s does not run %s, which is a script for %s", s.name, printable.Quote(path.Base(s.script.Text)), should)
}

// showsMistake reports whether the text around a command says that it is wrong.
func (p *page) showsMistake(at int, s started) bool {
	return wrong().Match(p.lineAround(at)) || wrong().MatchString(p.Introduction(s.program.Start)) || p.Sentence(s.program.Start, s.script.End).IsExample()
}
