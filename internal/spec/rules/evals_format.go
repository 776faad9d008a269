package rules

// Tools read evals/evals.json in two dialects. What both accept is accepted; what makes
// an eval fail only when it is run, such as a missing file, is reported here.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

const evalsFile = "evals/evals.json"

var evalsFormat = &spec.Rule{
	ID:     "evals-format",
	Title:  "evals/evals.json has a format that tools read",
	Level:  spec.Info,
	Source: "agentskills.io, evaluating skills; skill-creator's schemas",
	Check: func(p *spec.Pass) {
		f, found := fileOf(p.Doc, evalsFile)
		if !found || !f.Mode.IsRegular() || f.Size > maxText {
			return
		}
		t := readText(p.Doc, f)
		if t == nil {
			return
		}
		if fault, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(t.src, new(json.RawMessage))); ok {
			at := max(min(int(fault.Offset), len(t.src))-1, 0)
			for at > 0 && !utf8.RuneStart(t.src[at]) {
				at-- // the scanner is one byte ahead
			}
			t.report(p, at, at, "correct the syntax; JSON has no comments and no comma after the last value", "not valid JSON: %s", fault.Error())
			return
		}
		(&evals{p, t}).check(jsonpos.Parse(t.src))
	},
}

// evals checks one file in either dialect: the guide's, with assertions, or
// skill-creator's, with expectations. Other keys are ignored.
type evals struct {
	*spec.Pass
	t *text
}

func (e *evals) report(n *jsonpos.Node, help, format string, args ...any) {
	end := n.End
	switch n.Value.(type) {
	case []*jsonpos.Node, map[string]*jsonpos.Node:
		end = n.Start + 1 // the opening bracket
	}
	e.t.report(e.Pass, n.Start, end, help, format, args...)
}

// is reports whether a value is of a kind, and adds a finding if not.
func (e *evals) is(n *jsonpos.Node, what, kind string) bool {
	if n.Kind() != kind {
		e.report(n, "write "+kind, "%s is %s, not %s", what, n.Kind(), kind)
	}
	return n.Kind() == kind
}

// isText is like is for a string with more than white space.
func (e *evals) isText(n *jsonpos.Node, what string) bool {
	if !e.is(n, what, "a string") {
		return false
	}
	if strings.TrimSpace(n.Value.(string)) == "" {
		e.report(n, "write a text", "%s is empty", what)
		return false
	}
	return true
}

// texts returns the strings of an optional list, which may also contain objects.
func (e *evals) texts(n *jsonpos.Node, key, what string) (out []*jsonpos.Node) {
	n = n.Field(key)
	if n == nil || n.Value == nil || !e.is(n, key, "a list") {
		return nil
	}
	for _, item := range n.Items() {
		if item.Kind() != "an object" && e.isText(item, what) {
			out = append(out, item)
		}
	}
	return out
}

func (e *evals) check(top *jsonpos.Node) {
	if slices.ContainsFunc(top.Items(), func(n *jsonpos.Node) bool { return n.Field("query") != nil }) {
		return // queries that test whether the skill is selected
	}
	if isOtherDialect(top) || !e.is(top, "the file", "an object") {
		return
	}
	own := e.Doc.Text("name")
	if n := top.Field("skill_name"); n == nil {
		if onlyHas(top, "evals") { // other tools name the skill in their own way
			e.report(top, "add the skill's name", "skill_name is missing")
		}
	} else if e.is(n, "skill_name", "a string") && n.Value != own && own != "" { // name-required reports a missing name
		e.report(n, "write "+printable.Quote(own), "skill_name is %s, but the skill is called %s", printable.Quote(n.Value.(string)), printable.Quote(own))
	}
	n := top.Field("evals")
	if n == nil {
		e.report(top, `write {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…"}]}`, "evals is missing")
		return
	}
	if e.is(n, "evals", "a list") && len(n.Items()) == 0 {
		e.report(n, "add one", "evals has no entry")
	}
	seen := map[string]bool{} // ids
	for _, n := range n.Items() {
		if e.is(n, "an eval", "an object") {
			e.eval(n, seen)
		}
	}
}

// isOtherDialect reports whether a file is in another tool's format: a list of
// cases, or cases under another key or without prompts, with keys of neither
// dialect.
func isOtherDialect(top *jsonpos.Node) bool {
	cases := top.Items()
	if top.Kind() == "an object" {
		if top.Field("evals") == nil {
			return !onlyHas(top, "skill_name")
		}
		cases = top.Field("evals").Items()
	}
	prompted := func(n *jsonpos.Node) bool { return n.Field("prompt") != nil || n.Field("query") != nil }
	foreign := func(n *jsonpos.Node) bool {
		return n.Kind() == "an object" && !onlyHas(n, "id", "files", "expected_output", "assertions", "expectations")
	}
	return !slices.ContainsFunc(cases, prompted) && slices.ContainsFunc(cases, foreign)
}

// onlyHas reports whether an object has no keys except these.
func onlyHas(n *jsonpos.Node, keys ...string) bool {
	for key := range n.Fields() {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

func (e *evals) eval(n *jsonpos.Node, seen map[string]bool) {
	if id := n.Field("id"); id != nil {
		text := fmt.Sprint(id.Value)
		if seen[text] {
			e.report(id, "number the evals", "two evals have the id %s", printable.Quoted(text))
		}
		seen[text] = true
	}
	switch prompt := n.Field("prompt"); {
	case prompt == nil && n.Field("query") == nil: // a query tests whether the skill is selected
		e.report(n, "add what the user says", "an eval has no prompt")
	case prompt != nil && prompt.Items() == nil: // a list holds several turns
		e.isText(prompt, "prompt")
	}
	if out := n.Field("expected_output"); out != nil && out.Items() == nil && out.Kind() != "an object" {
		e.is(out, "expected_output", "a string")
	}
	for _, file := range e.texts(n, "files", "a file") {
		e.file(file, file.Value.(string))
	}
	e.texts(n, "assertions", "one of the assertions")
	e.texts(n, "expectations", "one of the expectations")
}

// file checks a file of an eval, whose path is relative to the skill's folder
// or to evals/.
func (e *evals) file(n *jsonpos.Node, name string) {
	folder, clean := skillOf(e.Pass).folder, path.Clean(strings.ReplaceAll(name, `\`, "/"))
	_, known := folder.Find(clean)
	switch {
	case strings.Contains(name, "://"), !known, folder.Has(clean), folder.Has(path.Join("evals", clean)):
	case path.IsAbs(name) || !references.IsInside(clean):
		e.report(n, "put the file into the skill, below evals/", "the file %s is outside the skill", printable.Quote(name))
	default:
		e.report(n, "the path is relative to the skill's folder", "the file %s does not exist", printable.Quote(name))
	}
}
