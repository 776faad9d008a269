package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/spec"
)

// noFiles is the empty folder of a skill.
type noFiles struct{}

func (noFiles) List() []spec.File                  { return nil }
func (noFiles) Unlisted() []spec.Unlisted          { return nil }
func (noFiles) Above(string) (exists, known bool)  { return false, false }
func (noFiles) Read(string, int64) ([]byte, error) { return nil, fmt.Errorf("there is nothing") }

// withBody is a skill with two findings, disable-model-invocation on line 4
// (field-client) and an uppercase name (name-lowercase, name-directory), and
// the given body from line 6 on.
func withBody(body string) *spec.Document {
	d := parse("---\nname: My-skill\ndescription: Extracts text from PDF files. Use when a task names a PDF.\ndisable-model-invocation: true\n---\n" + body)
	d.Files = noFiles{}
	return d
}

// lines1 are findings as line:col-col rule: message.
func lines1(ds []spec.Diagnostic) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%d:%d-%d %s: %s", d.Span.Start.Line, d.Span.Start.Column, d.Span.End.Column, d.Rule, d.Message))
	}
	return out
}

func TestIgnore(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		kept []string // rule ids, without body-length and the like
	}{
		"nothing":                    {"Text.\n", []string{"name-lowercase name-directory", "field-client"}},
		"one":                        {"<!-- skills: ignore field-client -- only people start it -->\n", []string{"name-lowercase name-directory"}},
		"several":                    {"<!-- skills: ignore name-lowercase, name-directory,field-client -->\n", nil},
		"blanks instead of commas":   {"<!--skills:ignore name-lowercase name-directory--why-->\n", []string{"field-client"}},
		"one fault of the name":      {"<!-- skills: ignore name-lowercase, field-client -->\n", []string{"name-directory"}},
		"the other one":              {"<!-- skills: ignore name-directory, field-client -->\n", []string{"name-lowercase"}},
		"over several lines":         {"<!-- skills: ignore\n  name-lowercase,\n  name-directory\n  -- because\n  it is so\n-->\n", []string{"field-client"}},
		"two comments":               {"<!-- skills: ignore name-lowercase, name-directory -- a -->\n\nText.\n\n<!-- skills: ignore field-client -- b -->\n", nil},
		"the same rule twice":        {"<!-- skills: ignore field-client -- a -->\n\n<!-- skills: ignore field-client -- b -->\n", []string{"name-lowercase name-directory"}},
		"inside a paragraph":         {"Text <!-- skills: ignore field-client --> goes on.\n", []string{"name-lowercase name-directory"}},
		"a list and a quotation":     {"- item\n\n  <!-- skills: ignore field-client -->\n\n> <!-- skills: ignore name-lowercase, name-directory -->\n", nil},
		"an example in a code block": {"```markdown\n<!-- skills: ignore field-client -->\n```\n\nOr `<!-- skills: ignore field-client -->`.\n", []string{"name-lowercase name-directory", "field-client"}},
		"another comment":            {"<!-- skills: ignored field-client -->\n\n<!-- skills: none -->\n\n<!-- see skills: ignore field-client -->\n", []string{"name-lowercase name-directory", "field-client"}},
		"the comment rule itself":    {"<!-- skills: ignore field-client, no-such-rule, ignore-comment -->\n", []string{"name-lowercase name-directory"}},
		"a typographic dash":         {"<!-- skills: ignore field-client — only people start it -- or so -->\n\n<!-- skills: ignore name-lowercase, name-directory – b -->\n", nil},
		"CRLF":                       {"<!-- skills: ignore\r\nfield-client\r\n-- a\r\nb -->\r\n", []string{"name-lowercase name-directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			kept := Check(withBody(tc.body), spec.Options{Levels: onlyThese})
			var ids []string
			for _, d := range kept {
				ids = append(ids, strings.TrimSpace(d.Rule+" "+d.Also))
			}
			if !slices.Equal(ids, tc.kept) {
				t.Errorf("kept\ngot  %q\nwant %q", lines1(kept), tc.kept)
			}
		})
	}
}

// onlyThese turns off the rules about the body, which these bodies are too
// short to be of interest to.
var onlyThese = map[string]spec.Level{"description-when": spec.Off, "body-length": spec.Off, "body-empty": spec.Off, "catalogue-cost": spec.Off, "description-portability": spec.Off, "name-portability": spec.Off}

