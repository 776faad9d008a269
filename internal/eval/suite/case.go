package suite

// A case is read by every name that its parts have in published suites. What is asserted is
// in several lists, each of which has its own meaning: sentences for the judge, sentences
// that must be false, texts of the answer, files of the skill.

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// cases reads cases, in the words of any suite.
type cases struct{ *reader }

// expectations is what the entries of a list in a case mean.
type expectations struct {
	key, kind string
	not       bool
}

// sentences returns the lists that cases have, in the order in which they are read.
func sentences() (all []expectations) {
	add := func(kind string, not bool, keys ...string) {
		for _, key := range keys {
			all = append(all, expectations{key, kind, not})
		}
	}
	add("judge", false, "assertions", "expectations", "expected_behavior", "expected_behaviors", "expected_behavior_with_skill", "success_criteria", "expect",
		"must_have", "acceptance", "required_steps", "rubric", "must_cover", "criteria", "checklist", "judge", "expected_outputs", "assert", "graders")
	add("judge", true, "must_not_have", "must_not", "fail")
	add("contains", false, "must_include", "must_contain", "output_contains", "expect_grep", "expected_patterns", "verdict")
	add("not_contains", false, "must_not_include", "must_not_contain", "output_not_contains", "forbidden_patterns")
	add("resource_read", false, "expected_references", "expect_files")
	add("script_used", false, "expected_script")
	add("max_tool_calls", false, "max_tool_calls")
	add("max_tokens", false, "max_tokens")
	return all
}

// promptKeys are the names of what the user says.
func promptKeys() []string {
	return []string{"prompt", "question", "task", "query", "user_query", "instruction"}
}

// readCase reads a case. What it cannot read is reported, and the case is left out.
func (r cases) readCase(f *file, n *jsonpos.Node, o *object, index int) {
	c := Case{
		ID: o.text("id", "eval_id"), Prompt: o.text(promptKeys()...), Baseline: o.text("prompt_baseline"),
		Expected: o.text("expected_output", "ground_truth", "expected_outcome", "expected"),
		Settings: Settings{Name: o.text("name", "eval_name", "slug", "title"), System: o.text("append_system_prompt", "system")},
	}
	if c.ID == "" && r.lenient {
		c.ID = slug(c.Name)
	}
	c.ID = cmp.Or(c.ID, strconv.Itoa(index+1))
	if r.lenient {
		c.ID = r.unique(c.ID)
	}
	if !r.readTurns(f, o, &c) {
		return
	}
	if strings.TrimSpace(c.Prompt) == "" {
		r.report(f, n.Start, Error, "add it", "an entry of evals has no prompt")
		return
	}
	if r.lenient {
		c.Prompt, c.Expected = r.fileText(f, c.Prompt), r.fileText(f, c.Expected)
		if o.text("copy_test_files") == "true" {
			for _, input := range (formats{r.reader}).folder((formats{r.reader}).here(f), (formats{r.reader}).here(f)) {
				if path.Ext(input["path"]) != ".yaml" {
					r.readInput(f, value(input), &c)
				}
			}
		}
	}
	if context := o.text("context"); context != "" {
		c.Prompt = context + "\n\n" + c.Prompt
	}
	before := len(r.problems)
	c.Checks = r.readAssertions(f, o, c.ID)
	if words := each(o.get("output_contains_any")); len(words) > 0 {
		c.Checks = append(c.Checks, Check{Type: "regex", Pattern: anyOf(words), Arm: Both})
	}
	for _, input := range slices.Concat(each(o.get("files")), each(o.get("input_files")), each(o.get("workspace"))) {
		r.readInput(f, input, &c)
	}
	if r.lenient {
		r.readSettings(o, &c)
	}
	r.leave(f, o)
	if r.lenient && slices.ContainsFunc(r.problems[before:], func(p Problem) bool { return p.Level == Error }) {
		for i := range r.problems[before:] { // the others are still of use
			r.problems[before+i].Level = Warning
		}
		r.report(f, n.Start, Warning, "correct it and import again", "case %s is left out", printable.Quote(c.ID))
		return
	}
	r.add(f, n.Start, c)
}

