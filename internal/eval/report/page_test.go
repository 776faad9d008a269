package report

// The page is parsed as a browser would: elements are closed in their order, so text of a
// model can be found in the place where it belongs and nowhere else.

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skills/internal/eval/store"
	"skills/internal/testing/filetest"
)

// node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	children []*node
	text     string // of all descendants
}

// all returns the descendants with a name and a class; "" is any.
func (n *node) all(name, class string) (list []*node) {
	for _, c := range n.children {
		hasClass := class == "" || strings.Contains(" "+c.attr["class"]+" ", " "+class+" ")
		if (name == "" || c.name == name) && hasClass {
			list = append(list, c)
		}
		list = append(list, c.all(name, class)...)
	}
	return list
}

// parse parses a page without its styles and its script, and fails if an element is not
// closed in its place.
func parse(t *testing.T, page string) *node {
	t.Helper()
	page = strings.Replace(strings.Replace(page, styles, "", 1), script, "", 1)
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta", "input"}, xml.HTMLEntity
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			parent := open[len(open)-1]
			parent.children, open = append(parent.children, n), append(open, n)
		case xml.EndElement:
			if n := open[len(open)-1]; n.name != token.Name.Local {
				t.Fatalf("</%s> closes <%s>", token.Name.Local, n.name)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			for _, n := range open {
				n.text += string(token)
			}
		}
	}
	if len(open) != 1 {
		t.Fatalf("<%s> is not closed", open[len(open)-1].name)
	}
	return root
}

// scores returns runs of a case, whose single assertion passes in the first ones of each arm.
func scores(id string, with, without, of int) (runs []store.Run) {
	for number := 1; number <= of; number++ {
		for i, configuration := range []string{store.WithSkill, store.WithoutSkill} {
			passes := []int{with, without}[i]
			o := store.Outcome{Text: "assertion of " + id, Passed: number <= passes, Evidence: "quoted", Weight: 1}
			if o.Passed {
				o.Score = 1
			}
			runs = append(runs, store.Run{
				Case: id, Name: "name " + id, Slug: "eval-" + id, Configuration: configuration, Number: number,
				Prompt: "prompt of " + id, Answer: configuration + " answers " + id, Outcomes: []store.Outcome{o},
			})
		}
	}
	return runs
}

