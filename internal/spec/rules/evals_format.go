package rules

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
)

const evalsFile = "evals/evals.json"

var evalsFormat = &spec.Rule{
	ID:     "evals-format",
	Title:  "evals/evals.json has a format that tools read",
	Level:  spec.Info,
	Source: "agentskills.io, evaluating skills; skill-creator's schemas",
	Check: func(p *spec.Pass) {
		if p.Doc.Files == nil {
			return
		}
		f, found := fileOf(p.Doc, evalsFile)
		if !found || !f.Mode.IsRegular() || f.Size > maxText {
			return
		}
		t := readText(p.Doc, f)
		if t == nil {
			return
		}
		if at, message, help, ok := jsonFault(t.src); !ok {
			_, size := utf8.DecodeRune(t.src[at:])
			t.report(p, at, at+size, help, "not valid JSON: %s", message)
			return
		}
		if n := parseJSON(t.src); n != nil {
			(&evals{p, t}).check(n)
		}
	},
}

// evals checks one file. There are two dialects: that of the guide with assertions,
// and that of skill-creator with expectations. Other keys are ignored.
type evals struct {
	*spec.Pass
	t *text
}

func (e *evals) report(n *jsonNode, help, format string, args ...any) {
	end := n.end
	switch n.value.(type) {
	case []*jsonNode, map[string]*jsonNode:
		end = n.start + 1 // the opening bracket
	}
	e.t.report(e.Pass, n.start, end, help, format, args...)
}

func (e *evals) check(top *jsonNode) {
	const form = `write {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…"}]}`
	if slices.ContainsFunc(top.items(), func(n *jsonNode) bool { return n.field("query") != nil }) {
		return // a set of queries that test whether the skill is chosen
	}
	if _, ok := top.value.(map[string]*jsonNode); !ok {
		e.report(top, form, "the file contains %s, not an object", top.kind())
		return
	}
	own := e.Doc.Text("name")
	if n := top.field("skill_name"); n == nil {
		e.report(top, "add the skill's name", "skill_name is missing")
	} else if name, ok := n.value.(string); !ok {
		e.report(n, "write the skill's name", "skill_name is %s", n.kind())
	} else if name != own && own != "" { // name-required reports a missing name
		e.report(n, "write "+printable.Quote(own), "skill_name is %s, but the skill is called %s", printable.Quote(name), printable.Quote(own))
	}
	if n := top.field("evals"); n == nil {
		e.report(top, form, "evals is missing")
	} else if list, ok := n.value.([]*jsonNode); !ok {
		e.report(n, "write a list", "evals is %s, not a list", n.kind())
	} else {
		seen := map[string]bool{}
		for _, n := range list {
			if e.Full() {
				return
			}
			e.eval(n, seen)
		}
	}
}

func (e *evals) eval(n *jsonNode, seen map[string]bool) {
	if _, ok := n.value.(map[string]*jsonNode); !ok {
		e.report(n, `write {"id": 1, "prompt": "…"}`, "an eval is %s, not an object", n.kind())
		return
	}
	if id := n.field("id"); id != nil {
		e.id(id, seen)
	}
	const help = "write what the user says"
	if prompt := n.field("prompt"); prompt == nil {
		if n.field("query") == nil { // a test whether the skill is chosen
			e.report(n, "add what the user says", "an eval has no prompt")
		}
	} else if text, ok := prompt.value.(string); !ok {
		e.report(prompt, help, "prompt is %s, not a string", prompt.kind())
	} else if strings.TrimSpace(text) == "" {
		e.report(prompt, help, "prompt is empty")
	}
	if out := n.field("expected_output"); out != nil {
		if _, ok := out.value.(string); !ok {
			e.report(out, "write it in words", "expected_output is %s, not a string", out.kind())
		}
	}
	e.input(n.field("files"))
	assertions, expectations := n.field("assertions"), n.field("expectations")
	e.claims("assertions", assertions)
	e.claims("expectations", expectations)
	if assertions != nil && expectations != nil && !slices.EqualFunc(assertions.items(), expectations.items(), sameScalar) {
		e.report(expectations, "keep one of them: both names have the same meaning", "assertions and expectations differ")
	}
}

// id checks the number of an eval.
func (e *evals) id(n *jsonNode, seen map[string]bool) {
	var text string
	whole := false
	switch v := n.value.(type) {
	case json.Number:
		text, whole = v.String(), !strings.ContainsAny(v.String(), ".eE")
	case string:
		text = v
	default:
		e.report(n, "write a number", "id is %s", n.kind())
		return
	}
	if seen[text] {
		e.report(n, "number the evals", "two evals have the id %s", printable.Quoted(text))
	} else if seen[text] = true; !whole {
		e.report(n, "write a whole number: tools sort and name their results by it", "id is %s, not a whole number", printable.Quote(text))
	}
}

// input checks the files of an eval, which are relative to the skill's folder, or to
// evals/.
func (e *evals) input(n *jsonNode) {
	if n == nil || n.value == nil {
		return
	}
	list, ok := n.value.([]*jsonNode)
	if !ok {
		e.report(n, `write a list: ["evals/files/input.csv"]`, "files is %s, not a list", n.kind())
	}
	for _, n := range list {
		name, ok := n.value.(string)
		clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
		switch {
		case !ok:
			e.report(n, "write a path relative to the skill's folder", "a file is %s, not a path", n.kind())
		case strings.Contains(name, "://") || e.has(clean) || e.has(path.Join("evals", clean)):
		case path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../"):
			e.report(n, "put the file into the skill, below evals/", "the file %s is outside the skill", printable.Quote(name))
		default:
			e.report(n, "the path is relative to the skill's folder", "the file %s does not exist", printable.Quote(name))
		}
	}
}

// has reports whether the skill has a file, or may have it in a folder that is not
// listed.
func (e *evals) has(name string) bool {
	return slices.ContainsFunc(e.Doc.Files.List(), func(f spec.File) bool {
		return f.Name == name || f.Skipped && strings.HasPrefix(name, f.Name+"/")
	})
}

// claims checks the assertions about the output: sentences, or objects with a name
// and a description.
func (e *evals) claims(key string, n *jsonNode) {
	if n == nil || n.value == nil {
		return
	}
	list, ok := n.value.([]*jsonNode)
	if !ok {
		e.report(n, "write a list of sentences", "%s is %s, not a list", key, n.kind())
	}
	for _, n := range list {
		const help = "write a sentence that is true of a good output"
		text, isText := n.value.(string)
		_, isObject := n.value.(map[string]*jsonNode)
		switch {
		case !isText && !isObject:
			e.report(n, help, "one of the %s is %s", key, n.kind())
		case isText && strings.TrimSpace(text) == "":
			e.report(n, help, "one of the %s is empty", key)
		}
	}
}

// sameScalar reports whether two values are the same text or of the same kind.
func sameScalar(a, b *jsonNode) bool {
	x, isText := a.value.(string)
	y, _ := b.value.(string)
	return a.kind() == b.kind() && (!isText || x == y)
}
