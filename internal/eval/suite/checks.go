package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"skills/internal/jsonpos"
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// checkKeys are the keys of a check.
var checkKeys = params.Names(reflect.TypeFor[Check]())

// caseSettings are the settings of a case in evals/checks.json, and in the frontmatter of
// a prompt.md.
type caseSettings struct {
	Name     string   `json:"name"`
	Expected string   `json:"expected_outcome"`
	Tags     []string `json:"tags"`
	Seconds  float64  `json:"timeout_seconds"`
	MaxTurns int      `json:"max_turns"`
	Runs     int      `json:"runs"`
	Model    string   `json:"model"`
	System   string   `json:"system"`
	Append   string   `json:"append_system_prompt"`
}

// readChecks reads evals/checks.json and adds its checks and settings to the cases.
func (r *reader) readChecks() {
	f := r.read("evals/checks.json")
	if f == nil {
		return
	}
	cases := r.parse(f, "checks").Field("cases").Fields()
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		i := slices.IndexFunc(r.Cases, func(c Case) bool { return c.ID == id })
		if i < 0 {
			ids := make([]string, len(r.Cases))
			for i, c := range r.Cases {
				ids[i] = c.ID
			}
			r.report(f, cases[id].Start, Error, suggest.Hint(id, ids, "use the id of a case"), "no case has the id %s", printable.Quote(id))
			continue
		}
		c := &r.Cases[i]
		var s caseSettings
		decode(cases[id], &s)
		c.Name, c.Model, c.System = cmp.Or(s.Name, c.Name), cmp.Or(s.Model, c.Model), cmp.Or(s.System, c.System)
		c.MaxTurns, c.Runs, c.Timeout = cmp.Or(s.MaxTurns, c.MaxTurns), cmp.Or(s.Runs, c.Runs), cmp.Or(s.timeout(), c.Timeout)
		c.Tags = append(c.Tags, s.Tags...)
		for _, item := range cases[id].Field("checks").Items() {
			if check, ok := r.check(f, item); ok {
				c.Checks = append(c.Checks, check)
			}
		}
	}
}

func (s caseSettings) timeout() time.Duration {
	return time.Duration(min(s.Seconds, 1e6) * float64(time.Second))
}

// decode converts a value that matches its schema.
func decode(n *jsonpos.Node, v any) {
	// An error would be a number that does not fit its field; then that is 0, a default.
	_ = json.Unmarshal([]byte(printable.JSONText(n.Plain())), v)
}

// check converts a valid check, and reports what its schema cannot express.
func (r *reader) check(f *file, n *jsonpos.Node) (c Check, ok bool) {
	if sentence, isText := n.Value.(string); isText {
		return Check{Type: "judge", Criteria: sentence, Arm: Both}, true
	}
	decode(n, &c)
	if c.Arm == "" {
		c.Arm = Both
		if slices.Contains([]string{"skill_loaded", "resource_read", "script_used"}, c.Type) {
			c.Arm = With // only that arm can pass
		}
	}
	return c, r.usable(f, n, c)
}

// usable reports what its schema cannot say of a check.
func (r *reader) usable(f *file, n *jsonpos.Node, c Check) bool {
	key, fault, help := c.fault()
	if fault != "" {
		r.report(f, n.At([]string{key}).Start, Error, help, "%s: %s", key, fault)
	}
	return fault == ""
}

// maxProgram is the size of the largest compiled pattern, which bounds matching time.
const maxProgram = 1000

// CompilePattern compiles an RE2 pattern whose matching takes bounded time, and returns
// its size: matching takes at most the size times the length of the text. The error says
// in words for the author of the pattern why it cannot be used.
func CompilePattern(pattern string) (re *regexp.Regexp, size int, err error) {
	if re, err = regexp.Compile(pattern); err != nil {
		return nil, 0, fmt.Errorf("not an RE2 pattern: %w", err)
	}
	tree, _ := syntax.Parse(pattern, syntax.Perl) // compiled above
	program, _ := syntax.Compile(tree.Simplify())
	if len(program.Inst) > maxProgram {
		return nil, 0, fmt.Errorf("the pattern is too large: %d steps, at most %d", len(program.Inst), maxProgram)
	}
	return re, len(program.Inst), nil
}

// fault returns the key of the value that a check cannot use, why, and how to fix it.
func (c Check) fault() (key, fault, help string) {
	for key, pattern := range map[string]string{"pattern": c.Pattern, "input_match": c.Input} {
		if _, _, err := CompilePattern(pattern); err != nil {
			return key, printable.Line(printable.Truncate(err.Error(), 200)), "use RE2 syntax, which has no look-around and no back references"
		}
	}
	if c.Schema != nil && string(c.Schema) != "true" && string(c.Schema) != "false" {
		if _, err := params.CompileSchema(string(c.Schema)); err != nil {
			return "schema", printable.Line(printable.Truncate(strings.Join(strings.Fields(err.Error()), " "), 200)), "write a JSON Schema whose references stay in it"
		}
	}
	if c.Path != "" && c.Type != "resource_read" && c.Type != "script_used" && !filepath.IsLocal(filepath.FromSlash(c.Path)) {
		return "path", printable.Quote(c.Path) + " is outside the run's folder", "write a path relative to the run's folder"
	}
	if c.Pointer != "" && !strings.HasPrefix(c.Pointer, "/") {
		return "pointer", "a JSON pointer starts with /", "write /" + c.Pointer
	}
	if c.Min != nil && c.Max != nil && *c.Min > *c.Max {
		return "min", "min is greater than max", "swap them"
	}
	if c.Type == "csv_rows" && c.Min == nil && c.Max == nil && c.Columns == nil {
		return "type", "csv_rows checks nothing", "add min, max or columns"
	}
	return "", "", ""
}

// Text describes a check in a line: its name, the sentence of the judge, or the type with
// its values.
func (c Check) Text() string {
	if c.Name != "" || c.Type == "judge" {
		return cmp.Or(c.Name, c.Criteria)
	}
	words := append([]string{c.Type, c.Path, c.Pointer, string(c.Equals), c.Value, c.Pattern, c.Tool, c.Input}, append(c.Tools, c.Command...)...)
	if c.Max != nil {
		words = append(words, fmt.Sprint(*c.Max))
	}
	return strings.Join(strings.Fields(printable.Truncate(strings.Join(words, " "), 200)), " ")
}