func TestIgnoreComment(t *testing.T) {
	const all = "<!-- skills: ignore field-client, name-lowercase, name-directory -->\n\n"
	for name, tc := range map[string]struct {
		body string
		opts spec.Options
		want []string
	}{
		"no rule":            {"<!-- skills: ignore -->\n", spec.Options{}, []string{"8:1-24 ignore-comment: the ignore comment names no rule"}},
		"no rule but reason": {"<!-- skills: ignore -- it is fine -->\n", spec.Options{}, []string{"8:1-38 ignore-comment: the ignore comment names no rule"}},
		"unknown":            {"é <!-- skills: ignore client-field -->\n", spec.Options{}, []string{`8:23-35 ignore-comment: unknown rule "client-field" in an ignore comment`}},
		"unknown, the second of two lines": {"<!-- skills: ignore field-client,\n  Field-Client -->\n", spec.Options{},
			[]string{`9:3-15 ignore-comment: unknown rule "Field-Client" in an ignore comment`}},
		"finds nothing": {"<!-- skills: ignore field-client, name-length -->\n", spec.Options{},
			[]string{"8:35-46 ignore-comment: the comment ignores name-length, which finds nothing here"}},
		"not ignorable": {"<!-- skills: ignore frontmatter-syntax, encoding -->\n", spec.Options{}, []string{
			"8:21-39 ignore-comment: frontmatter-syntax cannot be ignored in the body: its findings put the body itself in doubt",
			"8:41-49 ignore-comment: encoding cannot be ignored in the body: its findings put the body itself in doubt"}},
		"another word":                         {"<!-- skills: disable name-length -->\n", spec.Options{}, []string{"8:1-37 ignore-comment: this comment silences nothing: it has to begin with skills: ignore"}},
		"capitals":                             {"<!-- Skills: Ignore Name-Length -- why -->\n", spec.Options{}, []string{"8:1-43 ignore-comment: this comment silences nothing: it has to begin with skills: ignore"}},
		"no rule's name":                       {"<!-- skills: disable everything -->\n\n<!-- Skills: ignore them -->\n", spec.Options{}, nil},
		"a rule that is off":                   {"<!-- skills: ignore name-length -->\n", spec.Options{Levels: map[string]spec.Level{"name-length": spec.Off}}, nil},
		"the comment rule off":                 {"<!-- skills: ignore nonsense -->\n", spec.Options{Levels: map[string]spec.Level{"ignore-comment": spec.Off}}, nil},
		"a verdict that depends on the client": {"<!-- skills: ignore field-client -->\n", spec.Options{Clients: []string{"pi"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			levels := map[string]spec.Level{}
			for _, m := range []map[string]spec.Level{onlyThese, tc.opts.Levels} {
				for id, level := range m {
					levels[id] = level
				}
			}
			tc.opts.Levels = levels
			got := lines1(Check(withBody(all+tc.body), tc.opts))
			if !slices.Equal(got, tc.want) {
				t.Errorf("\ngot  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestIgnoreCommentUnsure checks that an ignore comment is not reported as unused if its
// rule could not run.
func TestIgnoreCommentUnsure(t *testing.T) {
	stdin := withBody("<!-- skills: ignore name-length -->\n")
	stdin.Files = nil
	broken := parse("---\nname: my-skill\ndescription: Says: so\n---\n<!-- skills: ignore name-length -->\n")
	broken.Files = noFiles{}
	for name, d := range map[string]*spec.Document{"standard input": stdin, "broken frontmatter": broken} {
		for _, f := range Check(d, spec.Options{}) {
			if f.Rule == "ignore-comment" {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}

// TestIgnoreFaults checks that a comment in the body cannot ignore faults of reading
// the document.
func TestIgnoreFaults(t *testing.T) {
	d := parse("---\nname: my-skill\nname: other\ndescription: Says: so\n---\n<!-- skills: ignore frontmatter-syntax, frontmatter-duplicate-key -->\n")
	var ids []string
	for _, f := range Check(d, spec.Options{Levels: map[string]spec.Level{"ignore-comment": spec.Off}}) {
		ids = append(ids, f.Rule)
	}
	for _, want := range []string{"frontmatter-syntax", "frontmatter-duplicate-key"} {
		if !slices.Contains(ids, want) {
			t.Errorf("got %q, want %s among them", ids, want)
		}
	}
}

// TestIgnoreReference checks that ignore comments have no effect in the reference
// profile.
func TestIgnoreReference(t *testing.T) {
	d := withBody("<!-- skills: ignore name-lowercase, no-such-rule -->\n")
	got := Check(d, spec.Options{Profile: spec.ProfileReference})
	if !slices.ContainsFunc(got, func(f spec.Diagnostic) bool { return f.Rule == "name-lowercase" }) {
		t.Errorf("got %q, want name-lowercase reported", lines1(got))
	}
}

func TestIgnores(t *testing.T) {
	d := withBody("<!-- skills: ignore name-collision, encoding -- one per platform -->\n")
	if !d.Ignores("name-collision") {
		t.Error("name-collision is not ignored")
	}
	for _, id := range []string{"encoding", "field-client"} {
		if d.Ignores(id) {
			t.Errorf("%s is ignored", id)
		}
	}
}

// TestIgnoreHostile checks a body with a hundred thousand comments: reports and time are
// bounded.
func TestIgnoreHostile(t *testing.T) {
	d := withBody(strings.Repeat("<!-- skills: ignore x -->", 20_000) + "<!-- skills: ignore " + strings.Repeat("y,", 100_000) + " -->")
	done := make(chan []spec.Diagnostic, 1)
	go func() { done <- Check(d, spec.Options{}) }()
	select {
	case ds := <-done:
		n := 0
		for _, f := range ds {
			if f.Rule == "ignore-comment" {
				n++
			}
		}
		if n != 101 {
			t.Errorf("got %d findings, want 101", n)
		}
	case <-time.After(time.Minute):
		t.Fatal("still checking after a minute")
	}
}
