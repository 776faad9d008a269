package approve

// The prompt for approval shows each fact in one row, fitted to the terminal, so that
// nothing that a skill writes can push a fact or the choices off the screen. What does not
// fit is in the view, which the user can open before answering. All values are quoted:
// control characters cannot imitate the prompt.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

// approvalPrompt is the prompt for approval of a script. Its values come from a skill or a
// model, so each is quoted, indented and truncated to one row. No value can look like a
// row of ours, and the rows fit the screen.
type approvalPrompt struct {
	text, choice string

	req     Request
	columns int
	named   bool // the user named the script
}

// Rows of the screen that a prompt leaves empty, and columns before a value.
const (
	freeRows = 4
	indent   = "             "

	maxChanged = 20 // names of changed files
)

// fact is something that a prompt for approval shows about a script: in one row, and entirely in the
// view.
type fact struct {
	label, value string
	fit          func(value string, columns int) string // to one row
	whole        []string                               // nil for the value
}

// valueFact is a fact whose beginning is shown if it does not fit.
func valueFact(label, value string) fact {
	return fact{label: label, value: value, fit: printable.Fit}
}

// pathFact is a fact whose beginning and end are shown if it does not fit.
func pathFact(label, value string) fact {
	return fact{label: label, value: value, fit: printable.FitMiddle}
}

// listFact is a fact that the view shows in a row for each of its values.
func listFact(f fact, values []string) fact {
	f.whole = printable.Map(values, printable.Strict)
	return f
}

// facts returns what has to be shown, and notes, the most important first.
func facts(r Request) (needed, notes []fact) {
	arguments := valueFact("arguments", "(none)")
	var compact bytes.Buffer
	switch {
	case r.Action.Command != nil && len(r.Args) > 0:
		arguments.value = strings.Join(printable.Map(r.Args, printable.ShellWord), " ")
	case r.Action.Command == nil && json.Compact(&compact, r.Action.Arguments) == nil:
		arguments.value = printable.Strict(compact.String())
	case r.Action.Command == nil:
		arguments.value = Quote(string(r.Action.Arguments))
	}
	if len(r.Facts) > 0 {
		return ownFacts(r), noteFacts(r)
	}
	k := kindOf(r.Action)
	subject := []fact{valueFact(k.owner, Quote(r.Action.Owner)), pathFact(k.name, Quote(r.Action.Name)), arguments}
	switch {
	case k.remote:
		return subject, nil
	case k.read:
		subject = slices.DeleteFunc(subject[:2], func(f fact) bool { return f.value == `""` })
		return append(subject, pathFact("folder", Quote(r.Dir))), noteFacts(r)
	}
	box := r.Sandbox
	switch {
	case r.Action.Command == nil:
		box = "not needed: it is part of this program"
	case box == "none":
		box = "no sandbox: it can do all that you can do"
	}
	subject = append(subject, pathFact("folder", Quote(r.Dir)), valueFact("sandbox", box))
	return append(subject, grantFacts(r)...), noteFacts(r)
}

// ownFacts are the facts that the action itself states.
func ownFacts(r Request) (needed []fact) {
	for _, f := range r.Facts {
		switch {
		case f.Source:
			needed = append(needed, valueFact(f.Label, printable.Strict(printable.Line(f.Value))))
		case f.Path:
			needed = append(needed, pathFact(f.Label, Quote(f.Value)))
		default:
			needed = append(needed, valueFact(f.Label, printable.Strict(f.Value)))
		}
	}
	needed = append(needed, grantFacts(r)...)
	switch r.Sandbox {
	case "":
		return needed
	case noSandbox:
		return append(needed, valueFact("sandbox", "no sandbox: it can do all that you can do"))
	}
	return append(needed, valueFact("sandbox", r.Sandbox))
}

// grantFacts say what the action is allowed besides.
func grantFacts(r Request) (needed []fact) {
	for _, grant := range r.Action.Grants {
		needed = append(needed, valueFact("also", printable.Strict(grant)))
	}
	return needed
}