// TestPage checks that the page is closed markup that loads nothing and has one script, that
// text of a model is text, and that the policy allows only the page's own styles and script.
func TestPage(t *testing.T) {
	page := write(t, "html", benchmark(8))
	root := parse(t, page)
	for _, never := range []string{"\x1b", "\u202e", " src=", "@import", "url(", " style=", "http:", "https:", "unsafe-inline"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, n := range root.all("", "") {
		for name := range n.attr {
			if strings.HasPrefix(name, "on") || name == "action" {
				t.Errorf("<%s> has %s", n.name, name)
			}
		}
	}
	for _, part := range []string{styles, script} {
		if !strings.Contains(page, digest(part)) {
			t.Error("the policy does not allow a part of the page")
		}
	}
	if got := len(root.all("details", "case")); got != 8 {
		t.Errorf("%d cases", got)
	}
	for _, want := range []string{"evidence </td><script>alert(1)</script>", "case </td><script>", "skill </td><script>", "note </td>", "error </td>", "Incomplete: limit of 20 calls; 4 runs not run."} {
		if !strings.Contains(root.text, want) {
			t.Errorf("no text %q", want)
		}
	}
}

// TestWithoutScript checks that only the filter is hidden without scripts, and that whatever
// is folded is in an element that opens by itself.
func TestWithoutScript(t *testing.T) {
	root := parse(t, write(t, "html", benchmark(8)))
	for _, n := range root.all("", "") {
		_, hidden := n.attr["hidden"]
		if hidden && n.attr["class"] != "tools" && n.attr["class"] != "empty" {
			t.Errorf("<%s class=%q> is hidden", n.name, n.attr["class"])
		}
		if n.name == "details" && (len(n.children) == 0 || n.children[0].name != "summary") {
			t.Errorf("details without a summary: %q", n.text)
		}
	}
	if tools := root.all("div", "tools"); len(tools) != 1 || len(tools[0].all("button", "")) == 0 {
		t.Error("no filter")
	}
}

// order returns the titles of a page's cases.
func order(root *node) (titles []string) {
	for _, c := range root.all("details", "case") {
		titles = append(titles, c.all("span", "name")[0].all("b", "")[0].text+" "+c.attr["data-tags"])
	}
	return titles
}

// TestOrder checks that losses come first, the largest before the others, then gains, then
// what could not be compared, and ties last.
func TestOrder(t *testing.T) {
	var runs []store.Run
	for id, n := range map[string][2]int{"1": {4, 4}, "2": {4, 3}, "3": {4, 0}, "4": {1, 2}, "5": {0, 4}, "6": {1, 1}} {
		runs = append(runs, scores(id, n[0], n[1], 4)...)
	}
	failed := store.Run{Case: "7", Configuration: store.WithSkill, Number: 1, Timing: store.Timing{Error: "no reply"}}
	root := parse(t, write(t, "html", store.Aggregate(append(runs, failed), store.Meta{Skill: "s"})))
	want := []string{"5: name 5 lost changed", "4: name 4 lost changed flaky", "3: name 3 gained changed", "2: name 2 gained changed flaky", "7 error", "6: name 6 tie flaky", "1: name 1 tie silent"}
	if got := order(root); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tally := root.all("ul", "tally")[0].text; strings.Join(strings.Fields(tally), " ") != "2 lost 2 gained 1 not compared 2 equal" {
		t.Errorf("tally %q", tally)
	}
	alone := parse(t, write(t, "html", store.Aggregate(only(store.WithSkill, runs), store.Meta{Skill: "s"})))
	if got := order(alone); !strings.HasPrefix(got[0], "5: ") || !strings.HasPrefix(got[5], "3: ") && !strings.HasPrefix(got[5], "2: ") {
		t.Errorf("without a baseline: %q", got)
	}
}

func only(configuration string, runs []store.Run) (list []store.Run) {
	for _, r := range runs {
		if r.Configuration == configuration {
			list = append(list, r)
		}
	}
	return list
}

// TestColours checks that a difference has a colour only where the verdict has its sign.
func TestColours(t *testing.T) {
	for verdict, n := range map[string][2]int{"better": {4, 0}, "worse": {0, 4}, "inconclusive": {4, 0}} {
		var runs []store.Run
		for id := range map[string]int{"better": 8, "worse": 8, "inconclusive": 3}[verdict] {
			runs = append(runs, scores(fmt.Sprint(id+1), n[0], n[1], 4)...)
		}
		page := write(t, "html", store.Aggregate(runs, store.Meta{Skill: "s"}))
		root := parse(t, page)
		body := root.all("body", "")[0].attr["class"]
		if body != "v-"+verdict || root.all("span", "badge")[0].text != verdict {
			t.Errorf("%s: %q", verdict, body)
		}
		for _, n := range root.all("", "") {
			if class := n.attr["class"]; strings.Contains(class, "v-") && !strings.Contains(class, "v-"+verdict) {
				t.Errorf("%s: an element of class %q", verdict, class)
			}
		}
	}
	for _, rule := range regexp.MustCompile(`(?m)^.*var\(--(better|worse)\).*$`).FindAllString(styles, -1) {
		if !strings.Contains(rule, ".v-better") && !strings.Contains(rule, ".v-worse") {
			t.Errorf("a colour without a verdict: %s", rule)
		}
	}
}

// TestLinks checks that a page links only to what exists from where it is written, and to
// nothing if that is not known.
func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a workspace", "iteration-1")
	runs := scores("1", 2, 1, 2)
	for i := range runs {
		r := &runs[i]
		r.Slug = "eval-1 #1?"
		r.Dir = filepath.Join(dir, r.Slug, r.Configuration, fmt.Sprint("run-", r.Number))
		if r.Number == 1 {
			filetest.Write(t, r.Dir, map[string]string{store.TranscriptPage: "text"})
		}
	}
	failed := store.Run{Case: "1", Configuration: store.WithSkill, Number: 3, Dir: filepath.Join(dir, "failed"), Timing: store.Timing{Error: "no reply"}}
	filetest.Write(t, failed.Dir, map[string]string{store.TranscriptPage: "text"})
	b := store.Aggregate(append(runs, failed), store.Meta{Skill: "s", Dir: dir})
	elsewhere := filepath.Join(t.TempDir(), "reports")
	filetest.Must(t, os.MkdirAll(elsewhere, 0o755))
	for to, want := range map[string]int{"": 0, dir: 3, filepath.Dir(dir): 3, elsewhere: 3} {
		var page strings.Builder
		filetest.Must(t, Write(&page, "html", Target{Dir: to}, b))
		found := 0
		for _, a := range parse(t, page.String()).all("a", "") {
			link, err := url.Parse(a.attr["href"])
			if err != nil || link.Scheme != "" || link.Path == "" && link.Fragment == "" {
				t.Errorf("%q: %v", a.attr["href"], err)
				continue
			}
			if link.Path == "" {
				if !strings.Contains(page.String(), ` id="`+link.Fragment+`"`) {
					t.Errorf("no element %q", link.Fragment)
				}
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(to, filepath.FromSlash(link.Path))); err != nil {
				t.Errorf("written to %q: %v", to, err)
			}
		}
		if found != want {
			t.Errorf("written to %q: %d links to files, want %d", to, found, want)
		}
	}
}

