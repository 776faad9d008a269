package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/printable"
)

// approvalPrompt is the prompt for approval of a script. Its values come from a skill or a
// model, so each is quoted, indented and truncated to one row. No value can look like a
// row of ours, and the rows fit the screen.
type approvalPrompt struct {
	text, choice string

	req     skills.Request
	columns int
}

// Rows of the screen that a prompt leaves empty, and columns before a value.
const (
	freeRows = 4
	indent   = "             "
)

// newApprovalPrompt returns the prompt for a terminal; named means that the user named the
// script.
func newApprovalPrompt(req skills.Request, named bool, columns, rows int) approvalPrompt {
	p := approvalPrompt{req: req, columns: max(columns, len(indent)+7)}
	width := p.columns - 1 - len(indent) // the last column may wrap
	cut := false
	row := func(label, value string, fit func(string, int) string) string {
		fitted := fit(value, width)
		cut = cut || fitted != value
		return fmt.Sprintf("  %-*s%s\n", len(indent)-2, label, fitted)
	}
	needed := []string{
		row("server", quote(req.Skill), printable.Fit),
		row("tool", quote(req.Script), printable.FitMiddle),
		row("arguments", p.arguments(), printable.Fit),
	}
	if !req.MCP {
		needed = []string{
			row("skill", quote(req.Skill), printable.Fit),
			row("script", quote(req.Script), printable.FitMiddle),
			row("arguments", p.arguments(), printable.Fit),
			row("folder", quote(req.Dir), printable.FitMiddle),
			row("sandbox", p.sandbox(), printable.Fit),
		}
	}
	var notes []string // most important first
	if req.Changed {
		notes = append(notes, row("warning", "changed since it was listed or approved", printable.Fit))
	}
	if len(req.Unseen) > 0 {
		notes = append(notes, row("not seen", strings.Join(each(req.Unseen, quote), " ")+" ([r] runs it and lets it read)", printable.FitMiddle))
	}
	if len(req.Gaps) > 0 {
		notes = append(notes, row("unenforced", printable.Strict(strings.Join(req.Gaps, "; ")), printable.Fit))
	}
	if req.AllowedTools != "" {
		notes = append(notes, row("note", "the skill asks for "+quote(req.AllowedTools), printable.Fit))
	}
	left := rows - freeRows - 1 - len(needed) // and the choices
	hidden := 0
	if len(notes) > left {
		hidden = len(notes) - max(left, 0)
		notes = notes[:max(left, 0)]
	}
	p.text = strings.Join(append(needed, notes...), "")
	if who := "The model wants to run a script:\n"; left > len(notes) {
		switch {
		case req.MCP:
			who = "The model wants to call a tool of an MCP server:\n"
		case named:
			who = "You asked to run a script:\n"
		}
		if p.text = who + p.text; left > len(notes)+1 {
			p.text = "\n" + p.text
		}
	}
	p.choice = p.choices(named, cut, hidden)
	return p
}

// choices returns the longest row of choices that fits.
func (p approvalPrompt) choices(named, cut bool, hidden int) string {
	words, end := []string{"[y]es"}, ": "
	if len(p.req.Unseen) > 0 {
		words = append(words, "[r]ead and run")
	}
	words = append(words, "[n]o")
	if !named {
		words, end = append(words, "[a]lways"), "  (n REASON tells the model why): "
	}
	view, more := "[v]iew", ""
	switch {
	case hidden > 0:
		more = fmt.Sprintf("(v: %d more notes) ", hidden)
		view += fmt.Sprintf(" (%d more notes)", hidden)
	case cut:
		view += " all"
	}
	words = append(words, view, "[?]")
	for _, row := range []string{strings.Join(words, "  ") + end, strings.Join(words, " ") + " "} {
		if len(row) <= p.columns-4 {
			return row
		}
	}
	return "[" + strings.Join(each(words, func(word string) string { return word[1:2] }), "/") + "] " + more
}

