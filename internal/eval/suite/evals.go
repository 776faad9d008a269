package suite

// The evals of a skill in the two dialects of JSON, and in their published variants: a bare
// list, other names of keys, assertions as objects of other programs.

import (
	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// readEvals reads evals/evals.json in the dialect of the guide, with assertions, or of
// skill-creator, with expectations.
func (r *reader) readEvals() {
	f := r.read("evals/evals.json")
	if f == nil {
		return
	}
	top := r.parseAny(f)
	if top == nil {
		return
	}
	if isIndex(top) {
		r.report(f, top.Start, Note, "import them with: skills eval import", "a list of other files, which is not read")
		return
	}
	list := top
	if top.Fields() != nil {
		list = top.Field("evals")
		if list == nil {
			list = top.Field("cases")
		}
	}
	switch {
	case top.Items() != nil && len(top.Items()) > 0 && isQuery(top.Items()[0]):
		triggers{r}.queries(f) // a trigger list under this name
		return
	case top.Fields() == nil && !r.validate(f, top, "the file", readSchema("evals").Properties["evals"]):
		return
	case top.Fields() != nil && !r.validate(f, top, "the file", readSchema("evals")):
		return
	case list == nil:
		r.report(f, top.Start, Error, "add it", "the file has no evals")
		return
	}
	o := newFlat(top)
	if name := o.text("skill_name", "skill"); name != "" && !r.isSkill(name) {
		r.report(f, o.get("skill_name", "skill").Start, Warning, "write "+printable.Quote(r.Skill),
			"skill_name is %s, but the skill is called %s", printable.Quote(name), printable.Quote(r.Skill))
	}
	o.get("$schema")
	o.used["evals"], o.used["cases"] = true, true
	r.leave(f, o)
	for i, n := range list.Items() {
		if more := n.Field("expectations"); n.Field("assertions").Items() != nil && more.Items() != nil {
			r.report(f, more.Start, Error, "keep one of them", "the case has both assertions and expectations")
		}
		cases{r}.readCase(f, n, newObject(n), i)
	}
}

// isIndex reports whether a file names other files, and has no case itself.
func isIndex(top *jsonpos.Node) bool {
	return top.Field("triggers_manifest") != nil || top.Field("content_manifests") != nil
}

// text returns a value as text: of a string itself, of null and nothing "", else JSON.
func text(n *jsonpos.Node) string {
	if n == nil || n.Value == nil {
		return ""
	}
	if value, ok := n.Value.(string); ok {
		return value
	}
	return printable.JSONText(n.Plain())
}
