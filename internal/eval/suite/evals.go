package suite

// The evals of a skill in the two dialects of JSON, and trigger lists in JSON and CSV. Both
// dialects have the same cases and name the assertions differently.

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
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
	if bytes.HasPrefix(bytes.TrimSpace(f.src), []byte("[")) {
		r.queries(f) // a trigger list under this name
		return
	}
	top := r.parse(f, "evals")
	if top == nil {
		return
	}
	if name := text(top.Field("skill_name")); name != "" && name != r.Skill {
		r.report(f, top.Field("skill_name").Start, Warning, "write "+printable.Quote(r.Skill),
			"skill_name is %s, but the skill is called %s", printable.Quote(name), printable.Quote(r.Skill))
	}
	for i, n := range top.Field("evals").Items() {
		c := Case{
			ID:     cmp.Or(text(n.Field("id")), strconv.Itoa(i+1)),
			Prompt: text(n.Field("prompt")), Expected: text(n.Field("expected_output")),
			Settings: Settings{Name: text(n.Field("name"))},
		}
		for _, input := range n.Field("files").Items() {
			r.input(f, input.Start, &c, text(input))
		}
		items := n.Field("assertions").Items()
		if more := n.Field("expectations"); items == nil {
			items = more.Items()
		} else if more.Items() != nil {
			r.report(f, more.Start, Error, "keep one of them", "the case has both assertions and expectations")
		}
		for _, item := range items {
			c.Checks = append(c.Checks, r.assertion(f, item))
		}
		r.add(f, n.Start, c)
	}
}

// assertion reads an assertion: a sentence, an object with a sentence, or a check, whose
// unknown keys are ignored.
func (r *reader) assertion(f *file, n *jsonpos.Node) Check {
	if n.Fields() != nil && n.Field("type") == nil {
		sentence := cmp.Or(text(n.Field("criteria")), text(n.Field("text")), text(n.Field("description")))
		if strings.TrimSpace(sentence) == "" {
			r.report(f, n.Start, Error, `write a sentence, or an object such as {"type": "contains", "value": "42"}`,
				"an assertion without a type or a text")
		}
		return Check{Type: "judge", Name: text(n.Field("name")), Criteria: sentence, Arm: Both}
	}
	open := *r.check
	open.Closed = nil
	return r.readCheck(f, n, &open)
}

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
			should, _ := n.Field("should_trigger").Value.(bool)
			r.addQuery(f, n.Start, Query{text(n.Field("id")), text(n.Field("query")), should})
		}
	}
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
	const help = "write the columns id, should_trigger (true or false) and prompt"
	rows := csv.NewReader(bytes.NewReader(f.src))
	header, err := rows.Read()
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	named := func(name string) bool { return slices.Contains(header, name) }
	isHeader := named("should_trigger") && (named("prompt") || named("query"))
	if err == nil && !isHeader {
		r.report(f, 0, Error, help, "the first line is not a header: %s", printable.Quote(strings.Join(header, ",")))
		return
	}
	empty := true
	for start := rows.InputOffset(); err == nil; start = rows.InputOffset() {
		var row []string
		row, err = rows.Read()
		if err != nil {
			break
		}
		empty = false
		cell := map[string]string{}
		for i, name := range header {
			cell[name] = strings.TrimSpace(row[i])
		}
		should, fault := strconv.ParseBool(strings.ToLower(cell["should_trigger"]))
		q := Query{cell["id"], cmp.Or(cell["prompt"], cell["query"]), should}
		if fault != nil || q.Query == "" {
			r.report(f, int(start), Error, help, "not a query: %s", printable.Quote(strings.Join(row, ",")))
			return
		}
		r.addQuery(f, int(start), q)
	}
	if err == io.EOF && empty {
		r.report(f, 0, Error, help, "the file has no entry")
	} else if err != io.EOF {
		r.report(f, int(rows.InputOffset()), Error, "correct the quotes and commas",
			"not valid CSV: %s", printable.Line(err.Error()))
	}
}

// text returns a value as text: of a string itself, of null and nothing "", else JSON.
func text(n *jsonpos.Node) string {
	if n == nil || n.Value == nil {
		return ""
	}
	if value, ok := n.Value.(string); ok {
		return value
	}
	return printable.JSONText(n.Plain())
}