func (p approvalPrompt) arguments() string {
	switch {
	case p.req.Command == nil:
		var compact bytes.Buffer
		if json.Compact(&compact, p.req.Arguments) != nil {
			return quote(string(p.req.Arguments))
		}
		return printable.Strict(compact.String())
	case len(p.req.Args) == 0:
		return "(none)"
	}
	return strings.Join(each(p.req.Args, ShellWord), " ")
}

func (p approvalPrompt) sandbox() string {
	switch {
	case p.req.Command == nil:
		return "not needed: it is part of this program"
	case p.req.Sandbox == "none":
		return "no sandbox: it can do all that you can do"
	}
	return p.req.Sandbox
}

// view returns everything about the script, in rows that fit.
func (p approvalPrompt) view() []string {
	var out []string
	list := func(title string, values ...string) {
		out = append(out, title)
		for _, v := range values {
			for i, piece := range printable.Wrap(v, p.columns-7) {
				mark := "  | "
				if i > 0 {
					mark = "  : " // continues the value
				}
				out = append(out, mark+piece)
			}
		}
	}
	r := p.req
	if r.MCP {
		list("Server and tool", quote(r.Skill), quote(r.Script))
		list("Arguments", printable.Strict(string(r.Arguments)))
		return out
	}
	list("Skill and script", quote(r.Skill), quote(r.Script))
	if r.Command == nil {
		list("Arguments", printable.Strict(string(r.Arguments)))
	} else {
		list("Command, one argument a row", each(r.Command, ShellWord)...)
	}
	list("Working folder", quote(r.Dir))
	if len(r.Unseen) > 0 {
		list("Files that it names and the sandbox does not show (r lets it read them)", each(r.Unseen, printable.Strict)...)
	}
	list("Sandbox", append([]string{p.sandbox()}, each(r.Gaps, printable.Strict)...)...)
	if r.AllowedTools != "" {
		list("The skill asks for (you decide)", quote(r.AllowedTools))
	}
	if r.Changed {
		list("Changed since it was listed")
	}
	if r.Command != nil {
		text, err := r.Source()
		if err != nil {
			list("The script cannot be shown", printable.Strict(err.Error()))
			return out
		}
		lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
		for i, line := range lines {
			lines[i] = printable.Strict(strings.ReplaceAll(line, "\t", "    "))
		}
		list("Text of the script", lines...)
	}
	return out
}

// each applies f to a list; nil stays nil.
func each(list []string, f func(string) string) []string {
	var out []string
	for _, s := range list {
		out = append(out, f(s))
	}
	return out
}

// quote quotes a value so that its end is unambiguous.
func quote(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(printable.Strict(s), `\`, `\\`), `"`, `\"`) + `"`
}

// ShellWord quotes a word for a shell if necessary; control characters become visible.
func ShellWord(w string) string {
	w = printable.Strict(w)
	if w == "" || strings.ContainsFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%{}", r)
	}) {
		w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

const (
	// userDenied is the reason for the model if the user gave none.
	userDenied = "the person at the terminal said no"

	answerHelp = "  y  run it this once\n" +
		"  a  run it, now and later in this run\n" +
		"  n  deny it; you may give a reason\n" +
		"  v  view the script and all arguments\n"
)

func (p approvalPrompt) help() string {
	if len(p.req.Unseen) == 0 {
		return answerHelp
	}
	return answerHelp + "  r  run it, and let it read those files\n"
}

// readAnswer parses a line: yes, always, or no followed by the reason. Only a clear yes
// counts; ok is false for other text.
func readAnswer(line string) (answer skills.Answer, ok bool) {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return skills.Answer{Approved: true}, true
	case "a", "always":
		return skills.Answer{Approved: true, Remember: true}, true
	case "r", "read":
		return skills.Answer{Approved: true, Read: true}, true
	}
	word, why, _ := strings.Cut(line, " ")
	if no := strings.ToLower(strings.TrimRight(word, ",.:;")); no != "n" && no != "no" {
		return skills.Answer{}, false
	}
	reason := userDenied
	if why = strings.TrimSpace(why); why != "" {
		reason += ": " + printable.TruncateMiddle(printable.Line(why), 1000)
	}
	return skills.Answer{Reason: reason}, true
}
