package suite

// Graders of waza, vally, skill-up and skillgrade decide several things at once, by lists in
// their settings. Each becomes checks of ours.

import (
	"path"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// graders reads the graders of other programs.
type graders struct{ *reader }

// toolNames returns our names of the tools of other agents.
func toolNames() map[string]string {
	return map[string]string{
		"Read": "read_file", "view": "read_file", "Write": "write_file", "create": "write_file", "Edit": "edit_file", "edit": "edit_file",
		"Glob": "list_files", "Grep": "search_files", "Bash": "run_command", "bash": "run_command",
	}
}

// toolName returns our name of a tool, the name itself if none is known.
func toolName(name string) string {
	if ours := toolNames()[name]; ours != "" {
		return ours
	}
	return name
}

// settingsGrader reads a grader with settings; ok is false if its kind is unknown.
func (r graders) settingsGrader(f *file, o *object, kind, id string) (checks []Check, ok bool) {
	add := func(check Check, keys ...string) {
		for _, item := range each(o.get(keys...)) {
			c, value := check, text(item)
			c.Arm, c.Name = Both, ""
			switch c.Type {
			case "contains", "not_contains":
				c.Value = value
			case "regex":
				c.Pattern = value
			case "file_exists", "file_absent":
				c.Path = value
			case "tool_used":
				c.Tool = toolName(value)
			default:
				limit := (&object{Node: item}).limit()
				c.Max = &limit
			}
			r.usable(f, item, c)
			checks = append(checks, c)
		}
	}
	switch kind {
	case "skill-invocation", "skill_invocation":
		checks = r.invocation(o)
	case "text":
		add(Check{Type: "contains"}, "contains")
		add(Check{Type: "not_contains"}, "not_contains")
		add(Check{Type: "regex"}, "regex_match")
		add(Check{Type: "regex", Not: true}, "regex_not_match")
	case "file":
		add(Check{Type: "file_exists"}, "must_exist")
		add(Check{Type: "file_absent"}, "must_not_exist")
		checks = append(checks, r.contents(f, o)...)
	case "behavior":
		add(Check{Type: "max_tokens"}, "max_tokens")
		add(Check{Type: "max_tool_calls"}, "max_tool_calls")
		add(Check{Type: "tool_used"}, "required_tools")
		add(Check{Type: "tool_used", Max: new(0.0)}, "forbidden_tools")
	case "action_sequence":
		c := Check{Type: "tool_order", Arm: Both}
		for _, item := range each(o.get("expected_actions")) {
			c.Tools = append(c.Tools, toolName(text(item)))
		}
		checks = append(checks, c)
	case "rule_based":
		checks = append(r.rules(o.get("success"), false), r.rules(o.get("failure"), true)...)
	case "run-command", "deterministic", "script":
		return r.program(f, o, id), true
	default:
		return nil, false
	}
	o.get("name") // a label, but of several checks
	return checks, true
}

func (o *object) limit() float64 {
	return (&object{Node: &jsonpos.Node{Value: map[string]*jsonpos.Node{"": o.Node}}, used: map[string]bool{}}).number("")
}

// invocation reads which skills must be loaded, and which must not.
func (r graders) invocation(o *object) []Check {
	required, disallowed := each(o.get("required", "required_skills")), each(o.get("disallowed", "disallowed_skills"))
	for _, n := range required {
		if r.isSkill(text(n)) {
			return []Check{{Type: "skill_loaded", Arm: With}}
		}
	}
	if len(required)+len(disallowed) == 0 {
		return nil
	}
	return []Check{{Type: "skill_not_loaded", Arm: With}}
}

// contents reads the patterns of files.
func (r graders) contents(f *file, o *object) (checks []Check) {
	for _, item := range each(o.get("content_patterns")) {
		for _, key := range []string{"must_match", "must_not_match"} {
			for _, pattern := range each(item.Field(key)) {
				not := key == "must_not_match"
				c := Check{Type: "file_regex", Path: text(item.Field("path")), Pattern: text(pattern), Not: not, Arm: Both}
				r.usable(f, pattern, c)
				checks = append(checks, c)
			}
		}
	}
	return checks
}

// rules reads the rules of skill-up: texts of the answer that mean success, or failure.
func (r graders) rules(n *jsonpos.Node, failure bool) (checks []Check) {
	for _, rule := range each(n) {
		words := rule.Field("output_contains")
		for _, item := range each(words.Field("all")) {
			checks = append(checks, Check{Type: "contains", Value: text(item), Arm: Both})
		}
		for _, item := range each(words.Field("not")) {
			checks = append(checks, Check{Type: "not_contains", Value: text(item), Arm: Both})
		}
		if some := each(words.Field("any")); len(some) > 0 {
			checks = append(checks, Check{Type: "regex", Pattern: anyOf(some), Not: failure, Arm: Both})
		}
	}
	return checks
}

// program reads a program that grades, and keeps it to be copied.
func (r graders) program(f *file, o *object, id string) []Check {
	c := Check{Type: "command", Arm: Both, Program: Program{Seconds: o.seconds("timeout_seconds")}}
	if weight := o.number("weight"); weight > 0 {
		c.Weight = &weight
	}
	if o.number("expected_exit_code") != 0 {
		cases{r.reader}.unknownType(f, o.Node, "run-command with another exit code than 0", id)
		return nil
	}
	o.get("expected_exit_code", "name")
	line := o.text("command", "run")
	words := strings.Fields(line)
	if script := o.text("script_path"); script != "" {
		words = []string{"sh", script}
	}
	if strings.ContainsAny(line, `|&;<>()$"'*?`) || len(words) > 0 && words[0] == "test" {
		words = []string{"sh", "-c", line}
	}
	for i, word := range words {
		name := path.Clean(word)
		data, found := r.find(f, name)
		if i > 0 && found && !strings.HasPrefix(word, "-") {
			if r.programs == nil {
				r.programs = map[string][]byte{}
			}
			r.programs["programs/"+name] = data
			words[i] = "evals/programs/" + name
		}
	}
	if len(words) == 0 {
		r.report(f, o.Start, Warning, "write it as a command", "case %s: a grader without a command is left out", printable.Quote(id))
		return nil
	}
	c.Command = words
	return []Check{c}
}
