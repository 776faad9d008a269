package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec"
)

const evalsFile = "evals/evals.json"

var evalsFormat = &spec.Rule{
	ID:     "evals-format",
	Title:  "evals/evals.json has the form that tools read",
	Level:  spec.Info,
	Source: "agentskills.io, evaluating skills; skill-creator's schemas",
	Check: func(p *spec.Pass) {
		if p.Doc.Files == nil {
			return
		}
		files := p.Doc.Files.List()
		i := slices.IndexFunc(files, func(f spec.File) bool { return f.Name == evalsFile && f.Mode.IsRegular() })
		if i < 0 || files[i].Size > maxText {
			return
		}
		t := readText(p.Doc, files[i])
		if t == nil {
			return
		}
		if at, message, help, ok := jsonFault(t.src); !ok {
			_, size := utf8.DecodeRune(t.src[at:])
			t.report(p, at, at+size, help, "not valid JSON: %s", message)
			return
		}
		if n := parseJSON(t.src); n != nil {
			(&evals{p, t, files}).check(n)
		}
	},
}

// evals checks one file of them. Two dialects are read: the guide's, where an
// eval has assertions, and skill-creator's, where it has expectations; both
// may carry further keys.
type evals struct {
	*spec.Pass
	t     *text
	files []spec.File
}

func (e *evals) report(n *jsonNode, help, format string, args ...any) {
	// A list or an object is pointed at by its opening.
	end := n.end
	if n.kind == jsonArray || n.kind == jsonObject {
		end = n.start + 1
	}
	e.t.report(e.Pass, n.start, end, help, format, args...)
}

func (e *evals) check(top *jsonNode) {
	const form = `write {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…"}]}`
	if top.kind == jsonArray && slices.ContainsFunc(top.items, func(n *jsonNode) bool { return n.field("query") != nil }) {
		return // queries that ask whether the skill is chosen
	}
	if top.kind != jsonObject {
		e.report(top, form, "the file holds %s, not an object", top.kind)
		return
	}
	switch name := top.field("skill_name"); {
	case name == nil:
		e.report(top, "add the skill's name", "skill_name is missing")
	case name.kind != jsonString:
		e.report(name, "write the skill's name", "skill_name is %s", name.kind)
	case e.Doc.Text("name") == "": // name-required's
	case name.text != e.Doc.Text("name"):
		e.report(name, "write "+quote(e.Doc.Text("name")), "skill_name is %s, but the skill is called %s", quote(name.text), quote(e.Doc.Text("name")))
	}
	list := top.field("evals")
	switch {
	case list == nil:
		e.report(top, form, "evals is missing")
	case list.kind != jsonArray:
		e.report(list, "write a list", "evals is %s, not a list", list.kind)
	default:
		seen := map[string]bool{}
		for _, n := range list.items {
			if e.Full() {
				return
			}
			e.eval(n, seen)
		}
	}
}

func (e *evals) eval(n *jsonNode, seen map[string]bool) {
	if n.kind != jsonObject {
		e.report(n, `write {"id": 1, "prompt": "…"}`, "an eval is %s, not an object", n.kind)
		return
	}
	switch id := n.field("id"); {
	case id == nil:
	case id.kind != jsonNumber && id.kind != jsonString:
		e.report(id, "write a number", "id is %s", id.kind)
	case seen[id.text]:
		e.report(id, "number the evals", "two evals have the id %s", show(id.text))
	case id.kind == jsonString || strings.ContainsAny(id.text, ".eE"):
		e.report(id, "write a whole number: tools sort and name their results by it", "id is %s, not a whole number", quote(id.text))
		fallthrough
	default:
		seen[id.text] = true
	}
	switch prompt := n.field("prompt"); {
	case prompt == nil && n.field("query") != nil: // whether the skill is chosen
	case prompt == nil:
		e.report(n, "add what the user says", "an eval has no prompt")
	case prompt.kind != jsonString:
		e.report(prompt, "write what the user says", "prompt is %s, not a string", prompt.kind)
	case strings.TrimSpace(prompt.text) == "":
		e.report(prompt, "write what the user says", "prompt is empty")
	}
	if out := n.field("expected_output"); out != nil && out.kind != jsonString {
		e.report(out, "write it in words", "expected_output is %s, not a string", out.kind)
	}
	e.input(n.field("files"))
	e.claims(n.field("assertions"), n.field("expectations"))
}
