package rules

import (
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

// evals checks one file. There are two dialects: that of the guide with assertions,
// and that of skill-creator with expectations. Other keys are ignored.
type evals struct {
	*spec.Pass
	t     *text
	files []spec.File
}

func (e *evals) report(n *jsonNode, help, format string, args ...any) {
	// Of a list or an object, only the opening bracket is marked.
	end := n.end
	if n.kind == jsonArray || n.kind == jsonObject {
		end = n.start + 1
	}
	e.t.report(e.Pass, n.start, end, help, format, args...)
}

func (e *evals) check(top *jsonNode) {
	const form = `write {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…"}]}`
	if top.kind == jsonArray && slices.ContainsFunc(top.items, func(n *jsonNode) bool { return n.field("query") != nil }) {
		return // a set of queries that test whether the skill is chosen
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
	case e.Doc.Text("name") == "": // name-required reports it
	case name.text != e.Doc.Text("name"):
		e.report(name, "write "+printable.Quote(e.Doc.Text("name")), "skill_name is %s, but the skill is called %s", printable.Quote(name.text), printable.Quote(e.Doc.Text("name")))
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
		e.report(id, "number the evals", "two evals have the id %s", printable.Quoted(id.text))
	case id.kind == jsonString || strings.ContainsAny(id.text, ".eE"):
		e.report(id, "write a whole number: tools sort and name their results by it", "id is %s, not a whole number", printable.Quote(id.text))
		fallthrough
	default:
		seen[id.text] = true
	}
	switch prompt := n.field("prompt"); {
	case prompt == nil && n.field("query") != nil: // a test whether the skill is chosen
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

// input checks the files of an eval, which are relative to the skill's folder, or to
// evals/.
func (e *evals) input(list *jsonNode) {
	if list == nil || list.kind == jsonNull {
		return
	}
	if list.kind != jsonArray {
		e.report(list, `write a list: ["evals/files/input.csv"]`, "files is %s, not a list", list.kind)
		return
	}
	for _, n := range list.items {
		switch {
		case n.kind != jsonString:
			e.report(n, "write a path relative to the skill's folder", "a file is %s, not a path", n.kind)
		case strings.Contains(n.text, "://") || e.has(n.text) || e.has(path.Join("evals", n.text)):
		case path.IsAbs(n.text) || escapes(n.text):
			e.report(n, "put the file into the skill, below evals/", "the file %s is outside the skill", printable.Quote(n.text))
		default:
			e.report(n, "the path is relative to the skill's folder", "the file %s does not exist", printable.Quote(n.text))
		}
	}
}

func escapes(name string) bool {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// has reports whether the skill has a file, or may have it in a folder that is not
// listed.
func (e *evals) has(name string) bool {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return slices.ContainsFunc(e.files, func(f spec.File) bool {
		return f.Name == name || f.Skipped && strings.HasPrefix(name, f.Name+"/")
	})
}

// claims checks the assertions about the output, under either name: sentences, or
// objects with a name and a description.
func (e *evals) claims(assertions, expectations *jsonNode) {
	for _, c := range []struct {
		key  string
		list *jsonNode
	}{{"assertions", assertions}, {"expectations", expectations}} {
		if c.list == nil || c.list.kind == jsonNull {
			continue
		}
		if c.list.kind != jsonArray {
			e.report(c.list, "write a list of sentences", "%s is %s, not a list", c.key, c.list.kind)
			continue
		}
		for _, n := range c.list.items {
			switch {
			case n.kind != jsonString && n.kind != jsonObject:
				e.report(n, "write a sentence that is true of a good output", "one of the %s is %s", c.key, n.kind)
			case n.kind == jsonString && strings.TrimSpace(n.text) == "":
				e.report(n, "write a sentence that is true of a good output", "one of the %s is empty", c.key)
			}
		}
	}
	if assertions != nil && expectations != nil && !sameTexts(assertions.items, expectations.items) {
		e.report(expectations, "keep one of them: they are two names for the same", "assertions and expectations differ")
	}
}

func sameTexts(a, b []*jsonNode) bool {
	return slices.EqualFunc(a, b, func(x, y *jsonNode) bool { return x.kind == y.kind && x.text == y.text })
}
