package rules

// What makes a script hard to use for an agent is a form in its language, and what makes
// that harmless is another. A script is reported if it has the first and lacks the second
// anywhere: one mention of --help, an exit code or a question is enough.

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/prompts"
)

var scriptHelp = &spec.Rule{
	ID:     "script-help",
	Title:  "scripts with arguments explain them",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: --help is how an agent learns what a script takes",
	Check: func(p *spec.Pass) {
		reportScripts(p, argumentForms, "print a usage text for --help and for missing arguments", "%s takes arguments and has no --help or usage text%s")
	},
}

// scriptForms maps a language to patterns for what scripts do and for what
// makes it harmless.
type scriptForms map[string]scriptForm

// scriptForm is the patterns of a language. The expressions are slow, so every
// script that matches contains one of the words, and the texts are common matches
// of harmless.
type scriptForm struct {
	words, texts []string
	done         func() *regexp.Regexp
	harmless     func() *regexp.Regexp
	// given is a pattern for an assignment of an argument to the variable %s. If it
	// is set, only matches count whose group is an argument or such a variable, or is
	// empty.
	given string
}

func (f scriptForm) find(src []byte) (at []int) {
	if !holdsAny(src, f.words) || holdsAny(src, f.texts) {
		return nil
	}
	matches := f.done().FindAllSubmatchIndex(src, 100)
	i := slices.IndexFunc(matches, func(at []int) bool { return f.given == "" || f.isGiven(src, at) })
	if i < 0 || f.harmless().Match(src) {
		return nil
	}
	return matches[i][:2]
}

// isGiven reports whether a match deletes what an argument names.
func (f scriptForm) isGiven(src []byte, at []int) bool {
	for i := 2; i < len(at); i += 2 {
		if at[i] < 0 {
			continue
		}
		variable := string(src[at[i]:at[i+1]])
		if !argument().MatchString(variable) {
			at = regexp.MustCompile(fmt.Sprintf(f.given, regexp.QuoteMeta(variable))).FindIndex(src)
		}
		return at != nil && !temporary().MatchString(variable) && !isParameter(src, at)
	}
	return true
}

// isParameter reports whether a use of an argument such as $1 is in a function other
// than main, which has arguments of its own.
func isParameter(src []byte, at []int) bool {
	all := functions().FindAllSubmatch(src[:at[0]], -1)
	return bytes.IndexByte(src[at[0]:at[1]], '$') >= 0 && len(all) > 0 && len(all[len(all)-1][1]) > 0
}

// argumentForms match scripts that read arguments, and those that document
// them.
var argumentForms = scriptForms{
	"python": {words: []string{"sys.argv["}, texts: []string{"argparse", "usage:", "Usage:", "--help"},
		done:     lazyregexp.New(`\bsys\.argv\[(?:[1-9]|1:)\]?`),
		harmless: lazyregexp.New(`(?i)usage|--help|argparse|\bclick\b|\btyper\b|docopt|optparse|\bfire\b|absl|getopt|tyro|simple_parsing|cyclopts|plac\b|print\(__doc__|\bimport [^\n]*\bmain\b`)},
	"shell": {words: []string{"${1:?", "$#", "getopts", "case "}, texts: []string{"usage:", "Usage:", "--help"},
		done:     lazyregexp.New(`(?m)^[^#\n]*(?:\$\{1:\?|\$# *(?:-lt|-eq|-ne|<|!=)|\bgetopts\b|\bcase +"?\$\{?1\b)`),
		harmless: lazyregexp.New(`(?i)usage|--help|用法|\bhelp\)`)},
	"javascript": {words: []string{"process.argv", "Deno.args", "Bun.argv"}, texts: []string{"usage:", "Usage:", "--help"},
		done:     lazyregexp.New(`\bprocess\.argv(?:\[[2-9]\]|\.slice\(2\))|\b(?:Deno\.args|Bun\.argv)\b`),
		harmless: lazyregexp.New(`(?i)usage|--help|commander|yargs|parseArgs|minimist|\bcac\b|\bmeow\b|citty|oclif|sade\b|arg\(`)},
}

