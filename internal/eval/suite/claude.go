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
	folders, _ := fs.ReadDir(r.root.FS(), "evals") // without the folder there are no cases
	for _, folder := range folders {
		dir := path.Join("evals", folder.Name())
		entries, _ := fs.ReadDir(r.root.FS(), dir)
		has := func(name string) bool {
			return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
		}
		if !has("prompt.md") && !(has("case.yaml") && has("graders")) {
			continue
		}
		f := newFile(path.Join(r.named, dir), nil)
		for _, e := range entries {
			if !slices.Contains([]string{"prompt.md", "graders", "README.md"}, e.Name()) {
				r.report(f, 0, Error, "write the case in prompt.md and graders/*.md, or in evals/evals.json", "not supported: %s", printable.Quote(e.Name()))
			}
		}
		if has("prompt.md") {
			r.claudeCase(dir, folder.Name())
		}
	}
}

func (r *reader) claudeCase(dir, name string) {
	f := r.read(path.Join(dir, "prompt.md"))
	if f == nil {
		return
	}
	top, body := r.matter(f, "claude-case")
	if top == nil {
		return
	}
	errors := r.errors
	var s caseSettings
	decode(top, &s)
	c := Case{ID: name, Name: s.Name, Prompt: body, Expected: s.Expected, Tags: s.Tags, Runs: s.Runs, Model: s.Model, MaxTurns: s.MaxTurns, Timeout: s.timeout(), System: s.Append}
	if body == "" {
		r.report(f, len(f.src), Error, "write what the user says below the frontmatter", "the prompt is empty")
	}
	graders, _ := fs.ReadDir(r.root.FS(), dir+"/graders") // without graders, the case has no assertion
	for _, e := range graders {
		if g := r.read(path.Join(dir, "graders", e.Name())); g != nil {
			if check, ok := r.grader(g); ok {
				check.Name = cmp.Or(check.Name, strings.TrimSuffix(e.Name(), ".md"))
				c.Checks = append(c.Checks, check)
			}
		}
	}
	r.add(f, 0, c, r.errors == errors)
}

// grader reads a grader as a check.
func (r *reader) grader(f *file) (c Check, ok bool) {
	top, body := r.matter(f, "claude-grader")
	if top == nil {
		return c, false
	}
	decode(top, &c) // the keys that both formats have
	c.Arm = Both
	if strings.HasPrefix(text(top.Field("arm")), With) {
		c.Arm = With
	}
	unsupported := ""
	switch c.Type {
	case "llm":
		if c.Type, c.Criteria = "judge", cmp.Or(c.Criteria, body); c.Criteria == "" {
			r.report(f, top.Start, Error, "write below the frontmatter what the judge decides", "the grader has no criteria")
			return c, false
		}
	case "regex":
		if flags := text(top.Field("flags")); flags != "" {
			c.Pattern = "(?" + flags + ")" + c.Pattern
		}
		if target := top.Field("target"); target.Fields() != nil {
			c.Type, c.Path = "file_regex", text(target.Field("path"))
		} else if text(target) != "" && text(target) != "last_message" {
			unsupported = "target"
		}
	case "file_exists":
		if strings.Contains(c.Path, "**") || strings.ContainsAny(c.Path, "{}!") {
			unsupported = "path"
		}
	case "tool_used":
		unsupported = r.skillUse(&c)
	default: // tool_order, whose tools are those of Claude Code, and baseline
		unsupported = "type"
	}
	if unsupported != "" {
		r.report(f, top.At([]string{unsupported}).Start, Error, "use a check in evals/checks.json", "not supported: %s %s", unsupported, printable.Quote(text(top.Field(unsupported))))
		return c, false
	}
	return c, r.usable(f, top, c)
}

// skillUse converts a check that Claude Code's tool Skill was called for this skill. It
// returns the key that cannot be converted, or "".
func (r *reader) skillUse(c *Check) string {
	input, err := regexp.Compile(c.Input)
	switch {
	case c.Tool != "Skill":
		return "tool"
	case err != nil || !input.MatchString(fmt.Sprintf(`{"skill":%q}`, r.Skill)) && !input.MatchString(fmt.Sprintf(`{"skill": %q}`, r.Skill)):
		return "input_match"
	case c.Max != nil && *c.Max == 0:
		*c = Check{Type: "skill_not_loaded", Name: c.Name, Weight: c.Weight, Arm: c.Arm}
	case c.Max != nil:
		return "max"
	case c.Min != nil && *c.Min != 1:
		return "min"
	default:
		*c = Check{Type: "skill_loaded", Name: c.Name, Weight: c.Weight, Arm: With}
	}
	return ""
}

// matter splits a Markdown file into its frontmatter, which must match a schema, and its
// text. The frontmatter is nil, with a problem, if it cannot be used. Its values have the
// offset of their top-level key.
func (r *reader) matter(f *file, schema string) (*jsonpos.Node, string) {
	content := frontmatter.Scan(f.src)
	block := content.Block()
	fields := map[string]any{}
	source := f.src[block.Start:min(block.End, block.Start+frontmatter.MaxSize)]
	err := yaml.Unmarshal(source, &fields)
	plain, jsonErr := json.Marshal(fields)
	if err = cmp.Or(err, jsonErr); err != nil {
		r.report(f, block.Start, Error, "write the fields as YAML between two lines ---", "not valid YAML: %s", printable.Line(printable.Truncate(err.Error(), 200)))
		return nil, ""
	}
	top := jsonpos.Parse(plain)
	place(top, 0)
	for key, n := range top.Fields() {
		if at := regexp.MustCompile(`(?m)^["']?` + regexp.QuoteMeta(key) + `\b`).FindIndex(source); at != nil {
			place(n, block.Start+at[0])
		}
	}
	if !r.validate(f, top, r.schema(schema, "")) {
		return nil, ""
	}
	return top, strings.TrimSpace(content.Body)
}

// place sets the offset of a value and of all in it.
func place(n *jsonpos.Node, offset int) {
	n.Start, n.End = offset, offset
	for _, item := range n.Items() {
		place(item, offset)
	}
	for _, field := range n.Fields() {
		place(field, offset)
	}
}
