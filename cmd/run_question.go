package cmd

import (
	"fmt"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/printable"
)

// question shows what would run, and the choice there is: everything in it comes
// from a skill or a model, so nothing in it may move the cursor or push the rest
// off the screen. What is long is cut, and said to be, unless all of it is asked
// for.
func question(req skills.Request, whole bool) (text, choice string) {
	return questionOf(req, whole, "The model wants to run the script", "[y]es, [n]o (n and why, for the model), ", "[a]lways this script")
}

// questionOf is a question that begins with who wants it. What can be answered
// stands in two parts: to see all of it is offered between them.
func questionOf(req skills.Request, whole bool, who, answers, last string) (text, choice string) {
	cut := false
	some := func(s string, most int) string {
		s = printable.Line(s)
		if short := printable.TruncateMiddle(s, most); !whole && short != s {
			s, cut = short, true
		}
		return s
	}
	name := some(printable.Line(req.Skill)+"/"+printable.Line(req.Script), 200)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s\n", who, name)
	if req.Command != nil {
		fmt.Fprintf(&b, "  command  %s\n", some(shellWords(req.Command), 1500))
	} else {
		fmt.Fprintf(&b, "  arguments  %s\n", some(string(req.Arguments), 1500))
	}
	fmt.Fprintf(&b, "  folder   %s\n  sandbox  %s\n", printable.Line(req.Dir), printable.Line(req.Sandbox))
	for _, gap := range req.Gaps {
		fmt.Fprintf(&b, "           open: %s\n", some(gap, 300))
	}
	if req.Changed {
		b.WriteString("  note     the script has changed since it was listed or approved\n")
	}
	if req.AllowedTools != "" {
		fmt.Fprintf(&b, "  note     the skill asks to use: %s; you decide all the same\n", some(req.AllowedTools, 300))
	}
	view := ""
	if cut {
		b.WriteString("  note     this is not shown whole; v shows all of it\n")
		view = "[v]iew all of it, "
	}
	return b.String(), fmt.Sprintf("Run %s? %s%s%s: ", printable.TruncateMiddle(name, 200), answers, view, last)
}

// shellWords shows a command line the way a person would type it.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%{}", r)
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
