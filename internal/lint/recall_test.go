package lint

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"skills/internal/report"
	"skills/internal/spec"
)

// notLookedFor lists the ways of mentioning a file in which a missing one is not
// reported, with the reason. docs/accuracy.md shows the list.
var notLookedFor = map[string]string{
	"name in a code span, alone":       "as often a file that the user has or that the agent writes",
	"name in prose, alone":             "as often a file that the user has or that the agent writes",
	"code of another language":         "its paths are relative to wherever the program runs",
	"comment of a program":             "the same path may be that of the program's project",
	"listing in a block":               "listings show what projects look like",
	"drawing of the folder":            "drawings show what projects look like",
	"pip install -r, without a folder": "the file is that of the project",
	"sentence that describes":          "a file is often described where it is to be written",
	"file that may be missing":         "the text says so",
	"file of the project":              "the text says so",
	"HTML comment with instructions":   "comments hold the notes of authors, templates and directives of tools",
	"download piped into a shell":      "2 of 100 such lines are malicious; those from a bare address are reported",
	"instructions to ignore others":    "1 of 45 such texts is an attack",
}

func TestUncheckedIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	for way, reason := range notLookedFor {
		if row := "| " + way + " | " + reason + " |\n"; !strings.Contains(string(page), row) {
			t.Errorf("docs/accuracy.md lacks the row %q", row)
		}
	}
}

// recall counts the mutations that are found, by their ways.
type recall struct {
	found, all map[string]int
}

func newRecall() *recall { return &recall{map[string]int{}, map[string]int{}} }

func (r *recall) add(way string, found bool) {
	r.all[way]++
	if found {
		r.found[way]++
	}
}

// check returns how many are found, in percent. It fails if they are less than 95, and where
// the list of what is not looked for is not true any more.
func (r *recall) check(t testing.TB) float64 {
	found, all := 0, 0
	for way, n := range r.all {
		found, all = found+r.found[way], all+n
		switch _, listed := notLookedFor[way]; {
		case listed && r.found[way] > 0:
			t.Errorf("%s: %d of %d are found; take it out of notLookedFor and docs/accuracy.md", way, r.found[way], n)
		case !listed && r.found[way] == 0:
			t.Errorf("%s: none of %d is found", way, n)
		}
	}
	ways := make([]string, 0, len(r.all))
	for way := range r.all {
		ways = append(ways, way)
	}
	slices.SortFunc(ways, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.found[a]*r.all[b], r.found[b]*r.all[a]), cmp.Compare(a, b))
	})
	for _, way := range ways {
		t.Logf("%3d of %3d  %s", r.found[way], r.all[way], way)
	}
	if t.Logf("%3d of %3d", found, all); found*100 < all*95 {
		t.Errorf("%d of %d are found, want 95 of 100", found, all)
	}
	return float64(found*100) / float64(all)
}

// validate checks a folder.
func validate(t testing.TB, dir string) []report.Skill {
	t.Helper()
	// The skills have linked files on purpose, and advice counts as found.
	levels := map[string]spec.Level{"reference-depth": spec.Off, "script-target": spec.Warning, "link-target": spec.Warning}
	_, skills, err := run(t, Options{Dir: dir, NoConfig: true, Levels: levels, Results: Results{Least: spec.Warning}})
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

// has reports whether one of the rules found something in a line of a file.
func has(skills []report.Skill, file string, line int, rules ...string) bool {
	for _, s := range skills {
		for _, d := range s.Diagnostics {
			if slices.Contains(rules, d.Rule) && filepath.ToSlash(d.Path) == file && max(d.Span.Start.Line, 1) == line {
				return true
			}
		}
	}
	return false
}

// TestRecallOfFiles deletes and renames every file that the skills in
// testdata/recall mention, and expects a finding in the line of the mention. A line
// before the files of a skill names a rule, the way of the mention, the file and,
// where it differs, the text that mentions it.
func TestRecallOfFiles(t *testing.T) {
	archives, err := filepath.Glob("testdata/recall/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatal(archives, err)
	}
	var all []*txtar.Archive
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	r, held := newRecall(), t.TempDir()
	for _, a := range all {
		files, root := map[string]string{}, ""
		for _, f := range a.Files {
			files[f.Name] = string(f.Data)
			if path.Base(f.Name) == spec.FileName {
				root = path.Dir(f.Name)
			}
		}
		dir := folder(t, files)
		if got := found(validate(t, dir)); got != nil {
			t.Errorf("%s: %q is found in the skill as it is", root, got)
		}
		for line := range strings.Lines(string(a.Comment)) {
			column := strings.Split(strings.TrimSpace(line)+" | ", " | ")
			rule, way, file := column[0], column[1], column[2]
			page, at := mentioned(t, files, cmp.Or(column[3], file))
			file = path.Join(root, file)
			base := path.Base(file)
			rules, mutations := []string{rule}, map[string]string{"deleted": "", "renamed": "old-" + base, "in another case": strings.ToUpper(base)}
			if rule == "-" { // not looked for
				rules, mutations = []string{"link-target", "script-target"}, map[string]string{"deleted": ""}
			}
			for mutation, name := range mutations {
				from, to := filepath.FromSlash(file), filepath.Join(held, "file")
				if name != "" {
					to = filepath.Join(filepath.Dir(from), name)
				}
				if err := os.Rename(from, to); err != nil {
					t.Fatal(err)
				}
				ok := has(validate(t, dir), page, at, rules...)
				if r.add(way, ok); !ok && rule != "-" {
					t.Logf("%s %s: no %s in %s:%d", file, mutation, rule, page, at)
				}
				if err := os.Rename(to, from); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	r.check(t)
}

// mentioned returns the page and the line of the only place where a text occurs.
func mentioned(t *testing.T, files map[string]string, text string) (page string, line int) {
	t.Helper()
	for name, content := range files {
		if before, after, ok := strings.Cut(content, text); ok && strings.HasSuffix(name, ".md") {
			if page != "" || strings.Contains(after, text) {
				t.Fatalf("%q occurs more than once", text)
			}
			page, line = name, strings.Count(before, "\n")+1
		}
	}
	if page == "" {
		t.Fatalf("%q does not occur", text)
	}
	return page, line
}