// noteFacts returns what may matter for the decision, the most important first.
func noteFacts(r Request) (notes []fact) {
	if r.Changed {
		value := "changed since it was listed or approved"
		if len(r.ChangedFiles) > 0 {
			value += ": " + strings.Join(printable.Map(r.ChangedFiles[:min(len(r.ChangedFiles), maxChanged)], Quote), " ")
		}
		notes = append(notes, valueFact("warning", value))
	}
	if len(r.Unseen) > 0 {
		value := strings.Join(printable.Map(r.Unseen, Quote), " ") + " ([r] runs it and lets it read)"
		notes = append(notes, listFact(pathFact("not seen", value), r.Unseen))
	}
	if len(r.NotEnforced) > 0 {
		value := printable.Strict(strings.Join(r.NotEnforced, "; "))
		notes = append(notes, listFact(valueFact("unenforced", value), r.NotEnforced))
	}
	if r.Note != "" {
		value := "allowed-tools: " + Quote(r.Note)
		if len(r.Facts) > 0 {
			value = printable.Strict(r.Note)
		}
		notes = append(notes, valueFact("note", value))
	}
	return append(notes, ruleFacts(r)...)
}

// newApprovalPrompt returns the prompt for a terminal; named means that the user named the
// script.
func newApprovalPrompt(req Request, named bool, columns, rows int) approvalPrompt {
	p := approvalPrompt{req: req, named: named, columns: max(columns, len(indent)+7)}
	needed, notes := facts(req)
	left := rows - freeRows - 2 // for facts, besides the header and the choices
	needed, hidden := fitRows(needed, left)
	left = max(left-len(needed), 0)
	unseen := max(len(notes)-left, 0)
	hidden += unseen
	cut := false
	for _, f := range append(needed, notes[:len(notes)-unseen]...) {
		fitted := f.fit(f.value, p.columns-1-len(indent)) // the last column may wrap
		cut = cut || fitted != f.value
		p.text += fmt.Sprintf("  %-*s%s\n", len(indent)-2, f.label, fitted)
	}
	shown, rest, short := p.preview(left - len(notes))
	cut = cut || short
	p.text += shown
	hidden += rest
	who := kindOf(req.Action).asks + "\n"
	if named {
		who = "You asked to run a script:\n"
	}
	p.text = who + p.text
	if left > len(notes)+strings.Count(shown, "\n") {
		p.text = "\n" + p.text
	}
	p.choice = p.choices(named, cut, hidden)
	return p
}

