package suite

// The suites of waza, vally, skill-up, promptfoo, AgentV and tessl name other files, hold
// settings for all cases, or write the prompt in their own way.

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// formats reads suites whose form is more than a list.
type formats struct{ *reader }

// value returns a node that no file has.
func value(v any) *jsonpos.Node {
	return at(jsonpos.Parse([]byte(printable.JSONText(v))), 0)
}

// yamlFile reads a YAML file by its path in the folder.
func (r formats) yamlFile(name string) (*file, *jsonpos.Node) {
	f := r.read(name)
	if f == nil {
		return nil, nil
	}
	n, err := yamlNode(f.src, 0)
	if err != nil {
		r.reportYAML(f, 0, Warning, "correct the YAML", err)
		return nil, nil
	}
	return f, n
}

// here returns the folder of a file, relative to the root.
func (r formats) here(f *file) string { return path.Dir(r.candidates(f, filepath.Base(f.path))[0]) }

// waza reads the tasks that a suite names. Its graders hold for all of them.
func (r formats) waza(f *file, top *jsonpos.Node) {
	settings := newObject(merge(top, value(map[string]any{})))
	settings.get("tasks", "skill", "graders")
	settings.used["tasks"], settings.used["skill"], settings.used["graders"] = true, true, true
	r.leave(f, settings)
	index := 0
	for _, pattern := range top.Field("tasks").Items() {
		names, _ := fs.Glob(r.root.FS(), path.Join(r.here(f), text(pattern)))
		for _, name := range names {
			if g, n := r.yamlFile(name); g != nil {
				shared := slices.Concat(n.Field("graders").Items(), at(top.Field("graders"), n.Start).Items())
				merged := merge(n, &jsonpos.Node{})
				merged.Fields()["graders"] = &jsonpos.Node{Value: shared, Start: n.Start}
				r.onlyCase(g, merged, index)
				index++
			}
		}
	}
}

// onlyCase reads a case, never a query.
func (r formats) onlyCase(f *file, n *jsonpos.Node, index int) {
	cases{r.reader}.readCase(f, n, newObject(n), index)
}

// vally reads stimuli: queries if all their graders ask for a skill, else cases.
func (r formats) vally(f *file, top *jsonpos.Node) {
	if n := top.Field("environment"); n != nil && n.Fields() == nil {
		var tools []string
		for _, s := range top.Field("stimuli").Items() {
			for _, g := range s.Field("graders").Items() {
				for _, tool := range slices.Concat(each(g.Field("config").Field("required")), each(g.Field("config").Field("disallowed"))) {
					tools = append(tools, text(tool.Field("name")))
				}
			}
		}
		r.refuse(f, n.Start, "all cases need the environment %s, which is defined elsewhere: %s", printable.Quote(text(n)), printable.Line(strings.Join(tools, ", ")))
		return
	}
	defaults := top.Field("defaults")
	if defaults == nil {
		defaults = top.Field("config")
	}
	shared := map[string]*jsonpos.Node{}
	for _, key := range []string{"runs", "timeout"} {
		if n := defaults.Field(key); n != nil {
			shared[key] = n
		}
	}
	for i, n := range top.Field("stimuli").Items() {
		asked := n.Field("graders").Items()
		asks := len(asked) > 0 && !slices.ContainsFunc(asked, func(g *jsonpos.Node) bool { return text(g.Field("type")) != "skill-invocation" })
		if !asks {
			r.onlyCase(f, merge(n, &jsonpos.Node{Value: shared}), i)
			continue
		}
		config := newObject(asked[0].Field("config"))
		should := graders{r.reader}.invocation(config)[0].Type == "skill_loaded"
		triggers{r.reader}.addQuery(f, n.Start, Query{ID: text(n.Field("name")), Query: text(n.Field("prompt")), ShouldTrigger: should})
	}
	o := newFlat(top)
	for _, key := range []string{"stimuli", "defaults", "config"} {
		o.used[key] = true
	}
	r.leave(f, o)
}

