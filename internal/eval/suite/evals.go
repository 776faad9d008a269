package suite

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	if json.Valid(f.src) && slices.ContainsFunc(jsonpos.Parse(f.src).Items(), func(n *jsonpos.Node) bool { return n.Field("query") != nil }) {
		r.queries(f) // a trigger list under this name
		return
	}
	top := r.parse(f, "evals")
	if top == nil {
		return
	}
	if name := top.Field("skill_name"); name == nil && len(top.Fields()) == 1 { // other tools name the skill in their own way
		r.report(f, top.Start, Warning, "add the skill's name", "skill_name is missing")
	} else if name != nil && name.Value != r.Skill {
		r.report(f, name.Start, Warning, "write "+printable.Quote(r.Skill), "skill_name is %s, but the skill is called %s", printable.Quote(text(name)), printable.Quote(r.Skill))
	}
	for i, n := range top.Field("evals").Items() {
		if n.Field("prompt") == nil { // the schema allows it for a query
			r.query(f, n)
			continue
		}
		errors := r.errors
		c := Case{ID: strconv.Itoa(i + 1), Name: text(n.Field("name")), Prompt: text(n.Field("prompt")), Expected: text(n.Field("expected_output"))}
		if n.Field("id") != nil {
			c.ID = text(n.Field("id"))
		}
		for _, input := range n.Field("files").Items() {
			r.input(f, input.Start, &c, text(input))
		}
		if n.Field("assertions").Items() != nil && n.Field("expectations").Items() != nil {
			r.report(f, n.Field("expectations").Start, Error, "keep one of them", "the case has both assertions and expectations")
		}
		for _, item := range append(n.Field("assertions").Items(), n.Field("expectations").Items()...) {
			if check, ok := r.assertion(f, item); ok {
				c.Checks = append(c.Checks, check)
			}
		}
		r.add(f, n.Start, c, r.errors == errors)
	}
}

// assertion reads an assertion: a sentence, an object with a sentence, or a check, whose
// unknown keys are ignored.
func (r *reader) assertion(f *file, n *jsonpos.Node) (Check, bool) {
	if n.Fields() != nil && n.Field("type") == nil {
		for _, key := range []string{"criteria", "text", "description", "assertion", "expectation"} {
			if sentence := text(n.Field(key)); strings.TrimSpace(sentence) != "" {
				return Check{Type: "judge", Name: text(n.Field("name")), Criteria: sentence, Arm: Both}, true
			}
		}
		r.report(f, n.Start, Error, `write a sentence, or an object such as {"type": "contains", "value": "42"}`, "an assertion without a type or a text")
		return Check{}, false
	}
	known := *n
	if fields := maps.Clone(n.Fields()); fields != nil {
		maps.DeleteFunc(fields, func(key string, _ *jsonpos.Node) bool { return !slices.Contains(checkKeys, key) })
		known.Value = fields
		if !r.validate(f, &known, r.schema("checks", "check")) {
			return Check{}, false
		}
	}
	return r.check(f, &known)
}

// readTriggers reads the trigger lists.
func (r *reader) readTriggers() {
	for _, name := range []string{"triggers.json", "eval_set.json", "trigger_evals.json", "triggers.csv"} {
		if f := r.read("evals/" + name); f != nil {
			r.queries(f)
		}
	}
}

// queries reads a trigger list, JSON or CSV.
func (r *reader) queries(f *file) {
	if strings.EqualFold(filepath.Ext(f.path), ".csv") {
		r.queryTable(f)
	} else if top := r.parse(f, "triggers"); top != nil {
		for _, n := range top.Items() {
			r.query(f, n)
		}
	}
}

func (r *reader) query(f *file, n *jsonpos.Node) {
	should, _ := n.Field("should_trigger").Value.(bool)
	r.addQuery(f, n.Start, Query{ID: text(n.Field("id")), Query: text(n.Field("query")), ShouldTrigger: should})
}

func (r *reader) addQuery(f *file, offset int, q Query) {
	if slices.ContainsFunc(r.Queries, func(other Query) bool { return other.Query == q.Query }) {
		r.report(f, offset, Warning, "remove one of them", "the same query twice")
		return
	}
	r.Queries = append(r.Queries, q)
}

// queryTable reads CSV with a header and the columns should_trigger, prompt or query, and
// optionally id.
func (r *reader) queryTable(f *file) {
	rows := csv.NewReader(bytes.NewReader(f.src))
	header, err := rows.Read()
	column := func(names ...string) int {
		return slices.IndexFunc(header, func(cell string) bool { return slices.Contains(names, strings.TrimSpace(cell)) })
	}
	id, should, prompt := column("id"), column("should_trigger"), column("prompt", "query")
	if err == nil && (prompt < 0 || should < 0) {
		r.report(f, 0, Error, "start with the line id,should_trigger,prompt", "the column should_trigger or prompt is missing")
		return
	}
	start := int(rows.InputOffset())
	for row, err2 := rows.Read(); err == nil; row, err2 = rows.Read() {
		if err = err2; err != nil {
			break
		}
		trigger, fault := strconv.ParseBool(strings.ToLower(strings.TrimSpace(row[should])))
		q := Query{Query: row[prompt], ShouldTrigger: trigger}
		if id >= 0 {
			q.ID = row[id]
		}
		if fault != nil || strings.TrimSpace(q.Query) == "" || len(r.Queries) == maxQueries {
			r.report(f, start, Error, "write true or false, and what the user says, in at most 1000 rows", "not a query: %s", printable.Quote(printable.Truncate(strings.Join(row, ","), 80)))
			return
		}
		r.addQuery(f, start, q)
		start = int(rows.InputOffset())
	}
	if err != io.EOF {
		r.report(f, int(rows.InputOffset()), Error, "correct the quotes and commas", "not valid CSV: %s", printable.Line(err.Error()))
	}
}

const maxQueries = 1000 // as in the schema

// text returns a value as text: of a string itself, of null and nothing "", else JSON.
func text(n *jsonpos.Node) string {
	switch {
	case n == nil || n.Value == nil:
		return ""
	case n.Kind() == "a string":
		return n.Value.(string)
	}
	return printable.JSONText(n.Plain())
}