// readAssertions reads the assertions of a case. It records that some cannot be read, so that
// the case is not said to have none.
func (r cases) readAssertions(f *file, o *object, id string) []Check {
	before, checks := len(r.problems), r.loadedCheck(o)
	for _, e := range sentences() {
		for _, item := range each(o.get(e.key)) {
			checks = append(checks, r.expectation(f, item, e, id)...)
		}
	}
	if slices.ContainsFunc(r.problems[before:], func(p Problem) bool { return p.Level == Error }) {
		if r.unread == nil {
			r.unread = map[string]bool{}
		}
		r.unread[id] = true
	}
	return checks
}

// readTurns reads what the user says after the prompt, or all of it. It returns false, with a
// problem, if the conversation has more than that: what an agent has answered, or what is
// asserted before its end.
func (r cases) readTurns(f *file, o *object, c *Case) bool {
	for _, item := range o.get("turns").Items() {
		said, turn := text(item), newFlat(item)
		if item.Fields() != nil {
			said = turn.text("prompt", "content", "user", "message", "text", "query", "input")
			role := turn.text("role")
			asserts := slices.ContainsFunc(sentences(), func(e expectations) bool { return turn.Field(e.key) != nil })
			switch {
			case role != "" && role != "user":
				r.refuse(f, item.Start, "case %s has a turn of the %s, which only the model writes here", printable.Quote(c.ID), printable.Line(role))
				return false
			case asserts:
				r.refuse(f, item.Start, "case %s asserts something of a turn, and a conversation is graded at its end", printable.Quote(c.ID))
				return false
			}
			r.leave(f, turn)
		}
		switch {
		case strings.TrimSpace(said) == "":
			r.refuse(f, item.Start, "a turn of case %s has no text", printable.Quote(c.ID))
			return false
		case c.Prompt == "":
			c.Prompt = said
		default:
			c.Turns = append(c.Turns, said)
		}
	}
	return true
}

// unique returns an id that no case has yet: cases of several files may have the same.
func (r cases) unique(id string) string {
	taken := func(id string) bool {
		return slices.ContainsFunc(r.Cases, func(c Case) bool { return c.ID == id })
	}
	for n, first := 2, id; taken(id); n++ {
		id = first + "-" + strconv.Itoa(n)
	}
	return id
}

// fileText returns the text of the file that a value names, or the value.
func (r cases) fileText(f *file, name string) string {
	if strings.ContainsAny(name, " \n") || path.Ext(name) != ".md" && path.Ext(name) != ".txt" {
		return name
	}
	if data, found := r.find(f, name); found {
		return strings.TrimSpace(string(data))
	}
	return name
}

// anyOf returns a pattern for one of several texts.
func anyOf(words []*jsonpos.Node) string {
	return strings.Join(printable.Map(words, func(n *jsonpos.Node) string { return regexp.QuoteMeta(text(n)) }), "|")
}

// readSettings reads what our own files have in evals/checks.json.
func (r cases) readSettings(o *object, c *Case) {
	for _, tag := range each(o.get("tags")) {
		if tag.Fields() != nil {
			for key, value := range tag.Fields() {
				c.Tags = append(c.Tags, key+":"+text(value))
			}
			slices.Sort(c.Tags)
		} else if text(tag) != "" {
			c.Tags = append(c.Tags, text(tag))
		}
	}
	c.Seconds, c.MaxTurns = o.seconds("timeout_seconds", "timeout"), int(o.number("max_turns"))
	c.Runs = int(o.number("runs", "trials"))
	if ms := o.number("max_response_time_ms"); ms > 0 {
		c.Checks = append(c.Checks, Check{Type: "max_seconds", Max: new(ms / 1000), Arm: Both})
	}
}

