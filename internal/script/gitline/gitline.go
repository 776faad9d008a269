// Package gitline finds the commands that write the history of a Git repository: commits,
// branches, tags, the index, working trees. What is not certain is none of them.
package gitline

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Grant is what an action with such a command is allowed, in words for people.
const Grant = "writes this repository's history"

// subcommand is a command of Git that writes.
type subcommand struct {
	name  string
	reads []string // begin the first argument of forms that only read; "" for no argument
	never []string // begin arguments that run other programs
}

func subcommands() []subcommand {
	return []subcommand{
		{name: "add"}, {name: "stage"}, {name: "rm"}, {name: "mv"}, {name: "restore"}, {name: "reset"}, {name: "commit"},
		{name: "switch"}, {name: "checkout"}, {name: "merge"}, {name: "cherry-pick"}, {name: "revert"},
		{name: "bisect", reads: []string{"", "log", "terms", "view", "visualize"}, never: []string{"run"}},
		{name: "branch", reads: []string{"", "-a", "-r", "-v", "-l", "--list", "--all", "--remotes", "--merged", "--no-merged", "--contains", "--show-current", "--format", "--sort", "--points-at"}},
		{name: "tag", reads: []string{"", "-l", "-n", "-v", "--list", "--contains", "--merged", "--points-at", "--sort", "--format", "--verify"}},
		{name: "stash", reads: []string{"list", "show"}},
		{name: "worktree", reads: []string{"", "list"}},
		{name: "rebase", never: []string{"-x", "--exec", "-i", "--interactive"}},
		{name: "push", never: []string{"--receive-pack", "--exec"}},
		{name: "fetch", never: []string{"--upload-pack"}},
		{name: "pull", never: []string{"--upload-pack"}},
	}
}

// harmless are settings that may be set for one command.
func harmless() []string {
	return []string{"user.name=", "user.email=", "commit.gpgsign=", "tag.gpgsign=", "core.quotepath=", "advice.", "color.", "init.defaultbranch="}
}

// Writes reports whether a simple command writes the history of a repository.
func Writes(words []string) bool {
	if len(words) == 0 || words[0] != "git" && words[0] != "/usr/bin/git" {
		return false
	}
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		switch option := words[0]; {
		case option == "--no-pager", option == "-P":
			words = words[1:]
		case option == "-C" && len(words) > 1:
			words = words[2:]
		case option == "-c" && len(words) > 1 && begins(strings.ToLower(words[1]), harmless()):
			words = words[2:]
		default:
			return false
		}
	}
	if len(words) == 0 {
		return false
	}
	for _, s := range subcommands() {
		if s.name != words[0] {
			continue
		}
		first := append(words[1:len(words):len(words)], "")[0]
		reads := slices.Contains(s.reads, first) || first != "" && begins(first, slices.DeleteFunc(slices.Clone(s.reads), func(form string) bool { return form == "" }))
		runs := slices.ContainsFunc(words[1:], s.runs)
		return !reads && !runs
	}
	return false
}

// runs reports whether a word is an option that runs another program, also a short form of
// one, which Git accepts too.
func (s subcommand) runs(word string) bool {
	if begins(word, s.never) {
		return true
	}
	option, _, _ := strings.Cut(word, "=")
	return len(option) > len("--") && slices.ContainsFunc(s.never, func(never string) bool { return strings.HasPrefix(never, option) })
}

func begins(word string, with []string) bool {
	return slices.ContainsFunc(with, func(begin string) bool { return strings.HasPrefix(word, begin) })
}

// Script reports whether a shell script has such a command. A word that depends on
// variables counts as empty.
func Script(name, text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	isShell := slices.Contains([]string{".sh", ".bash"}, path.Ext(name)) || strings.HasPrefix(first, "#!") && strings.HasSuffix(strings.TrimSpace(first), "sh")
	if !isShell {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if ok {
			var words []string
			for _, word := range call.Args {
				words = append(words, word.Lit()) // "" for anything but plain text
			}
			found = found || Writes(words)
		}
		return !found
	})
	return found
}