// TestSize checks that answers of 10 MB do not make a page that no browser opens, that it
// says what was cut, and that 200 cases have all of their short answers.
func TestSize(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		most   int
		cut    bool
	}{
		"long":   {strings.Repeat("<b>word</b> & \x1b ", 640<<10), 40 << 20, true},
		"medium": {strings.Repeat("A sentence of an answer. ", 100), 12 << 20, false},
	} {
		var runs []store.Run
		for id := range 200 {
			for i, r := range scores(fmt.Sprint(id+1), 2, 1, 3) {
				r.Answer = test.answer
				if name == "medium" {
					r.Answer = fmt.Sprint(r.Configuration, i, test.answer)
				}
				runs = append(runs, r)
			}
		}
		page := write(t, "html", store.Aggregate(runs, store.Meta{Skill: "s"}))
		if len(page) > test.most {
			t.Errorf("%s: %d bytes", name, len(page))
		}
		if cut := strings.Contains(page, "Cut: the first "); cut != test.cut || cut != strings.Contains(page, "Cut on this page: ") {
			t.Errorf("%s: cut %v", name, cut)
		}
		if got := strings.Count(page, `<details class="case `); got != 200 {
			t.Errorf("%s: %d cases", name, got)
		}
	}
}

// TestErrors checks that equal errors are one entry with a count, and folded.
func TestErrors(t *testing.T) {
	var runs []store.Run
	for number := range 40 {
		message := "the server closed the connection"
		if number == 7 {
			message = "time limit reached"
		}
		runs = append(runs, store.Run{Case: "1", Configuration: store.WithSkill, Number: number + 1, Timing: store.Timing{Error: message}})
	}
	root := parse(t, write(t, "html", store.Aggregate(runs, store.Meta{Skill: "s"})))
	var got []string
	for _, n := range root.all("details", "error") {
		if _, open := n.attr["open"]; open {
			t.Error("an error is open")
		}
		if !strings.Contains(n.attr["class"], "case") {
			got = append(got, n.children[0].text)
		}
	}
	if fmt.Sprint(got) != "[39× the server closed the connection 1× time limit reached]" {
		t.Errorf("%q", got)
	}
}

