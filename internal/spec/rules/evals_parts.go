package rules

import (
	"path"
	"slices"
	"strings"

	"skills/internal/spec"
)

// input checks the files of an eval, which are relative to the skill, or by
// some writers to evals/.
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
			e.report(n, "put the file into the skill, below evals/", "the file %s is outside the skill", quote(n.text))
		default:
			e.report(n, "the path is relative to the skill's folder", "the file %s does not exist", quote(n.text))
		}
	}
}

func escapes(name string) bool {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// has reports whether the skill has a file, or may have it.
func (e *evals) has(name string) bool {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return slices.ContainsFunc(e.files, func(f spec.File) bool {
		return f.Name == name || f.Skipped && strings.HasPrefix(name, f.Name+"/")
	})
}

// claims checks what is asserted of the output, under either name. Some
// writers have objects with a name and a description.
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
