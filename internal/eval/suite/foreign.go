package suite

// Suites in the forms of other programs are found by what is in a file, not by its name
// alone. What is read becomes cases and queries; what has no meaning here is a problem that
// names the file and the reason, so that nothing is lost in silence.

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// foreign finds and reads the suites of other programs.
type foreign struct{ *reader }

const (
	maxDepth  = 6    // of folders
	maxSuites = 2000 // files that are looked at
)

// suiteNames matches the paths of files that may belong to a suite.
var suiteNames = lazyregexp.New(`(?i)(^|/)(evals?|evaluations|evals-[\w-]+|tests?|tasks|scenarios)(/|$)|eval|trigger|scenario|promptfoo|skill-tests|activation`)

// indexNames matches the names of files that may name others, which are read first.
var indexNames = lazyregexp.New(`(^|/)(eval|evals|suite|promptfoo[\w-]*|[\w-]+\.eval)\.ya?ml$`)

// iterations matches the folders of stored runs, whose files look like cases.
var iterations = lazyregexp.New(`(^|/)iteration-\d+$`)

// readForeign reads the suites of other programs below the folder, besides what was read.
func (r foreign) readForeign() {
	var index, others []string
	_ = fs.WalkDir(r.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what is not readable is no suite
		case d.IsDir():
			hidden := strings.HasPrefix(d.Name(), ".") && name != "."
			generated := d.Name() == "node_modules" || strings.HasSuffix(d.Name(), "-workspace")
			stored := iterations().MatchString(name)
			if stored {
				at := newFile(filepath.Join(r.named, filepath.FromSlash(name)), nil)
				r.report(at, 0, Note, "report them with skills eval report", "stored runs are not read as cases")
			}
			deep := strings.Count(name, "/") >= maxDepth
			if skipped := stored || hidden || generated; skipped || deep {
				return fs.SkipDir
			}
		case !d.Type().IsRegular() || !r.mayBeSuite(name):
		case len(index)+len(others) == maxSuites:
			r.report(newFile(r.named, nil), 0, Warning, "import the others: skills eval import FOLDER", "only the first %d files that may be suites are looked at", maxSuites)
			return fs.SkipAll
		case indexNames().MatchString(name):
			index = append(index, name)
		default:
			others = append(others, name)
		}
		return nil
	})
	for _, name := range slices.Concat(index, others) {
		if !slices.Contains(r.files, name) {
			r.foreignFile(name)
		}
	}
}

// mayBeSuite reports whether a file is looked at, by its path.
func (r foreign) mayBeSuite(name string) bool {
	return strings.HasPrefix(name, r.below) && (r.all || suiteNames().MatchString(name))
}

// foreignFile reads a file, if it is a suite.
func (r foreign) foreignFile(name string) {
	base, ext := path.Base(name), strings.ToLower(path.Ext(name))
	switch {
	case ext == ".md" && base != "task.md" && !strings.Contains(name, "eval"):
		return
	case slices.Contains([]string{".json", ".yaml", ".yml", ".jsonl", ".md", ".csv", ".py", ".toml"}, ext):
	default:
		return
	}
	f := r.read(name)
	if f == nil {
		return
	}
	switch ext {
	case ".py":
		if bytes.Contains(f.src, []byte("inspect_ai")) {
			r.refuse(f, 0, "the cases are Python that builds tasks for Inspect")
		}
	case ".toml":
		if base == "task.toml" {
			r.refuse(f, 0, "the task is built in a container and checked by its own tests")
		}
	case ".csv":
		if header, _, _ := bytes.Cut(f.src, []byte("\n")); slices.ContainsFunc(flags(), func(flag string) bool { return bytes.Contains(header, []byte(flag)) }) {
			triggers{r.reader}.queryTable(f)
		}
	case ".md":
		r.markdown(f, name)
	case ".jsonl":
		start := 0
		for i, line := range bytes.SplitAfter(f.src, []byte("\n")) {
			if n := parseQuietly(line); n != nil && isEntry(n) {
				r.entry(f, moved(n, start), i)
			}
			start += len(line)
		}
	case ".json":
		if n := parseQuietly(f.src); n != nil {
			r.suiteFile(f, n, name)
		}
	default:
		n, err := yamlNode(f.src, 0)
		if err != nil {
			r.reportYAML(f, 0, Warning, "correct the YAML", err)
			return
		}
		r.suiteFile(f, n, name)
	}
}

// parseQuietly parses JSON, or returns nil.
func parseQuietly(src []byte) *jsonpos.Node {
	var raw any
	if jsonpos.DecodeJSON("", src, &raw, "") != nil {
		return nil
	}
	return jsonpos.Parse(src)
}