// TestModels checks the table of several models, and that each has its cases.
func TestModels(t *testing.T) {
	var models []store.Model
	for i, model := range []string{"model-a", "model-b"} {
		var runs []store.Run
		for id := range 8 {
			runs = append(runs, scores(fmt.Sprint(id+1), 3-3*i, 0, 3)...)
		}
		models = append(models, store.Model{Model: model, Benchmark: store.Aggregate(runs, store.Meta{Skill: "s", Model: model})})
	}
	models = append(models, store.Model{Model: "model-c", Error: "no such model"})
	var page strings.Builder
	filetest.Must(t, WriteModels(&page, "html", Target{}, store.Tabulate("s", models)))
	root := parse(t, page.String())
	rows := root.all("table", "results")[0].all("tr", "")
	if len(rows) != 4 || !strings.Contains(rows[3].text, "model-c\nfailed") || !strings.Contains(rows[1].text, "model-a\nbetter") || !strings.Contains(rows[2].text, "model-b\ninconclusive") {
		t.Errorf("%q", root.all("table", "results")[0].text)
	}
	if got := len(root.all("details", "case")); got != 16 {
		t.Errorf("%d cases", got)
	}
	if class := root.all("body", "")[0].attr["class"]; class != "v-none" {
		t.Errorf("a page of several verdicts has the class %q", class)
	}
	matrix := root.all("section", "")[1].all("tr", "")
	if len(matrix) != 9 || !strings.Contains(matrix[1].text, "1: name 1\n+1.00 (1.00)\n0.00 (0.00)") || len(matrix[1].all("a", "")) != 2 {
		t.Errorf("cases and models: %q", matrix[1].text)
	}
	ids := map[string]bool{}
	for _, n := range root.all("", "") {
		if id := n.attr["id"]; id != "" && ids[id] {
			t.Errorf("two elements %q", id)
		} else {
			ids[id] = true
		}
	}
	for _, a := range root.all("a", "") {
		if href := a.attr["href"]; !ids[strings.TrimPrefix(href, "#")] {
			t.Errorf("no element %s", href)
		}
	}
}

