package suite

// The cases of Claude Code are folders below evals/, also in groups: with a prompt.md, a
// case.yaml or both, and graders in files or in a list. What needs that program is an error.

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
)

// claude reads the cases of Claude Code.
type claude struct{ *reader }

// readClaude reads the folders with a prompt.md or a case.yaml.
func (r claude) readClaude() {
	folders := map[string]bool{}
	for _, pattern := range []string{"evals/*/prompt.md", "evals/*/*/prompt.md", "evals/*/case.yaml", "evals/*/*/case.yaml"} {
		for _, name := range list(r.root, pattern) {
			folders[path.Dir(name)] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		r.claudeCase(dir)
	}
	for _, name := range list(r.root, "evals/mocks/*/*.md") {
		if len(folders) > 0 {
			r.refuse(newFile(path.Join(r.named, name), nil), 0, "the cases need a mocked server of tools: evals/mocks")
			break
		}
	}
}

// unsupported reports what needs Claude Code, at a value, or at the beginning of the file.
func (r claude) unsupported(f *file, n *jsonpos.Node, what, value string) {
	if n == nil {
		n = &jsonpos.Node{}
	}
	r.report(f, n.Start, Error, "write the case in evals/evals.json and evals/checks.json",
		"not supported: %s %s", what, printable.Quote(value))
}

// claudeFile reads a prompt.md or a case.yaml: its fields and its text.
func (r claude) claudeFile(name string) (f *file, fields *jsonpos.Node, body string) {
	f = r.read(name)
	if f == nil {
		return nil, nil, ""
	}
	if strings.HasSuffix(name, ".yaml") {
		return f, r.fields(f, 0, min(len(f.src), frontmatter.MaxSize), "claude-case"), ""
	}
	fields, body = r.matter(f, "claude-case")
	return f, fields, body
}

// claudeCase reads the case in a folder.
func (r claude) claudeCase(dir string) {
	before := len(r.problems)
	f, top, body := r.claudeFile(dir + "/prompt.md")
	more, settings, _ := r.claudeFile(dir + "/case.yaml")
	if f == nil {
		f, top = more, settings
	} else if more != nil {
		top = merge(top, settings)
	}
	if f == nil || top == nil {
		return
	}
	o := newObject(top)
	c := Case{ID: strings.TrimPrefix(dir, "evals/"), Prompt: cmp.Or(body, o.text("prompt")), Expected: o.text("expected_outcome"), Baseline: o.text("prompt_baseline")}
	if strings.TrimSpace(c.Prompt) == "" && len(r.problems) == before {
		r.report(f, 0, Error, "write what the user says below the frontmatter, or as execution.prompt", "the prompt is empty")
	}
	cases{r.reader}.readSettings(o, &c)
	c.Name, c.System = o.text("name"), o.text("append_system_prompt")
	if model := o.text("model"); !slices.Contains([]string{"", "sonnet", "opus", "haiku", "inherit"}, model) {
		c.Model = model
	} else {
		delete(o.used, "model")
	}
	if c.ID == path.Base(dir) && c.Name == c.ID {
		c.Name = ""
	}
	if script := o.text("scaffold_script"); script != "" {
		r.unsupported(f, o.get("scaffold_script"), "the scaffold script", script)
	}
	o.get("schema_version", "description")
	folders := []string{"prompt.md", "graders", "README.md", "case.yaml", path.Base(o.text("scaffold_script"))}
	for _, item := range each(o.get("add_dirs")) {
		folders = append(folders, path.Clean(text(item)))
		r.claudeInputs(f, item, dir, &c)
	}
	r.onlyHas(f, dir, folders)
	for _, item := range each(o.get("graders")) {
		c.Checks = append(c.Checks, r.claudeGrader(f, newFlat(item), "")...)
	}
	r.leave(f, o)
	for _, name := range list(r.root, dir+"/graders/*") {
		if g := r.read(name); g != nil {
			fields, body := r.matter(g, "claude-grader")
			checks := r.claudeGrader(g, newFlat(fields), body)
			for i := range checks {
				checks[i].Name = cmp.Or(checks[i].Name, strings.TrimSuffix(path.Base(name), ".md"))
			}
			c.Checks = append(c.Checks, checks...)
		}
	}
	if r.lenient && slices.ContainsFunc(r.problems[before:], func(p Problem) bool { return p.Level == Error }) {
		r.refuse(f, 0, "case %s is left out", printable.Quote(c.ID))
		return
	}
	r.add(f, 0, c)
}

// onlyHas reports what is in the folder of a case besides the names.
func (r claude) onlyHas(f *file, dir string, names []string) {
	entries, _ := fs.ReadDir(r.root.FS(), dir) // it was just listed
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			r.unsupported(f, nil, "file", e.Name())
		}
	}
}

// claudeInputs adds the files of the case's folder, below their names in it.
func (r claude) claudeInputs(f *file, n *jsonpos.Node, dir string, c *Case) {
	folder := path.Clean(text(n))
	from := path.Join(dir, folder)
	if !fs.ValidPath(from) || !strings.HasPrefix(from, "evals/") {
		r.unsupported(f, n, "the folder", folder)
		return
	}
	known := len(c.Files)
	r.input(f, n.Start, c, from)
	for i := known; i < len(c.Files); i++ {
		_, c.Files[i].Path, _ = strings.Cut(c.Files[i].Path, folder+"/")
	}
}