// markdown reads a query in the frontmatter, or a task with criteria next to it.
func (r foreign) markdown(f *file, name string) {
	if path.Base(name) == "task.md" {
		formats{r.reader}.tessl(f, path.Dir(name))
		return
	}
	if !bytes.HasPrefix(f.src, []byte("---")) {
		return
	}
	fields, _ := claude{r.reader}.matter(f, "")
	if fields.Field("query") != nil {
		triggers{r.reader}.readQuery(f, fields, "")
	}
}

// suiteFile reads a suite in a form that its keys show.
func (r foreign) suiteFile(f *file, top *jsonpos.Node, name string) {
	tasks := top.Field("tasks").Items()
	switch {
	case top.Field("stimuli").Items() != nil:
		formats{r.reader}.vally(f, top)
	case len(tasks) > 0 && tasks[0].Fields() == nil:
		formats{r.reader}.waza(f, top)
	case len(tasks) > 0:
		r.entries(f, top.Field("tasks"), top.Field("defaults"))
	case top.Field("prompts") != nil && top.Field("tests") != nil:
		formats{r.reader}.promptfoo(f, top, path.Dir(name))
	case top.Field("cases").Field("files") != nil:
		formats{r.reader}.skillUp(f, top)
	case top.Field("expects") != nil && top.Field("resources") != nil:
		r.refuse(f, top.Field("resources").Start, "the cases need a deployed service: resources, expects")
	case r.generic(f, top):
	case slices.Contains([]string{"criteria.json", "scenario.json"}, path.Base(name)): // of task.md
	case strings.Contains(path.Base(name), "eval") || strings.Contains(name, "evals/"):
		r.report(f, 0, Note, "nothing is to do", "no case and no query, so it is not read")
	}
}

// generic reads the lists of cases and queries that a file has; false without any.
func (r foreign) generic(f *file, top *jsonpos.Node) (found bool) {
	if top.Items() != nil {
		if slices.ContainsFunc(top.Items(), isEntry) {
			r.entries(f, top, nil)
			return true
		}
		return false
	}
	o := newFlat(top)
	for _, key := range []string{"evals", "cases", "scenarios", "tests", "output_evals", "queries", "items"} {
		if n := o.Field(key); slices.ContainsFunc(n.Items(), isEntry) {
			o.used[key], found = true, true
			r.entries(f, n, nil)
		}
	}
	if n := o.Field("trigger_evals"); n.Fields() != nil {
		o.used["trigger_evals"] = true
		found = triggers{r.reader}.queryGroups(f, newFlat(n), "") || found
	}
	for _, should := range []bool{true, false} {
		for _, key := range sides(should) {
			if n := o.Field(key); n.Items() != nil || n.Fields() != nil {
				o.used[key], found = true, true
				triggers{r.reader}.querySide(f, n, should, "")
			}
		}
	}
	if found {
		o.get("skill", "skill_name")
		r.leave(f, o)
		return true
	}
	if newObject(top).text(promptKeys()...) != "" {
		r.entry(f, top, 0)
		return true
	}
	return false
}

// isEntry reports whether an object may be a case or a query. A list without any is no suite.
func isEntry(n *jsonpos.Node) bool {
	if n.Fields() == nil {
		return false
	}
	o := newObject(n)
	keys := slices.Concat(promptKeys(), []string{"turns"}, sides(true), sides(false))
	return o.get(keys...) != nil
}

// entries reads a list of cases or queries, with what holds for all of them.
func (r foreign) entries(f *file, n, defaults *jsonpos.Node) {
	shared := map[string]*jsonpos.Node{}
	if defaults != nil {
		for _, key := range []string{"runs", "timeout", "timeout_seconds", "max_turns", "trials"} {
			if v := newObject(defaults).Field(key); v != nil {
				shared[key] = v
			}
		}
	}
	for i, item := range n.Items() {
		if item.Fields() == nil {
			continue
		}
		r.entry(f, merge(item, &jsonpos.Node{Value: shared}), i)
	}
}

// entry reads a case or a query.
func (r foreign) entry(f *file, n *jsonpos.Node, index int) {
	label := printable.Quote(cmp.Or(text(n.Field("id")), text(n.Field("name")), text(n.Field("title"))))
	if other := n.Field("skill"); other != nil && !r.isSkill(text(other)) {
		r.report(f, n.Start, Note, "import it for that skill", "an entry of the skill %s is left out", printable.Quote(text(other)))
		return
	}
	for _, step := range n.Field("setup").Items() {
		if text(step.Field("action")) == "run_script" || step.Field("command") != nil {
			r.refuse(f, n.Start, "case %s needs setup scripts and is left out", label)
			return
		}
	}
	found := false
	for _, should := range []bool{true, false} {
		for _, key := range sides(should) {
			if side := n.Field(key); side.Items() != nil {
				found = true
				triggers{r.reader}.querySide(f, side, should, "")
			}
		}
	}
	switch {
	case found:
	case isQuery(n):
		triggers{r.reader}.readQuery(f, n, "")
	default:
		cases{r.reader}.readCase(f, n, newObject(n), index)
	}
}