// TestModelCases checks that the largest loss with any model comes first, then the cases in
// which the models differ most.
func TestModelCases(t *testing.T) {
	var measured []*store.Benchmark
	for _, with := range [][3]int{{2, 2, 1}, {2, 4, 0}} {
		var runs []store.Run
		for id, n := range with {
			runs = append(runs, scores(fmt.Sprint(id+1), n, 2, 4)...)
		}
		measured = append(measured, store.Aggregate(runs, store.Meta{}))
	}
	measured = append(measured, store.Aggregate(scores("9", 4, 4, 4), store.Meta{}))
	got := ""
	for _, m := range modelCases(measured) {
		got += m.title + ";"
	}
	if want := "3: name 3;2: name 2;1: name 1;9: name 9;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestDetail checks what an open case shows: prompt, marks by arm and run, answers with their
// differences, files with the text of small ones, and averages.
func TestDetail(t *testing.T) {
	runs := scores("1", 2, 1, 3)
	for i := range runs {
		r := &runs[i]
		r.Dir, r.Turns, r.Tokens = t.TempDir(), 2, new(int64(1000*r.Number))
		r.Answer = "The sum of both numbers is 12.5 metres."
		if r.Configuration == store.WithSkill {
			r.Answer = "The sum of both numbers is 12.50 metres."
			filetest.Write(t, r.Dir, map[string]string{"outputs/a/notes.md": "some <notes>", "outputs/b.bin": "\x00\x01", "outputs/big.txt": strings.Repeat("x", 5000)})
		}
	}
	c := parse(t, write(t, "html", store.Aggregate(runs, store.Meta{Skill: "s"}))).all("details", "case")[0]
	var marks, answers, files []string
	for _, m := range c.all("span", "marks") {
		marks = append(marks, m.text)
	}
	for _, m := range c.all("mark", "") {
		answers = append(answers, m.attr["class"]+" "+m.text)
	}
	for _, f := range c.all("", "file") {
		files = append(files, f.name+" "+strings.TrimSpace(f.text))
	}
	for what, got := range map[string][2]string{
		"marks":   {fmt.Sprint(marks), "[✓✓✗ ✓✗✗]"},
		"answers": {fmt.Sprint(answers), "[with 12.50 base 12.5 with 12.50 base 12.5 with 12.50 base 12.5]"},
		"files":   {fmt.Sprint(files[:3]), "[details a/notes.md 12 bytes\nsome <notes> p b.bin 2 bytes p big.txt 4.9 KiB]"},
		"prompt":  {c.all("pre", "prompt")[0].text, "prompt of 1"},
		"average": {c.all("table", "")[0].all("tr", "")[1].text, "with the skill\n2 of 3\n0.67\n–\n2000\n–\n2.0\n–\n"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %q, want %q", what, got[0], got[1])
		}
	}
}

// TestCompare checks which parts of two answers are marked.
func TestCompare(t *testing.T) {
	show := func(parts []piece) (text string) {
		for _, p := range parts {
			if p.differs {
				text += "[" + p.text + "]"
			} else {
				text += p.text
			}
		}
		return text
	}
	for _, test := range [][4]string{
		{"a b c", "a x c", "a [b] c", "a [x] c"},
		{"one two three four", "one 2 3 four", "one [two three] four", "one [2 3] four"},
		{"first\nsecond line here\nlast\n", "first\nlast\n", "first\n[second line here\n]last\n", "first\nlast\n"},
		{"It is 1,204 or so.", "It is 1,205 or so.", "It is [1,204] or so.", "It is [1,205] or so."},
		{"nothing in common", "völlig anders", "nothing in common", "völlig anders"},
	} {
		left, right, marked := compare(test[0], test[1])
		if show(left) != test[2] || show(right) != test[3] || marked != strings.Contains(test[2]+test[3], "[") {
			t.Errorf("%q and %q: %q %q %v", test[0], test[1], show(left), show(right), marked)
		}
	}
}

// FuzzCompare checks that the parts of two texts are the texts.
func FuzzCompare(f *testing.F) {
	f.Add("a b\nc", "a\nb c")
	f.Add("1.5\xff 日本", "1.5 日")
	f.Fuzz(func(t *testing.T, a, b string) {
		left, right, _ := compare(a, b)
		for i, parts := range [][]piece{left, right} {
			text := ""
			for _, p := range parts {
				text += p.text
			}
			if text != []string{a, b}[i] {
				t.Errorf("%q became %q", []string{a, b}[i], text)
			}
		}
	})
}

// FuzzPage checks that no text of a model, a case or a file is markup.
func FuzzPage(f *testing.F) {
	f.Add(hostile)
	f.Add("</pre></details></script>\x00\xff\r\n'\"><img src=x onerror=alert(1)>")
	f.Fuzz(func(t *testing.T, text string) {
		runs := scores("1", 2, 1, 3)
		for i := range runs {
			r := &runs[i]
			r.Name, r.Prompt, r.Slug = text, text, text
			r.Answer = fmt.Sprint(text, r.Configuration)
			r.Outcomes[0].Text, r.Outcomes[0].Evidence = text, text
		}
		failed := store.Run{Case: "2", Name: text, Configuration: store.WithSkill, Number: 1, Timing: store.Timing{Error: "x" + text}}
		b := store.Aggregate(append(runs, failed), store.Meta{Skill: text, Model: text, Judge: text, Notes: []string{text}})
		b.Pairwise = &store.Pairwise{Pairs: []store.PairResult{{ID: "1", Number: 1, Pair: store.Pair{Orders: []store.PairOrder{{First: text, Winner: text, Reason: text}}}}}}
		page := write(t, "html", b)
		root := parse(t, page)
		if strings.Count(page, "<script") != 1 || len(root.all("img", "")) > 0 || len(root.all("details", "case")) != 2 {
			t.Error(page)
		}
	})
}

// TestOtherPrograms checks that runs without an answer, as skill-creator stores them, have
// links to their transcripts and their files.
func TestOtherPrograms(t *testing.T) {
	dir := t.TempDir()
	runs := scores("1", 1, 0, 1)
	for i := range runs {
		r := &runs[i]
		r.Answer, r.Dir = "", filepath.Join(dir, r.Configuration, "run-1")
		filetest.Write(t, r.Dir, map[string]string{store.TranscriptPage: "text", "outputs/out.txt": "result of " + r.Configuration})
	}
	var page strings.Builder
	filetest.Must(t, Write(&page, "html", Target{Dir: dir}, store.Aggregate(runs, store.Meta{Skill: "s"})))
	c := parse(t, page.String()).all("details", "case")[0]
	links := 0
	for _, a := range c.all("a", "") {
		if strings.HasSuffix(a.attr["href"], "run-1/transcript.md") {
			links++
		}
	}
	if links != 2 || strings.Contains(c.text, "No answer is stored") || !strings.Contains(c.text, "result of without_skill") {
		t.Errorf("%d links in\n%s", links, c.text)
	}
}

// TestPageGolden compares a whole page without its styles and its script: two cases, a failed
// run, a judge, costs and a file.
func TestPageGolden(t *testing.T) {
	dir := t.TempDir()
	runs := append(scores("1", 0, 2, 2), scores("2", 2, 1, 2)...)
	for i := range runs {
		r := &runs[i]
		r.Dir = filepath.Join(dir, r.Slug, r.Configuration, fmt.Sprint("run-", r.Number))
		r.Timing = store.Timing{Executor: 1.5, Tokens: new(int64(1200)), Cost: new(0.0125), Judged: new(int64(300)), Judging: new(0.001)}
		r.Metrics = store.Metrics{Turns: 3, Calls: new(2)}
		r.Outcomes[0].Judge = "judge-model"
		filetest.Write(t, r.Dir, map[string]string{store.TranscriptPage: "text"})
	}
	filetest.Write(t, runs[0].Dir, map[string]string{"outputs/table.csv": "a,b\n1,2\n"})
	failed := store.Run{Case: "2", Configuration: store.WithoutSkill, Number: 3, Timing: store.Timing{Error: "time limit reached (2s)", Tokens: new(int64(50)), Cost: new(0.0)}}
	b := store.Aggregate(append(runs, failed), store.Meta{Skill: "sums", Model: "small-model", Judge: "judge-model", Timestamp: "2026-01-02T03:04:05Z", Dir: dir})
	var page strings.Builder
	filetest.Must(t, Write(&page, "html", Target{Dir: dir}, b))
	policy := regexp.MustCompile(`sha256-[^']+`)
	filetest.Golden(t, "page.html", policy.ReplaceAllString(strings.NewReplacer(styles, "…", script, "…").Replace(page.String()), "sha256-…"))
}

// TestTrend checks that the newest iterations come first, the current one is named, and that
// older ones are folded.
func TestTrend(t *testing.T) {
	dir := t.TempDir()
	for number := 1; number <= 9; number++ {
		name := filepath.Join(fmt.Sprint("iteration-", number), store.BenchmarkFile)
		filetest.Write(t, dir, map[string]string{name: fmt.Sprintf(`{"metadata": {"executor_model": "m%d", "timestamp": "2026-01-02T03:04:05Z"}, "statistics": {"n_cases": 8, "delta": 0.5, "ci95": [0.2, 0.8], "verdict": "better", "baseline": "without_skill"}}`, number)})
	}
	b := store.Aggregate(scores("1", 1, 0, 1), store.Meta{Skill: "s", Model: "m9", Dir: filepath.Join(dir, "iteration-9")})
	root := parse(t, write(t, "html", b))
	rows := root.all("table", "results")[0].all("tr", "")
	if len(rows) != maxTrend+1 || !strings.HasPrefix(strings.TrimSpace(rows[1].text), "9 (this one)") || !strings.Contains(rows[2].text, "8\n2026-01-02 03:04\nm8\nbetter") {
		t.Errorf("%d rows, %q", len(rows), rows[1].text)
	}
	older := root.all("details", "looks")[0]
	if got := older.all("tr", ""); len(got) != 4 || !strings.Contains(got[3].text, "m1") {
		t.Errorf("older: %q", older.text)
	}
	for _, n := range rows[2].all("div", "") {
		if n.attr["class"] != "v-better" {
			t.Errorf("the picture has the class %q", n.attr["class"])
		}
	}
}
