package rules

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"skills/docs"
	"skills/internal/spec"
)

// parse reads a document the way the loader does, without a file.
func parse(src string) *spec.Document { return parseAt("my-skill/SKILL.md", src) }

func parseAt(name, src string) *spec.Document {
	d := spec.Scan(name, path.Base(path.Dir(name)), []byte(src))
	d.File = spec.FileName
	if b := d.Block(); b.Closed() {
		d.Decode(d.Source[b.Start:b.End])
	}
	return d
}

// TestPages runs the examples of every rule's page: the bad one must be
// reported by the rule, the good one by none.
func TestPages(t *testing.T) {
	for _, rule := range All() {
		t.Run(rule.ID, func(t *testing.T) {
			page := Page(rule.ID)
			if !strings.HasPrefix(page, "# "+rule.ID+"\n") {
				t.Fatalf("the page of %s is missing or has another title", rule.ID)
			}
			if strings.HasPrefix(rule.ID, "plugin-") {
				return // the tests of package plugins run their examples
			}
			if rule.ID == "skill-file" || rule.ID == "unread-file" {
				return // their examples are in words; the tests of loader and cmd run them
			}
			opts := spec.Options{Banned: []spec.BannedWord{{Word: "gpt-4o", Reason: "retired"}}}
			if rule.Level == spec.Off {
				opts.Levels = map[string]spec.Level{rule.ID: spec.Info}
			}
			bad := example(t, page, "Bad:", opts)
			if !slices.ContainsFunc(bad, func(d spec.Diagnostic) bool { return d.Rule == rule.ID }) {
				t.Errorf("the bad example is not reported by %s, but as %v", rule.ID, bad)
			}
			good := slices.DeleteFunc(example(t, page, "Good:", opts), func(d spec.Diagnostic) bool {
				// Examples about the frontmatter leave the body out.
				return d.Rule == "body-empty" && rule.ID != "body-empty"
			})
			if len(good) > 0 {
				t.Errorf("the good example is reported: %v", good)
			}
		})
	}
}

// example returns everything that is reported of the code blocks after a
// heading of a page. The first is the SKILL.md:
//
//	```markdown
//
// Others may follow. They are files beside it, a second word makes one
// executable, or the SKILL.md of other skills in the same run:
//
//	```text my-skill/scripts/run.sh executable
//	```text other-skill/SKILL.md
//
// Characters that a page should not hold are written \u202E or \U000E0041, and
// a line that says [500 more lines] or [9000 more lines] replaces them.
func example(t *testing.T, page, heading string, opts spec.Options) []spec.Diagnostic {
	t.Helper()
	_, after, found := strings.Cut(page, "\n"+heading+"\n\n")
	src, after, ok := fenced(after, "markdown")
	if !found || !ok {
		t.Fatalf("the page has no block after %q", heading)
	}
	files, docs := map[string]string{}, []*spec.Document{nil}
	for {
		name, _, _ := strings.Cut(strings.TrimPrefix(after, "\n```text "), "\n")
		var text string
		text, after, ok = fenced(strings.TrimPrefix(after, "\n"), "text "+name)
		if !ok {
			break
		}
		name, executable := strings.CutSuffix(name, " executable")
		if executable {
			name += "*"
		}
		if own, ok := strings.CutPrefix(name, "my-skill/"); ok {
			files[own] = text
		} else {
			docs = append(docs, parseAt(name, text))
		}
	}
	docs[0] = parse(src)
	if len(files) > 0 {
		docs[0] = skillWith(src, files)
	}
	out := Check(docs[0], opts)
	for _, ds := range collisions(docs, spec.Options{}) {
		out = append(out, ds...)
	}
	return spec.Sort(out)
}

// fenced reads the block that a text starts with, which has the given info
// string, and returns the rest.
func fenced(text, info string) (block, rest string, ok bool) {
	block, ok = strings.CutPrefix(text, "```"+info+"\n")
	if !ok {
		return "", text, false
	}
	block, rest, ok = strings.Cut("\n"+block, "\n```\n")
	if !ok {
		return "", text, false
	}
	for _, lines := range []int{500, 9000} {
		block = strings.ReplaceAll(block, fmt.Sprintf("\n[%d more lines]", lines), strings.Repeat("\nA step.", lines))
	}
	return escape.ReplaceAllStringFunc(block[1:]+"\n", func(s string) string {
		n, _ := strconv.ParseUint(s[2:], 16, 32)
		return string(rune(n))
	}), rest, true
}

var escape = regexp.MustCompile(`\\u[0-9A-F]{4}|\\U[0-9A-F]{8}`)

func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] {
			t.Errorf("%s is listed twice", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" || r.Source == "" || r.Level == spec.Off && !slices.Contains([]string{"unpinned-runner", "home-path"}, r.ID) {
			t.Errorf("%s lacks a title, a source or a level", r.ID)
		}
		if Find(r.ID) == nil {
			t.Errorf("FindRule does not find %s", r.ID)
		}
	}
	if Find("no-such-rule") != nil {
		t.Error("FindRule finds a rule there is not")
	}
	files, err := fs.ReadDir(docs.RulePages(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[strings.TrimSuffix(f.Name(), ".md")] {
			t.Errorf("%s is the page of no rule", f.Name())
		}
	}
}