var scriptOutput = &spec.Rule{
	ID:     "script-output",
	Title:  "scripts report errors on standard error, with an exit code",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: errors on standard error",
	Check: func(p *spec.Pass) {
		reportScripts(p, errorForms, "print it to standard error, and end with an exit code other than 0", "%s prints an error to standard output and ends with exit code 0%s")
	},
}

// errorForms match scripts that exit successfully after an error, and those
// that do report failures.
var errorForms = scriptForms{
	"python": {words: []string{"__main__", "\nexcept "}, texts: []string{"exit(1", " raise "},
		done: lazyregexp.New(`(?m)^(?:    |\t)?except\b[^\n]*:[ \t]*(?:\r?\n)?` + pythonError + `\s*\z` +
			`|^` + pythonError + `[ \t]*\r?\n(?:[ \t]*\w+\.print_(?:help|usage)\(\)[ \t]*\r?\n)?[ \t]*(?:return(?:[ \t]+None)?[ \t]*(?:#[^\n]*)?|(?:sys\.)?exit\((?:0)?\))\r?$(?s:.*)__main__`),
		harmless: lazyregexp.New(`exit\([^0)\s]|SystemExit|os\._exit|\braise\b|return[ \t]+[1-9]|exit_code|check=True`)},
	"shell": {words: []string{"echo"}, texts: []string{"exit 1", "set -e"},
		done:     lazyregexp.New(`(?m)^[ \t]*echo[ \t]+(?:-e[ \t]+)?["'](?:❌[^\n>]*|(?i:error|fatal)\b[^\n>]*)\r?\n[ \t]*exit(?:[ \t]+0)?[ \t]*\r?$`),
		harmless: lazyregexp.New(`exit[ \t]+[1-9$"]|set -e|return[ \t]+[1-9]`)},
	"javascript": {words: []string{"console.log("}, texts: []string{"exit(1", " throw "},
		done:     lazyregexp.New(`(?m)^[ \t]*console\.log\(["'` + "`" + `][^"'\n]{0,4}(?:❌[^\n]*|(?i:error|fatal|failed)\b)[^\n]*\);?[ \t]*\r?\n[ \t]*(?:return;?|process\.exit\((?:0)?\);?)\r?$`),
		harmless: lazyregexp.New(`exit\([1-9a-z]|exitCode|\bthrow\b|Deno\.exit`)},
}

// pythonError prints an error.
const pythonError = `[ \t]*print\([frb]*["'][^"'\n]{0,4}(?:❌[^"'\n]*|(?i:error|fatal|failed)\b)(?:[^\n=]|[^\ne]=)*\)`

// reportScripts reports the scripts that match as one finding, at the first match.
func reportScripts(p *spec.Pass, forms scriptForms, help, message string) {
	var first *text
	var at []int
	count := 0
	for t, language := range scripts(p.Doc) {
		if found := forms[language].find(t.src); found != nil {
			count++
			if first == nil {
				first, at = t, found
			}
		}
	}
	if first == nil {
		return
	}
	start := at[1] - len(bytes.TrimLeft(first.src[at[0]:at[1]], " \t\r\n"))
	line, _, _ := bytes.Cut(first.src[start:at[1]], []byte("\n"))
	first.report(p, start, start+len(bytes.TrimRight(line, "\r")), help, message, printable.Quote(first.name), andMore(count, "script"))
}

var scriptDestructive = &spec.Rule{
	ID:     "script-destructive",
	Title:  "scripts do not delete files without a flag or confirmation",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: destructive operations need a flag, a confirmation or a dry run",
	Check: func(p *spec.Pass) {
		reportScripts(p, deletionForms, "ask for a flag such as --force, or offer --dry-run: an agent may run it with a wrong path", "%s deletes files without a flag or a dry run%s")
	},
}