// skillUp reads the cases that a suite names, with its defaults.
func (r formats) skillUp(f *file, top *jsonpos.Node) {
	cases := top.Field("cases")
	defaults := &jsonpos.Node{}
	if n := cases.Field("defaults"); n != nil {
		defaults = newObject(n).Node
	}
	for i, item := range cases.Field("files").Items() {
		for _, name := range r.candidates(f, text(item)) {
			if _, err := r.root.Stat(name); err != nil {
				continue
			}
			if g, n := r.yamlFile(name); g != nil {
				r.onlyCase(g, merge(newObject(n).Node, at(defaults, n.Start)), i)
			}
			break
		}
	}
	o := newFlat(top)
	o.get("cases")
	r.leave(f, o)
}

// tessl reads a folder with task.md, the criteria, and perhaps the inputs.
func (r formats) tessl(f *file, dir string) {
	g := r.read(dir + "/criteria.json")
	if g == nil {
		return
	}
	top := r.parseAny(g)
	if top == nil {
		return
	}
	fields := map[string]*jsonpos.Node{
		"id": value(path.Base(dir)), "prompt": value(string(f.src)), "checklist": top.Field("checklist"),
	}
	if s := r.read(dir + "/scenario.json"); s != nil {
		if scenario := r.parseAny(s); scenario != nil {
			var inputs []map[string]string
			for _, item := range scenario.Field("include").Items() {
				inputs = append(inputs, r.folder(path.Join(dir, text(item)), dir)...)
			}
			fields["files"] = value(inputs)
		}
	}
	if fields["checklist"] == nil {
		delete(fields, "checklist")
	}
	r.onlyCase(f, &jsonpos.Node{Value: fields}, 0)
	o := newFlat(top)
	o.get("checklist")
	o.get("type")
	r.leave(g, o)
}

// folder returns the files of a folder as inputs with paths relative to another one.
func (r formats) folder(dir, from string) (inputs []map[string]string) {
	_ = fs.WalkDir(r.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			inputs = append(inputs, map[string]string{"path": strings.TrimPrefix(name, from+"/"), "source": name})
		}
		return nil
	})
	return inputs
}

// promptfoo reads tests whose prompt is a template. The provider is replaced by the run.
func (r formats) promptfoo(f *file, top *jsonpos.Node, dir string) {
	o := newFlat(top)
	prompts, tests := each(o.get("prompts")), each(o.get("tests"))
	shared := each(o.get("defaultTest").Field("assert"))
	o.get("providers")
	r.leave(f, o)
	if len(prompts) == 0 {
		return
	}
	template := text(prompts[0])
	if name, ok := strings.CutPrefix(template, "file://"); ok {
		data, found := r.find(f, name)
		if !found || slices.Contains([]string{".js", ".py", ".ts", ".mjs"}, path.Ext(name)) {
			r.refuse(f, prompts[0].Start, "the prompt is made by a program: %s", printable.Quote(name))
			template = ""
		} else {
			template = strings.TrimSpace(string(data))
		}
	}
	if len(prompts) > 1 {
		r.report(f, prompts[1].Start, Warning, "import it once for each prompt", "only the first of %d prompts is used", len(prompts))
	}
	var all []promptfooTest
	for _, test := range tests {
		all = append(all, r.promptfooTests(f, test, dir)...)
	}
	if template == "" {
		return
	}
	routing := slices.ContainsFunc(all, func(test promptfooTest) bool {
		return slices.ContainsFunc(each(test.n.Field("assert")), func(a *jsonpos.Node) bool {
			return text(a.Field("type")) == "equals" && r.isSkill(text(a.Field("value")))
		})
	})
	for i, test := range all {
		graders := shared
		if test.f != f {
			graders = at(&jsonpos.Node{Value: shared}, test.n.Start).Items()
		}
		r.readPromptfoo(test.f, test.n, template, graders, routing, i)
	}
}