// loadedCheck returns the check whether the skill was loaded, if the case says it should be.
func (r cases) loadedCheck(o *object) []Check {
	wanted, named := (*bool)(nil), o.Field("expected_skill")
	if named != nil {
		o.used["expected_skill"] = true
		wanted = new(r.isSkill(text(named)))
	}
	for _, key := range []string{"should_trigger", "expect_activation", "skill_activated"} {
		if v := o.get(key); v != nil && wanted == nil {
			wanted = new(text(v) == "true")
		}
	}
	switch {
	case wanted == nil:
		return nil
	case *wanted:
		return []Check{{Type: "skill_loaded", Arm: With}}
	}
	return []Check{{Type: "skill_not_loaded", Arm: With}}
}

// isSkill reports whether a name, which may have that of a plugin before it, is the skill's.
func (r *reader) isSkill(name string) bool {
	_, last, found := strings.Cut(name, ":")
	return name == r.Skill || found && last == r.Skill
}

// refuse reports what has no meaning here: an error where the file is read directly, and a
// warning where it is imported, because the rest is of use.
func (r *reader) refuse(f *file, offset int, format string, args ...any) {
	level := Error
	if r.lenient {
		level = Warning
		r.refused++
	}
	r.report(f, offset, level, "it has no meaning here; write it in another form", format, args...)
}

// expectation reads an entry of a list in a case.
func (r cases) expectation(f *file, n *jsonpos.Node, e expectations, id string) []Check {
	if n.Fields() != nil {
		return assertions{r.reader}.assertion(f, n, e.not, id)
	}
	value := text(n)
	c := Check{Type: e.kind, Arm: Both, Not: e.not}
	switch e.kind {
	case "judge":
		c.Criteria = value
	case "resource_read", "script_used":
		c.Path, c.Arm = value, With
	case "max_tool_calls", "max_tokens":
		limit, _ := strconv.ParseFloat(value, 64)
		c.Max = &limit
	default:
		c.Value = value
	}
	return []Check{c}
}

// readInput reads an input of a case: a path, or an object with a path and the content or
// the source.
func (r cases) readInput(f *file, n *jsonpos.Node, c *Case) {
	if n.Fields() == nil {
		r.input(f, n.Start, c, text(n))
		return
	}
	o := newObject(n)
	target, content, source := o.text("path", "dest", "name"), o.get("content"), o.text("source", "src")
	local := path.IsAbs(target) || strings.HasPrefix(path.Clean(target), "..")
	switch {
	case local && r.lenient:
		r.refuse(f, n.Start, "case %s: the input %s is outside the run's folder and is left out", printable.Quote(c.ID), printable.Quote(target))
	case local || target == "":
		r.report(f, n.Start, Error, `write {"path": "data/a.csv", "content": "a,b\n"}`, "an input without a path in the run's folder")
	case content != nil:
		body := text(content)
		c.Files = append(c.Files, File{Path: path.Clean(target), Content: &body})
	case source != "" || r.lenient:
		known := len(c.Files)
		r.input(f, n.Start, c, cmp.Or(source, target))
		for i := known; i < len(c.Files); i++ {
			c.Files[i].Path = path.Clean(target)
		}
	default:
		r.report(f, n.Start, Error, `write {"path": "data/a.csv", "content": "a,b\n"}`, "the input %s has no content", printable.Quote(target))
	}
	r.leave(f, o)
}

// unknownType reports a check of a type that has no meaning here.
func (r cases) unknownType(f *file, n *jsonpos.Node, kind, id string) {
	if r.lenient || slices.Contains(elsewhere(), kind) {
		r.report(f, n.Start, Warning, "write it as a command, or as a sentence for the judge",
			"case %s: a check of type %s has no meaning here and is left out", printable.Quote(id), printable.Quote(kind))
		return
	}
	known := slices.Sorted(maps.Keys(meanings()))
	help := suggest.Hint(kind, known, "see the types with: skills eval lint --schema checks")
	r.report(f, n.Start, Error, help, "unsupported type %s", printable.Quote(printable.Truncate(kind, 80)))
}

// elsewhere are types of checks that other programs decide by what only they have.
func elsewhere() []string {
	return []string{"javascript", "python", "code", "tool_use", "tool-calls", "tool_calls", "trajectory", "baseline", "valid_csv", "valid_json", "deterministic", "script"}
}
