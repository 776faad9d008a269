package suite

// Trigger lists have many forms: bare or wrapped, entries with a flag or two lists, JSON or
// CSV. All say which prompts should load the skill, and which should not.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
)

// triggers reads trigger lists.
type triggers struct{ *reader }

// triggerFiles returns the names of trigger lists below evals/ that are read.
func triggerFiles() []string {
	return []string{
		"triggers.json", "eval_set.json", "trigger_evals.json", "trigger-evals.json", "trigger-eval.json", "trigger_eval.json",
		"eval_queries.json", "train_queries.json", "validation_queries.json", "triggers.csv", "prompts.csv",
	}
}

// flags are the names of the value that says whether a query should load the skill.
func flags() []string {
	return []string{"should_trigger", "expected_trigger", "expect_trigger", "should_activate"}
}

func (r triggers) readTriggers() {
	for _, name := range triggerFiles() {
		if f := r.read("evals/" + name); f != nil {
			r.queries(f)
		}
	}
}

// queries reads a trigger list, JSON or CSV. A file named eval_set.json may be another
// program's.
func (r triggers) queries(f *file) {
	if strings.EqualFold(filepath.Ext(f.path), ".csv") {
		r.queryTable(f)
		return
	}
	top := r.parseAny(f)
	switch base := path.Base(filepath.ToSlash(f.path)); {
	case top == nil:
	case base == "eval_set.json" && !looksLikeQueries(top):
		r.report(f, 0, Note, "nothing is to do", "not a trigger list, so it is not read")
	case top.Fields() == nil:
		if r.validate(f, top, "the file", readSchema("triggers")) {
			r.queryList(f, top, split(base))
		}
	case !r.queryGroups(f, newFlat(top), split(base)):
		r.report(f, top.Start, Error, `write a list of {"query": "…", "should_trigger": true}`, "the file has no list of queries")
	}
}

// split returns the part of a trigger list that a file or a key names, or "".
func split(name string) string {
	switch {
	case strings.HasPrefix(name, "train"):
		return "train"
	case strings.HasPrefix(name, "val"):
		return "validation"
	}
	return ""
}

// Folder returns the name of the folder of a query's runs: words of the query, and a digest
// that makes it unique.
func (q Query) Folder() string {
	sum := sha256.Sum256([]byte(q.Query))
	return strings.Join(slices.DeleteFunc([]string{"query", slug(q.Query), fmt.Sprintf("%x", sum[:4])}, func(part string) bool { return part == "" }), "-")
}

// newFlat returns a node as an object without parts.
func newFlat(n *jsonpos.Node) *object {
	return &object{Node: n, used: map[string]bool{}, asked: map[string]bool{}}
}

// looksLikeQueries reports whether a list, or a list in an object, has an entry with a flag.
func looksLikeQueries(top *jsonpos.Node) bool {
	lists := [][]*jsonpos.Node{top.Items()}
	for _, key := range []string{"queries", "evals", "cases", "items"} {
		lists = append(lists, top.Field(key).Items())
	}
	for _, items := range lists {
		if len(items) > 0 && isQuery(items[0]) {
			return true
		}
	}
	return top.Field("should_trigger") != nil || top.Field("shouldTrigger") != nil
}

// isQuery reports whether an entry is a query and not a case.
func isQuery(n *jsonpos.Node) bool {
	flagged := false
	for _, key := range append(flags(), "expected", "expect", "expected_skill") {
		v := n.Field(key)
		isScalar := v.Fields() == nil && v.Items() == nil
		flagged = flagged || v != nil && isScalar
	}
	for _, e := range sentences() {
		other := e.key == "expect" || e.key == "expected_script"
		if !other && len(each(n.Field(e.key))) > 0 {
			return false
		}
	}
	return flagged && n.Field("expected_output") == nil && n.Field("ground_truth") == nil
}

// sides returns the keys of lists whose queries should, or should not, trigger.
func sides(should bool) []string {
	if should {
		return []string{"should_trigger", "shouldTrigger", "should_activate", "should_trigger_prompts"}
	}
	return []string{"should_not_trigger", "shouldNotTrigger", "should_not_activate", "should_not_trigger_prompts"}
}