// promptfooTest is a test, and the file that it is in.
type promptfooTest struct {
	f *file
	n *jsonpos.Node
}

// promptfooTests returns the tests of an entry: itself, or those in the files that it names.
func (r formats) promptfooTests(f *file, n *jsonpos.Node, dir string) (tests []promptfooTest) {
	name := text(n)
	if n.Fields() != nil {
		name = text(n.Field("file"))
	}
	if name == "" {
		return []promptfooTest{{f, n}}
	}
	name = strings.TrimPrefix(name, "file://")
	if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" && ext != ".json" {
		r.refuse(f, n.Start, "the tests are written by a program: %s", printable.Quote(name))
		return nil
	}
	names, _ := fs.Glob(r.root.FS(), path.Join(dir, name))
	for _, file := range names {
		g, list := r.yamlFile(file)
		for _, item := range list.Items() {
			tests = append(tests, promptfooTest{g, item})
		}
	}
	return tests
}

// readPromptfoo reads a test as a query where the answer is the name of a skill, else as a
// case.
func (r formats) readPromptfoo(f *file, n *jsonpos.Node, template string, shared []*jsonpos.Node, routing bool, index int) {
	vars, asserts := n.Field("vars"), n.Field("assert").Items()
	fields := map[string]*jsonpos.Node{"graders": {Value: slices.Concat(asserts, shared), Start: n.Start}}
	o := newFlat(n)
	o.used["vars"], o.used["assert"] = true, true
	if name := o.text("description"); name != "" {
		fields["name"] = value(name)
	}
	if id := o.text("id"); id != "" {
		fields["id"] = value(id)
	}
	r.leave(f, o)
	if said := cmp.Or(vars.Field("input"), vars.Field("messages")); said.Items() != nil {
		r.messages(said, vars, fields)
	} else {
		prompt := template
		for key, v := range vars.Fields() {
			for _, form := range []string{"{{" + key + "}}", "{{ " + key + " }}"} {
				prompt = strings.ReplaceAll(prompt, form, text(v))
			}
		}
		fields["prompt"] = value(prompt)
	}
	if routing && len(asserts) == 1 && text(asserts[0].Field("type")) == "equals" {
		should := r.isSkill(text(asserts[0].Field("value")))
		triggers{r.reader}.addQuery(f, n.Start, Query{ID: text(fields["name"]), Query: text(fields["prompt"]), ShouldTrigger: should})
		return
	}
	r.onlyCase(f, &jsonpos.Node{Value: fields, Start: n.Start}, index)
}

// messages reads the messages of AgentV, and of promptfoo's chats: a system text, the prompt
// with its files, and the expected answer. Answers of an assistant make it a conversation.
func (r formats) messages(said, vars *jsonpos.Node, fields map[string]*jsonpos.Node) {
	var system, prompt, expected []string
	var inputs []map[string]string
	for _, m := range said.Items() {
		into := &prompt
		switch role := text(m.Field("role")); role {
		case "system", "developer":
			into = &system
		case "", "user":
		default:
			fields["turns"] = &jsonpos.Node{Value: []*jsonpos.Node{m}, Start: m.Start, End: m.End} // which is refused
		}
		for _, part := range each(m.Field("content")) {
			switch {
			case part.Fields() == nil:
				*into = append(*into, text(part))
			case text(part.Field("type")) == "file":
				inputs = append(inputs, map[string]string{"path": text(part.Field("value")), "source": text(part.Field("value"))})
			default:
				*into = append(*into, text(part.Field("value")))
			}
		}
	}
	for _, m := range vars.Field("expected_output").Items() {
		expected = append(expected, text(m.Field("content")))
	}
	fields["prompt"] = value(strings.Join(prompt, "\n\n"))
	if len(system) > 0 {
		fields["system"] = value(strings.Join(system, "\n\n"))
	}
	if len(expected) > 0 {
		fields["expected_output"] = value(strings.Join(expected, "\n\n"))
	}
	if len(inputs) > 0 {
		fields["files"] = value(inputs)
	}
}
