package rules

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"skills/internal/spec"
)

// FuzzCheck parses and checks anything, under both profiles. Nothing may
// panic, every position is inside the file, twice gives the same, the body is
// the end of the file, and what is reported can be read.
func FuzzCheck(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/findings.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add([]byte(unescape(string(file.Data))))
	}
	for _, name := range []string{"cases.jsonl", "clients.jsonl"} {
		if data, err := os.ReadFile("../../../testdata/conformance/" + name); err == nil {
			for line := range strings.Lines(string(data)) {
				f.Add([]byte(line))
			}
		}
	}
	f.Add([]byte("---\na: &a [*a, *a]\nb: *a\n---\n"))
	f.Add([]byte("---\nname: x\u2028y: z\n---\n"))
	f.Add([]byte("---\nname: over\n two lines\n---"))
	f.Add([]byte("---\nname:\"\n:\n---"))
	f.Fuzz(func(t *testing.T, src []byte) {
		doc := parse(string(src))
		if !strings.HasSuffix(string(src), doc.Body) {
			t.Fatalf("the body is not the end of the file")
		}
		for _, profile := range []spec.Profile{spec.ProfileSpec, spec.ProfileReference} {
			ds := Check(doc, spec.Options{Profile: profile})
			for _, d := range ds {
				inside(t, doc, d.Span)
				if d.Message == "" || strings.ContainsFunc(d.Message+d.Help, func(r rune) bool { return r < ' ' && r != '\t' }) {
					t.Fatalf("unreadable finding %q, help %q", d.Message, d.Help)
				}
				if Find(d.Rule) == nil {
					t.Fatalf("finding of an unknown rule %q", d.Rule)
				}
			}
			if again := Check(parse(string(src)), spec.Options{Profile: profile}); !reflect.DeepEqual(ds, again) {
				t.Fatalf("second run differs:\n%v\n%v", ds, again)
			}
		}
		if p, err := spec.ReadProperties(doc); err == nil && (p.Name == "" || p.Description == "") {
			t.Fatal("properties without name or description")
		}
	})
}

// inside fails unless a span is in the file and ends no earlier than it
// starts; the zero span is the whole file.
func inside(t *testing.T, doc *spec.Document, s spec.Span) {
	t.Helper()
	if s == (spec.Span{}) {
		return
	}
	for _, p := range []spec.Pos{s.Start, s.End} {
		last := max(doc.Lines().Count(), 1)
		if p.Line < 1 || p.Line > last+1 || p.Column < 1 || p.Column > len([]rune(doc.Line(p.Line)))+1 {
			t.Fatalf("position %v is outside the file", p)
		}
	}
	if s.End.Line < s.Start.Line || s.End.Line == s.Start.Line && s.End.Column < s.Start.Column {
		t.Fatalf("span %v ends before it starts", s)
	}
}

func BenchmarkParse(b *testing.B) {
	src := "---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: MIT\nmetadata:\n  author: me\n---\n" + strings.Repeat("Some text of the body.\n", 200)
	for b.Loop() {
		parse(src)
	}
}

func BenchmarkCheck(b *testing.B) {
	doc := parse("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: MIT\nmetadata:\n  author: me\n---\n# Body\n")
	for b.Loop() {
		Check(doc, spec.Options{})
	}
}
