package suite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// TodosComplete is the type of the check that all items of the todo list are done. A
// tool has the same name; the check does not look for calls of it.
const TodosComplete = "todos_complete"

// readChecks reads evals/checks.json and adds its checks and settings to the cases.
func (r *reader) readChecks() {
	f := r.read("evals/checks.json")
	if f == nil {
		return
	}
	var ids []string
	for _, c := range r.Cases {
		ids = append(ids, c.ID)
	}
	for id, n := range r.parse(f, "checks").Field("cases").Fields() {
		i := slices.Index(ids, id)
		if i < 0 {
			help := suggest.Hint(id, ids, "use the id of a case")
			r.report(f, n.Start, Error, help, "no case has the id %s", printable.Quote(id))
			continue
		}
		c := &r.Cases[i]
		decode(n, c)
		for _, item := range n.Field("checks").Items() {
			c.Checks = append(c.Checks, r.readCheck(f, item, r.check))
		}
	}
}

// decode converts a value that matches its schema.
func decode(n *jsonpos.Node, v any) {
	// An error would be a number that does not fit its field; then that is 0, a default.
	_ = json.Unmarshal([]byte(printable.JSONText(n.Plain())), v)
}

// readCheck converts a check that must match a schema, and reports faults that the schema
// cannot express.
func (r *reader) readCheck(f *file, n *jsonpos.Node, s *schema) (c Check) {
	if sentence, isText := n.Value.(string); isText {
		return Check{Type: "judge", Criteria: sentence, Arm: Both}
	}
	if decode(n, &c); c.Arm == "" {
		c.Arm = Both
		if slices.Contains([]string{"skill_loaded", "resource_read", "script_used"}, c.Type) {
			c.Arm = With // only that arm can pass
		}
	}
	if r.validate(f, n, "the check", s) {
		r.usable(f, n, c)
	}
	return c
}

// usable reports values of a check that cannot be used.
func (r *reader) usable(f *file, n *jsonpos.Node, c Check) {
	faults := map[string]error{}
	_, faults["pattern"] = regexp.Compile(c.Pattern)
	_, faults["input_match"] = regexp.Compile(c.Input)
	if c.Schema != nil {
		_, faults["schema"] = params.CompileSchema(string(c.Schema))
	}
	if c.Path != "" && !filepath.IsLocal(filepath.FromSlash(c.Path)) {
		faults["path"] = errors.New("it leads out of the folder")
	}
	if c.Min != nil && c.Max != nil && *c.Min > *c.Max {
		faults["min"] = errors.New("it is greater than max")
	}
	for key, err := range faults {
		if err != nil {
			message := strings.Join(strings.Fields(printable.Truncate(err.Error(), 200)), " ")
			help := "correct it"
			if key == "pattern" || key == "input_match" {
				help += "; patterns have the syntax RE2"
			}
			r.report(f, cmp.Or(n.Field(key), n).Start, Error, help, "%s: %s", key, printable.Line(message))
		}
	}
}

// Text describes a check in a line: its name, the sentence of the judge, or the type with
// its values.
func (c Check) Text() string {
	if c.Name != "" || c.Type == "judge" {
		return cmp.Or(c.Name, c.Criteria)
	}
	words := []string{c.Type, c.Path, c.Pointer, string(c.Equals), c.Value, c.Pattern, c.Tool, c.Input}
	words = slices.Concat(words, c.Tools, c.Command)
	if c.Max != nil {
		words = append(words, fmt.Sprint(*c.Max))
	}
	return strings.Join(strings.Fields(printable.Truncate(strings.Join(words, " "), 200)), " ")
}