// queryGroups reads the lists of queries in an object; false if it has none.
func (r triggers) queryGroups(f *file, o *object, part string) (found bool) {
	for _, key := range []string{"queries", "evals", "cases", "items", "tests"} {
		if n := o.Field(key); n != nil && n.Kind() == "a list" {
			o.used[key], found = true, true
			if len(n.Items()) == 0 {
				r.report(f, n.Start, Error, "add one", "%s has no entry", key)
			}
			r.queryList(f, n, part)
		}
	}
	for _, should := range []bool{true, false} {
		for _, key := range sides(should) {
			n := o.Field(key)
			if n.Items() == nil && n.Fields() == nil {
				continue
			}
			o.used[key], found = true, true
			r.querySide(f, n, should, part)
		}
	}
	if found {
		o.get("skill", "skill_name")
		r.leave(f, o)
	}
	return found
}

// querySide reads the queries that should, or should not, trigger; also by parts.
func (r triggers) querySide(f *file, n *jsonpos.Node, should bool, part string) {
	for _, key := range slices.Sorted(maps.Keys(n.Fields())) {
		r.querySide(f, n.Field(key), should, split(key))
	}
	for _, item := range n.Items() {
		q := Query{Query: text(item), ShouldTrigger: should, Split: part}
		if item.Fields() != nil {
			o := newFlat(item)
			q.ID, q.Query = o.text("id"), o.text("query", "prompt")
			r.leave(f, o)
		}
		r.addQuery(f, item.Start, q)
	}
}

func (r triggers) queryList(f *file, n *jsonpos.Node, part string) {
	for _, item := range n.Items() {
		r.readQuery(f, item, part)
	}
}

// readQuery reads an entry of a list.
func (r triggers) readQuery(f *file, item *jsonpos.Node, part string) {
	o := newFlat(item)
	q := Query{ID: o.text("id", "name"), Query: o.text("query", "prompt", "question"), Split: cmp.Or(split(o.text("split")), part)}
	should, known := false, false
	if flag := o.get(flags()...); flag != nil {
		should, known = text(flag) == "true", true
	} else if fire := o.text("expected"); fire != "" {
		should, known = fire == "fire", true
	}
	for _, key := range []string{"expect", "expected_skill"} {
		if n := o.Field(key); n != nil {
			o.used[key] = true
			if !known {
				should, known = r.isSkill(text(n)), true
			}
		}
	}
	if strings.TrimSpace(q.Query) == "" || !known {
		r.report(f, item.Start, Error, `write {"query": "…", "should_trigger": true}`, "an entry without a query, or without should_trigger")
		return
	}
	q.ShouldTrigger = should
	r.leave(f, o)
	r.addQuery(f, item.Start, q)
}

func (r triggers) addQuery(f *file, offset int, q Query) {
	if slices.ContainsFunc(r.Queries, func(other Query) bool { return other.Query == q.Query }) {
		r.report(f, offset, Warning, "remove one of them", "the same query twice")
		return
	}
	q.Path, q.Line = f.path, 1+bytes.Count(f.src[:min(offset, len(f.src))], []byte("\n"))
	r.Queries = append(r.Queries, q)
}

// queryTable reads CSV with a header that has a flag, and prompt or query.
func (r triggers) queryTable(f *file) {
	const help = "write the columns id, should_trigger (true or false) and prompt"
	rows := csv.NewReader(bytes.NewReader(f.src))
	header, err := rows.Read()
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	named := func(names ...string) string {
		i := slices.IndexFunc(header, func(name string) bool { return slices.Contains(names, name) })
		if i < 0 {
			return ""
		}
		return header[i]
	}
	flag, prompt := named(flags()...), named("prompt", "query")
	if err == nil && (flag == "" || prompt == "") {
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
		cell := map[string]string{}
		for i, name := range header {
			cell[name] = strings.TrimSpace(row[i])
		}
		empty = false
		should, fault := strconv.ParseBool(strings.ToLower(cell[flag]))
		q := Query{ID: cell["id"], Query: cell[prompt], ShouldTrigger: should}
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
	o := &object{Node: &jsonpos.Node{Value: map[string]*jsonpos.Node{}}, used: map[string]bool{"id": true, flag: true, prompt: true}}
	for _, name := range header {
		o.Fields()[name] = &jsonpos.Node{Value: "column"}
	}
	r.leave(f, o)
}
