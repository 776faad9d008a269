package suite

// An assertion that is an object says with a type what it decides. The types of other
// programs are other names of ours; those that mean nothing here are named.

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// assertions reads assertions that are objects.
type assertions struct{ *reader }

// meaning is what a type of another program is here.
type meaning struct {
	kind   string
	not    bool
	folded bool // upper and lower case are the same
}

// meanings returns the types of checks that are read, ours too.
func meanings() map[string]meaning {
	all := map[string]meaning{}
	add := func(m meaning, names ...string) {
		for _, name := range names {
			all[name] = m
		}
	}
	add(meaning{kind: "judge"}, "judge", "llm", "llm-rubric", "llm_rubric", "g-eval", "semantic", "qualitative", "prompt", "model-graded-closedqa")
	add(meaning{kind: "contains"}, "contains", "content_contains", "contains_phrase", "output-contains", "output_contains")
	add(meaning{kind: "not_contains"}, "not_contains", "not-contains", "does_not_contain", "output_not_contains", "output-not-contains")
	add(meaning{kind: "regex", folded: true}, "icontains")
	add(meaning{kind: "regex", folded: true, not: true}, "not-icontains")
	add(meaning{kind: "regex"}, "regex", "content_regex", "contains_pattern", "output-matches", "output_matches")
	add(meaning{kind: "regex", not: true}, "not-regex", "not_contains_pattern", "output-not-matches", "output_not_matches")
	add(meaning{kind: "equals"}, "equals")
	add(meaning{kind: "file_exists"}, "file_exists", "file-exists")
	add(meaning{kind: "file_absent"}, "file_absent", "file-not-exists", "file_not_exists")
	add(meaning{kind: "file_contains"}, "file_contains", "file-contains")
	add(meaning{kind: "file_contains", not: true}, "file_not_contains", "file-not-contains")
	add(meaning{kind: "file_regex"}, "file_regex", "file-matches", "file_matches")
	add(meaning{kind: "file_regex", not: true}, "file-not-matches", "file_not_matches")
	for _, kind := range []string{"json", "json_schema", "file_json", "csv_rows", "unchanged", "tool_used", "tool_order", "skill_loaded", "skill_not_loaded",
		"resource_read", "script_used", "todos_complete", "max_turns", "max_tool_calls", "max_tokens", "max_seconds", "command", "names_regex", "trace_regex"} {
		add(meaning{kind: kind}, kind)
	}
	return all
}

// finished are types that decide that the run ended, which every run is held to.
func finished() []string {
	return []string{"completed", "exit_success", "task_completed", "exit_code"}
}

// assertion reads an assertion that is an object.
func (r assertions) assertion(f *file, n *jsonpos.Node, not bool, id string) []Check {
	kind := text(n.Field("type"))
	if kind != "" && isOurs(n, kind) {
		open := *r.check
		open.Closed = nil
		r.leaveCheck(f, n)
		return []Check{r.readCheck(f, withoutNull(n), &open)}
	}
	config := n.Field("config")
	o := newObject(n)
	if config.Fields() != nil {
		o = newObject(merge(n, config))
		o.used["config"] = true
	}
	o.used["type"] = true
	m, known := meanings()[kind]
	switch {
	case slices.Contains(finished(), kind):
		return nil
	case kind != "" && !known:
		if checks, ok := (graders{r.reader}).settingsGrader(f, o, kind, id); ok {
			r.leave(f, o)
			return checks
		}
		cases{r.reader}.unknownType(f, n, kind, id)
		return []Check{}
	case kind == "" && n.Field("pattern") != nil:
		m = meaning{kind: "regex"}
	case kind == "":
		m = meaning{kind: "judge"}
	}
	checks := r.meant(f, o, m, not, kind)
	for _, c := range checks {
		r.usable(f, n, c)
	}
	r.leave(f, o)
	return checks
}

// meant returns the checks of an object with a known meaning.
func (r assertions) meant(f *file, o *object, m meaning, not bool, kind string) []Check {
	c := Check{Type: m.kind, Not: m.not != not, Name: o.text("name"), Path: o.text("path"), Arm: cmp.Or(strings.TrimSuffix(o.text("arm"), "-only"), Both)}
	if weight := o.number("weight", "max_score"); weight > 0 {
		c.Weight = &weight
	}
	switch m.kind {
	case "judge":
		if parts := o.Field("value").Items(); parts != nil { // a rubric
			o.used["value"] = true
			var all []Check
			for _, part := range parts {
				all = append(all, r.assertion(f, part, not, "")...)
			}
			return all
		}
		c.Criteria = o.text("criteria", "check", "text", "outcome", "prompt", "rubric", "value", "description", "sentence")
		if more := o.text("expected"); more != "" {
			c.Criteria += ": " + more
		}
		if strings.TrimSpace(c.Criteria) == "" {
			r.report(f, o.Start, Error, `write a sentence, or an object such as {"type": "contains", "value": "42"}`, "an assertion without a type or a text")
		}
	case "regex", "file_regex":
		value := o.text("pattern", "value", "phrase", "substring", "text")
		if m.folded {
			value = "(?i)" + regexp.QuoteMeta(value)
		}
		c.Pattern = value
	default:
		c.Value = o.text("value", "phrase", "substring", "pattern", "text")
	}
	if c.Name == "" && m.kind != "judge" {
		c.Name = o.text("description", "text")
	}
	if kind != "" && strings.TrimSpace(cmp.Or(c.Criteria, c.Pattern, c.Value, c.Path)) == "" {
		r.report(f, o.Start, Error, "add it", "the check %s has no value", printable.Quote(kind))
	}
	return []Check{c}
}

// isOurs reports whether a check has the form of evals/checks.json.
func isOurs(n *jsonpos.Node, kind string) bool {
	m, known := meanings()[kind]
	ours := known && m == meaning{kind: kind}
	foreign := kind == "regex" && n.Field("pattern") == nil || kind == "judge" && n.Field("criteria") == nil || n.Field("config") != nil
	return ours && !(foreign && (n.Field("value") != nil || n.Field("config") != nil || n.Field("text") != nil))
}

// withoutNull returns an object without the keys whose value is null, except for equals,
// where null is a value.
func withoutNull(n *jsonpos.Node) *jsonpos.Node {
	fields := map[string]*jsonpos.Node{}
	for key, value := range n.Fields() {
		if value.Value != nil || key == "equals" {
			fields[key] = value
		}
	}
	return &jsonpos.Node{Value: fields, Start: n.Start, End: n.End}
}

// leaveCheck remembers the keys of a check that the schema does not have.
func (r assertions) leaveCheck(f *file, n *jsonpos.Node) {
	o := &object{Node: n, used: map[string]bool{}}
	for key := range r.check.Properties {
		o.used[key] = true
	}
	r.leave(f, o)
}

// merge returns an object with the keys of another one that it does not have itself.
func merge(n, more *jsonpos.Node) *jsonpos.Node {
	fields := map[string]*jsonpos.Node{}
	for _, from := range []*jsonpos.Node{more, n} {
		for key, value := range from.Fields() {
			fields[key] = value
		}
	}
	return &jsonpos.Node{Value: fields, Start: n.Start, End: n.End}
}
