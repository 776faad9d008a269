package doctor

import (
	"slices"
	"strings"
)

// unknown recognises a program that is not in the table, where the text can
// hardly mean anything else. It is certain in back-ticks where the sentence
// says that it is needed ("Requires `nmap`"), where it is called a program
// ("the `nmap` CLI") or is wanted on the search path. A bare word that is all
// that is needed ("Requires nmap") may be something else.
func unknown(text string, i int, about subject) (r Requirement, length int) {
	g := grammar()
	found, called := g.called.FindStringSubmatch(text[i:]), true
	if found == nil {
		found, called = g.word.FindStringSubmatch(text[i:]), false
	}
	if found == nil || i > 0 && text[i-1] == '`' {
		return Requirement{}, 0
	}
	code := found[1] != ""
	name := found[1] + found[2]
	rest := text[i+len(found[0]):]
	if !code && (slices.Contains(notPrograms(), name) || participle(name) || rest != "" && wordByte(rest, 0)) {
		return Requirement{}, 0
	}
	alone := about.demand && !about.library && (code || about.list) && aloneWord(text, name)
	onPath := g.onPath.MatchString(rest)
	if !called && !alone && !onPath {
		return Requirement{}, 0
	}
	sure := code || !called && alone && onPath
	wanted, _ := wantedVersion(rest)
	return Requirement{
		Name: name, Choices: choices([]string{name}, wanted), Install: "install " + name, Soft: !sure, Unknown: !sure && !called,
	}, len(found[0])
}

// participle reports whether a word ends as "authenticated" does.
func participle(word string) bool {
	ends := func(with string) bool { return strings.HasSuffix(word, with) }
	return len(word) > 4 && (ends("ed") || ends("ing") || ends("ly"))
}

// notPrograms are words that stand where a program's name could stand.
func notPrograms() []string {
	return strings.Fields(`the a an any all each every this that these those your our its their it them one two some none nothing
		everything something anything and or either both also only just be is are was were been being to of for in on with from by as at
		must should can may will has have had do does done use uses used using need needs needed require requires required
		access internet network networking connectivity connection online offline web browser browsers credentials credential authentication
		authorization login account accounts token tokens secrets permissions permission privileges root admin administrator
		linux macos osx windows unix posix android ios cloud gpu cpu cuda memory disk storage display desktop
		shell shells terminal console filesystem file files folder folders directory workspace workspaces repository repo repos project
		projects agent agents subagent subagents coding skill skills tool tools toolchain tooling mcp api apis sdk cli binary binaries
		command commands executable executables program programs runtime runtimes interpreter interpreters compiler environment
		environments version versions later newer above higher equivalent similar compatible alternative alternatives other others
		javascript typescript markdown html css json yaml xml sql text images image video audio vision speech
		claude codex cursor copilot gemini chatgpt openai anthropic
		coreutils findutils busybox installed available present working running locally globally package packages library libraries module modules dependencies
		tests test docs documentation configuration config setup installation python-packages requests`)
}
