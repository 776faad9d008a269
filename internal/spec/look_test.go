package spec

import (
	"reflect"
	"strings"
	"testing"
)

// agree fails where a look at a document says anything else than parsing it.
func agree(t *testing.T, dir, src string) (looked bool) {
	t.Helper()
	got, ok := Look(dir, []byte(src))
	if !ok {
		return false
	}
	doc := parseAt(dir+"/SKILL.md", src)
	if want := doc.Summary(); !reflect.DeepEqual(got, want) {
		t.Errorf("a look gives %+v, parsing %+v, of\n%s", got, want, src)
	}
	for _, d := range Check(doc, Options{Least: Error}) {
		if d.Level == Error {
			t.Errorf("a look lets an error pass (%s: %s) in\n%s", d.Rule, d.Message, src)
		}
	}
	return true
}

// TestLookAgrees holds the quick look against the parser and the rules, over
// all documents of the tests and what they become with small changes.
func TestLookAgrees(t *testing.T) {
	looked := 0
	for _, src := range documents(t) {
		for _, change := range []func(string) string{
			func(s string) string { return s },
			func(s string) string { return strings.Replace(s, "\n---", "\nmetadata:\n  version: 1.0\n---", 1) },
			func(s string) string { return strings.Replace(s, "description: ", "description: >-\n  ", 1) },
			func(s string) string { return strings.Replace(s, "description: ", "description: |\n    ", 1) },
			func(s string) string { return strings.Replace(s, "\n---", "\ndisable-model-invocation: true\n---", 1) },
		} {
			if agree(t, "my-skill", change(src)) {
				looked++
			}
		}
	}
	if looked < 50 {
		t.Errorf("a look was enough for %d documents only", looked)
	}
}

func TestLook(t *testing.T) {
	const head = "---\nname: my-skill\ndescription: Does it. Use when testing.\n"
	for name, tt := range map[string]struct {
		src  string
		want Summary // the zero value: has to be parsed
	}{
		"plain":     {head + "---\nBody", Summary{Name: "my-skill", Description: "Does it. Use when testing."}},
		"no body":   {head + "---", Summary{Name: "my-skill", Description: "Does it. Use when testing."}},
		"quoted":    {"---\nname: \"my-skill\"\ndescription: ' a: b # c '\n---\n", Summary{Name: "my-skill", Description: "a: b # c"}},
		"folded":    {"---\nname: my-skill\ndescription: >\n  One # two: three\n  four.\nlicense: MIT\n---\n", Summary{Name: "my-skill", Description: "One # two: three four.", License: "MIT"}},
		"literal":   {"---\nname: my-skill\ndescription: |-\n One\n two\n---\n", Summary{Name: "my-skill", Description: "One\ntwo"}},
		"all":       {head + "license: MIT\ncompatibility: needs git\nallowed-tools: Read Bash(git:*)\nmetadata:\n  a: b\n  v: 1.0\ndisable-model-invocation: true\nuser-invocable: false\n---\n", Summary{"my-skill", "Does it. Use when testing.", "MIT", "needs git", "Read Bash(git:*)", true, true}},
		"flags off": {head + "disable-model-invocation: false\nuser-invocable: true\n---\n", Summary{Name: "my-skill", Description: "Does it. Use when testing."}},

		"another folder":   {src: strings.Replace(head, "my-skill", "other", 1) + "---\n"},
		"unknown field":    {src: head + "author: me\n---\n"},
		"twice":            {src: head + "name: my-skill\n---\n"},
		"colon":            {src: "---\nname: my-skill\ndescription: Use when: now\n---\n"},
		"comment":          {src: "---\nname: my-skill\ndescription: Does # it\n---\n"},
		"over two lines":   {src: "---\nname: my-skill\ndescription: Does\n  it\n---\n"},
		"a word of YAML":   {src: "---\nname: my-skill\ndescription: null\n---\n"},
		"escapes":          {src: "---\nname: my-skill\ndescription: \"a\\tb\"\n---\n"},
		"blank in folded":  {src: "---\nname: my-skill\ndescription: >\n  a\n\n  b\n---\n"},
		"too long":         {src: "---\nname: my-skill\ndescription: " + strings.Repeat("a", 1025) + "\n---\n"},
		"not closed":       {src: head},
		"fence with blank": {src: head + "--- \n"},
		"carriage returns": {src: strings.ReplaceAll(head, "\n", "\r\n") + "---\r\n"},
		"byte order mark":  {src: "\ufeff" + head + "---\n"},
		"bytes in body":    {src: head + "---\n\xff"},
		"hidden character": {src: strings.Replace(head, "Does", "Do\u200bes", 1) + "---\n"},
		"no description":   {src: "---\nname: my-skill\n---\n"},
		"list":             {src: head + "allowed-tools: [Read]\n---\n"},
		"odd flag":         {src: head + "disable-model-invocation: yes\n---\n"},
		"deep metadata":    {src: head + "metadata:\n  a:\n    b: c\n---\n"},
	} {
		got, ok := Look("my-skill", []byte(tt.src))
		if want := tt.want != (Summary{}); ok != want || ok && got != tt.want {
			t.Errorf("%s: got %+v, %t, want %+v", name, got, ok, tt.want)
		}
		agree(t, "my-skill", tt.src)
	}
}

// What a look leaves to the parser is read with the same meaning.
func TestSummary(t *testing.T) {
	doc := parse("---\nname: my-skill\ndescription: d\nallowed-tools: [Read, \"Bash(git:*)\"]\ndisable-model-invocation: \"True\"\nuser-invocable: no\n---\n")
	want := Summary{Name: "my-skill", Description: "d", AllowedTools: "Read Bash(git:*)", Hidden: true, NotUser: true}
	if got := doc.Summary(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func FuzzLook(f *testing.F) {
	for _, src := range documents(f) {
		f.Add(src)
	}
	f.Add("---\nname: my-skill\ndescription: >\n  a\n  b\nmetadata:\n  a: \"b\"\n---\n")
	f.Fuzz(func(t *testing.T, src string) { agree(t, "my-skill", src) })
}
