package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
)

// readClaude reads the cases of Claude Code, folders with a prompt.md and graders. What
// this program cannot do is an error.
func (r *reader) readClaude() {
	for _, name := range list(r.root, "evals/*/prompt.md") {
		if f := r.read(name); f != nil {
			r.claudeCase(f, path.Dir(name))
		}
	}
	for _, name := range list(r.root, "evals/*/case.yaml") {
		r.unsupported(newFile(path.Join(r.named, name), nil), "file", "case.yaml")
	}
}

func (r *reader) unsupported(f *file, what, value string) {
	r.report(f, 0, Error, "write the case in evals/evals.json and evals/checks.json",
		"not supported: %s %s", what, printable.Quote(value))
}

// claudeCase reads a case in the folder dir.
func (r *reader) claudeCase(f *file, dir string) {
	top, body := r.matter(f, "claude-case")
	if body == "" {
		r.report(f, 0, Error, "write what the user says below the frontmatter", "the prompt is empty")
	}
	c := Case{Prompt: body}
	decode(top, &c)
	c.ID, c.Expected = path.Base(dir), text(top.Field("expected_outcome"))
	c.System = text(top.Field("append_system_prompt"))
	entries, _ := fs.ReadDir(r.root.FS(), dir) // it was just listed
	for _, e := range entries {
		if !slices.Contains([]string{"prompt.md", "graders", "README.md", "case.yaml"}, e.Name()) {
			r.unsupported(f, "file", e.Name())
		}
	}
	for _, name := range list(r.root, dir+"/graders/*") {
		if g := r.read(name); g != nil {
			check := r.grader(g)
			check.Name = cmp.Or(check.Name, strings.TrimSuffix(path.Base(name), ".md"))
			c.Checks = append(c.Checks, check)
		}
	}
	r.add(f, 0, c)
}

// grader reads a grader as a check.
func (r *reader) grader(f *file) (c Check) {
	top, body := r.matter(f, "claude-grader")
	decode(top, &c) // the keys that both formats have
	c.Arm = cmp.Or(strings.TrimSuffix(c.Arm, "-only"), Both)
	switch c.Type {
	case "llm":
		c.Type, c.Criteria = "judge", cmp.Or(c.Criteria, body)
		if c.Criteria == "" {
			r.report(f, 0, Error, "write below the frontmatter what the judge decides", "the grader has no criteria")
		}
	case "regex":
		if flags := text(top.Field("flags")); flags != "" {
			c.Pattern = "(?" + flags + ")" + c.Pattern
		}
		if target := top.Field("target"); target.Fields() != nil {
			c.Type, c.Path = "file_regex", text(target.Field("path"))
		}
	case "tool_used": // of the tool Skill, see the schema
		input, err := regexp.Compile(c.Input)
		if err != nil || !input.MatchString(fmt.Sprintf(`{"skill":%[1]q} {"skill": %[1]q}`, r.Skill)) {
			r.unsupported(f, "input_match", c.Input)
		}
		r.usable(f, top, Check{Min: c.Min, Max: c.Max})
		loaded := Check{Type: "skill_loaded", Name: c.Name, Weight: c.Weight, Arm: With}
		if c.Max != nil { // 0
			loaded.Type, loaded.Arm = "skill_not_loaded", c.Arm
		}
		return loaded
	}
	r.usable(f, top, c)
	return c
}

// matter splits a Markdown file into its frontmatter, which must match a schema, and its
// text. Problems have the file's first line.
func (r *reader) matter(f *file, schema string) (*jsonpos.Node, string) {
	content := frontmatter.Scan(f.src)
	block, src := content.Block(), f.src
	f.src = nil // without a text, offsets are on the first line
	fields := map[string]any{}
	err := yaml.Unmarshal(src[block.Start:min(block.End, block.Start+frontmatter.MaxSize)], &fields)
	plain, jsonErr := json.Marshal(fields)
	err = cmp.Or(err, jsonErr)
	if err != nil {
		r.report(f, 0, Error, "write the fields as YAML between two lines ---", "not valid YAML: %s",
			printable.Line(printable.Truncate(err.Error(), 200)))
		plain = []byte("{}")
	}
	top := jsonpos.Parse(plain)
	if err == nil {
		r.validate(f, top, "the frontmatter", readSchema(schema))
	}
	return top, strings.TrimSpace(content.Body)
}