// deletionForms match scripts that delete folders or discard changes, and those
// that ask first.
var deletionForms = scriptForms{
	"shell": {words: []string{"rm ", "git ", "-delete"},
		done: lazyregexp.New(`(?m)^[ \t]*(?:(?:\[[^\n]*\][ \t]*&&|if[ \t][^\n]*then|\w+=[^\n;]*;)[ \t]*)?(?:` +
			`rm[ \t]+-[a-zA-Z]*[rR][a-zA-Z]*(?:[ \t]+-\w+)*[ \t]+(?:--[ \t]+)?` + shellFolder + `(?:["']?/["']?\*|/?["']?)[ \t]*(?:\r?$|[;&|#]|\d?>)` +
			`|find[ \t]+` + shellFolder + `/?["']?(?:[ \t]+-(?:mindepth|maxdepth|type|depth)(?:[ \t]+[\dfd])?)*[ \t]+-(?:delete|exec[ \t]+rm)\b|git[ \t]+(?:clean[ \t]+-[a-z]*f[a-z]*|reset[ \t]+--hard[ \t]*\r?$|checkout[ \t]+(?:--[ \t]+)?\.[ \t]*\r?$))`),
		harmless: asksFirst, given: `(?m)^[ \t]*(?:local[ \t]+|readonly[ \t]+)?%s=["']?\$\{?[1-9](?:[:%%](?:[^\n$}]|\$[^\n({]|\$\([^m\n}])*)?\}?["']?[ \t]*(?:[;&|#)]|\r?$)`},
	"python": {words: []string{"rmtree("},
		done:     lazyregexp.New(`\brmtree\([ \t]*((?:args\.|sys\.argv\[)?\w+)\]?[ \t]*[,)]`),
		harmless: asksFirst, given: `\b%s[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*(?:[\w.]+\()?(?:args\.|sys\.argv)`},
	"javascript": {words: []string{"rmSync(", "rm("},
		done:     lazyregexp.New(`\b(?:rmSync|rmdirSync|rm)\([ \t]*(\w+|process\.argv\[[2-9]\])[ \t]*,[ \t]*\{[^}]*recursive`),
		harmless: asksFirst, given: `(?m)\b%s[ \t]*=[^\n;]*process\.argv`},
	"ruby": {words: []string{"rm_r", "rmtree", "remove_dir"},
		done:     lazyregexp.New(`(?m)\b(?:rm_rf?|rmtree|remove_dir)[ (]+(\w+|ARGV\[\d\]|ARGV\.first)[ \t]*(?:[,);]|\r?$)`),
		harmless: asksFirst, given: `(?m)^[ \t]*%s[ \t]*=[ \t]*ARGV`},
}

// shellFolder is a variable of a shell, without the end of a quoted one.
const shellFolder = `["']?\$\{?(\w+|@)(?::[?-][^}\n]*)?\}?`

var (
	argument = lazyregexp.New(`^(?:[1-9@]|args\.|sys\.argv|process\.argv|ARGV)`)
	// functions matches where functions of a shell start and end; only those that have
	// arguments of their own have a group.
	functions = lazyregexp.New(`(?m)^\}|^(?:function[ \t]+)?main\b|^(function[ \t]+[\w-]+[^\n}]*$|[\w-]+[ \t]*\(\)[^\n}]*$)`)
	asksFirst = lazyregexp.New(`(?i)\by/n\b|are you sure|dry.?run|--(?:force|yes|confirm|delete|overwrite|clean|purge|replace)\b|\bconfirm|\binput\(|read -[a-z]*p|isatty|\[\[? -t 0|readline|/tmp/\*`)
	temporary = lazyregexp.New(`(?i)te?mp|cache|stag|work|build`)
)

func holdsAny(src []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(src, []byte(w)) })
}

var scriptInteractive = &spec.Rule{
	ID:     "script-interactive",
	Title:  "scripts do not wait for user input",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: no interactive prompts",
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%d scripts wait for user input: %s", len(places), printable.List(subjects(places), 5))
	},
	Check: func(p *spec.Pass) {
		for t, language := range scripts(p.Doc) {
			found := prompts.Find(language, t.src)
			if len(found) == 0 {
				continue
			}
			first := found[0]
			t.report(p, first.Start, first.End, "take the answer as an argument, or ask only where standard input is a terminal: no one can type when an agent runs it",
				"%s waits for user input%s", printable.Quote(string(t.src[first.Start:first.End])), andMore(len(found), "line")).
				In("scripts", printable.Quoted(t.name))
		}
	},
}