// preview returns the first rows of the action's preview, at most the given number, and how
// many lines are not in them; cut is true if a row is not a whole line.
func (p approvalPrompt) preview(rows int) (text string, rest int, cut bool) {
	lines := p.req.Preview
	n := min(len(lines), max(rows, 0))
	for _, line := range lines[:n] {
		line = printable.Strict(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
		fitted := printable.Fit(line, p.columns-6)
		cut = cut || fitted != line
		text += "  | " + fitted + "\n"
	}
	return text, len(lines) - n, cut
}

// fitRows leaves out facts that do not fit in the rows of a small screen, and returns how
// many. What is to be run stays.
func fitRows(needed []fact, rows int) (shown []fact, hidden int) {
	shown = needed
	for _, label := range []string{"folder", "arguments", "sandbox"} {
		if len(shown) > rows {
			shown = slices.DeleteFunc(slices.Clone(shown), func(f fact) bool { return f.label == label })
		}
	}
	return shown, len(needed) - len(shown)
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
	needed, notes := facts(p.req)
	for _, f := range append(needed, notes...) {
		switch {
		case f.label == "arguments" && p.req.Action.Command != nil:
			list("command, one argument a row", printable.Map(p.req.Action.Command, printable.ShellWord)...)
		case f.whole != nil:
			list(f.label, f.whole...)
		default:
			list(f.label, f.value)
		}
	}
	if len(p.req.Preview) > 0 {
		list("all lines", printable.Map(p.req.Preview, func(line string) string {
			return printable.Strict(strings.ReplaceAll(line, "\t", "    "))
		})...)
	}
	if p.req.Source == nil {
		return out
	}
	title, what := "text of the script", "the script"
	if p.req.Action.Kind != agent.KindScript {
		title, what = "text", "the text"
	}
	text, err := p.req.Source()
	if err != nil {
		list(what+" cannot be shown", printable.Strict(err.Error()))
		return out
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	list(title, printable.Map(lines, func(line string) string {
		return printable.Strict(strings.ReplaceAll(line, "\t", "    "))
	})...)
	return out
}

// choices returns the longest row of choices that fits.
func (p approvalPrompt) choices(named, cut bool, hidden int) string {
	words, end := []string{"[y]es"}, ": "
	if len(p.req.Unseen) > 0 {
		words = append(words, "[r]ead and run")
	}
	words = append(words, "[n]o")
	if !named && !p.req.Attended {
		words, end = append(words, "[a]lways"), "  (n REASON tells the model why): "
	}
	view, more := "[v]iew", ""
	switch {
	case hidden > 0:
		more = fmt.Sprintf("(v: %d more) ", hidden)
		view += fmt.Sprintf(" (%d more)", hidden)
	case cut:
		view += " all"
	}
	words = append(words, view, "[?]")
	for _, row := range []string{strings.Join(words, "  ") + end, strings.Join(words, " ") + " "} {
		if len(row) <= p.columns-4 {
			return row
		}
	}
	return "[" + strings.Join(printable.Map(words, func(word string) string { return word[1:2] }), "/") + "] " + more
}

// Quote quotes a value so that its end is unambiguous.
func Quote(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(printable.Strict(s), `\`, `\\`), `"`, `\"`) + `"`
}

// userDenied is the reason for the model if the user gave none.
const userDenied = "the user answered no"

// help explains the answers, by what the prompt is about.
func (p approvalPrompt) help() string {
	once, always, view := "allow it this once", "allow it, now and later: you choose what and for how long", "all of it"
	switch p.req.Action.Kind {
	case agent.KindScript:
		once, always, view = "run it this once", "run it, now and later: you choose what and for how long", "the script and all arguments"
		if p.req.Source == nil {
			view = "all arguments"
		}
	case agent.KindTool:
		once, always, view = "call it this once", "call it, now and later: you choose what and for how long", "the server, the tool and all arguments"
	case agent.KindSkill, agent.KindResource:
		once, always, view = "let the model read it this once", "let it, now and later", "the whole text"
	case agent.KindEdit:
		once, always, view = "make this change", "make it, and later changes of this file in this run", "the whole change"
	case agent.KindCommand:
		once, always, view = "run it this once", "run it, and the same command again in this run", "the whole command"
	}
	rows := "  y  " + once + "\n"
	if !p.named && !p.req.Attended {
		rows += "  a  " + always + "\n"
	}
	rows += "  n  deny it; you may give a reason\n  v  view " + view + "\n"
	if len(p.req.Unseen) > 0 {
		rows += "  r  run it, and let it read those files\n"
	}
	return rows
}

// readAnswer parses a line: yes, always, or no followed by the reason. Only a clear yes
// counts; ok is false for other text.
func readAnswer(line string) (answer Answer, ok bool) {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return Answer{Approved: true}, true
	case "a", "always":
		return Answer{Approved: true, Scope: ScopeProgram}, true
	case "r", "read":
		return Answer{Approved: true, Read: true}, true
	}
	word, why, _ := strings.Cut(line, " ")
	if no := strings.ToLower(strings.TrimRight(word, ",.:;")); no != "n" && no != "no" {
		return Answer{}, false
	}
	reason := userDenied
	why = strings.TrimSpace(why)
	if why != "" {
		reason += ": " + printable.TruncateMiddle(printable.Line(why), 1000)
	}
	return Answer{Reason: reason}, true
}