// claudeGrader reads a grader, in a file or in a list, as checks.
func (r claude) claudeGrader(f *file, o *object, body string) []Check {
	c := Check{Type: o.text("type"), Name: o.text("name"), Arm: cmp.Or(strings.TrimSuffix(o.text("arm"), "-only"), Both), Path: o.text("path")}
	if weight := o.number("weight"); weight > 0 {
		c.Weight = &weight
	}
	o.get("description")
	defer func() { r.leave(f, o) }()
	switch c.Type {
	case "llm":
		c.Type, c.Criteria = "judge", cmp.Or(o.text("criteria"), body)
		if c.Criteria == "" {
			r.report(f, 0, Error, "write below the frontmatter what the judge decides", "the grader has no criteria")
		}
	case "regex":
		r.claudeRegex(f, o, &c, body)
	case "file_exists":
		if o.text("exists") == "false" {
			c.Type = "file_absent"
		}
		if strings.Contains(c.Path, "**") || strings.ContainsAny(c.Path, "{}!") || c.Path == "" {
			r.unsupported(f, o.get("path"), "the path", c.Path)
		}
	case "tool_order":
		c.Tools = []string{toolName(claudeToolName(o.get("before"))), toolName(claudeToolName(o.get("after")))}
		if c.Tools[0] == "" || c.Tools[1] == "" {
			r.report(f, o.Start, Error, "write before and after", "tool_order needs two tools")
		}
	case "tool_used":
		return r.claudeTool(f, o, c)
	case "":
		return nil // which the schema reports
	default:
		r.unsupported(f, o.get("type"), "the grader", c.Type)
	}
	r.usable(f, o.Node, c)
	return []Check{c}
}

// claudeToolName returns the tool of an end of tool_order: a name, or an object with one.
func claudeToolName(n *jsonpos.Node) string {
	if n.Fields() != nil {
		return text(n.Field("tool"))
	}
	return text(n)
}

// claudeRegex reads the pattern, where it is looked for, and what it means.
func (r claude) claudeRegex(f *file, o *object, c *Check, body string) {
	c.Pattern = cmp.Or(o.text("pattern"), body)
	if c.Pattern == "" {
		r.report(f, 0, Error, "write it in the frontmatter or below it", "the grader has no pattern")
	}
	switch match := cmp.Or(o.text("match"), "contains"); {
	case match == "contains":
	case match == "not_contains":
		c.Not = true
	case strings.HasPrefix(match, "count:"):
		n, err := strconv.Atoi(strings.TrimPrefix(match, "count:"))
		if err != nil || n < 1 || n > 100 {
			r.unsupported(f, o.get("match"), "match", match)
			return
		}
		c.Pattern = fmt.Sprintf("(?:%s)(?:[\\s\\S]*?(?:%s)){%d}", c.Pattern, c.Pattern, n-1)
	default:
		r.unsupported(f, o.get("match"), "match", match)
	}
	if flags := o.text("flags"); flags != "" {
		c.Pattern = "(?" + flags + ")" + c.Pattern
	}
	target := o.get("target")
	source := cmp.Or(text(target.Field("source")), "last_message")
	if target != nil && target.Fields() == nil {
		source = text(target)
	}
	switch source {
	case "last_message":
	case "file":
		c.Type, c.Path = "file_regex", text(target.Field("path"))
	case "files":
		c.Type = "names_regex"
	case "trace":
		c.Type = "trace_regex"
	default:
		r.unsupported(f, target, "the target", source)
	}
}

// claudeTool reads how often a tool is used. Only the tool Skill means the same here.
func (r claude) claudeTool(f *file, o *object, c Check) []Check {
	c.Tool = o.text("tool")
	for key, limit := range map[string]**float64{"min": &c.Min, "max": &c.Max} {
		if o.get(key) != nil {
			*limit = new(o.number(key))
		}
	}
	r.usable(f, o.Node, Check{Min: c.Min, Max: c.Max})
	if c.Tool != "Skill" {
		c.Tool, c.Input = toolName(c.Tool), ""
		if c.Tool == o.text("tool") {
			r.unsupported(f, o.get("tool"), "tool", c.Tool)
		}
		return []Check{c}
	}
	if match := o.text("input_match"); match != "" {
		input, err := regexp.Compile(match)
		if err != nil || !input.MatchString(fmt.Sprintf(`{"skill":%[1]q} {"skill": %[1]q}`, r.Skill)) {
			r.unsupported(f, o.get("input_match"), "input_match", match)
		}
	}
	several, some := c.Min != nil && *c.Min > 1, c.Max != nil && *c.Max > 0
	if several || some {
		r.unsupported(f, o.get("max", "min"), "a number of loads", cmp.Or(o.text("max"), o.text("min")))
	}
	loaded := Check{Type: "skill_loaded", Name: c.Name, Weight: c.Weight, Arm: With}
	if c.Max != nil { // 0
		loaded.Type, loaded.Arm = "skill_not_loaded", c.Arm
	}
	return []Check{loaded}
}

// matter splits a Markdown file into its frontmatter, which must match a schema, and its
// text.
func (r claude) matter(f *file, schema string) (*jsonpos.Node, string) {
	content := frontmatter.Scan(f.src)
	block := content.Block()
	return r.fields(f, block.Start, min(block.End, block.Start+frontmatter.MaxSize), schema), strings.TrimSpace(content.Body)
}

// fields reads the YAML between two offsets, which must match a schema.
func (r claude) fields(f *file, from, end int, schema string) *jsonpos.Node {
	top, err := yamlNode(f.src[from:end], from)
	if err != nil {
		r.reportYAML(f, from, Error, "write the fields as YAML between two lines ---", err)
		return at(jsonpos.Parse([]byte("{}")), from)
	}
	if schema != "" {
		r.validate(f, top, "the frontmatter", readSchema(schema))
	}
	return top
}
