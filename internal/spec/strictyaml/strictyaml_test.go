package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"skills/internal/spec/frontmatter"
)

func mustParse(t *testing.T, text string) frontmatter.Value {
	t.Helper()
	n, err := Parse(text, 0)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return n
}

func TestPositions(t *testing.T) {
	n := mustParse(t, "\nname: x\nmeta:\n  - é: 'y'\n    z:\n\"k\"   :   |\n  t\n")
	item := n.Fields[1].Value.Items[0]
	for _, c := range []struct {
		what         string
		span         frontmatter.Span
		line, column int
	}{
		{"root", n.Span, 2, 1},
		{"first key", n.Fields[0].KeySpan, 2, 1},
		{"first value", n.Fields[0].Value.Span, 2, 7},
		{"list", n.Fields[1].Value.Span, 4, 3},
		{"item", item.Span, 4, 5},
		{"value behind a wide key", item.Fields[0].Value.Span, 4, 8},
		{"absent value", item.Fields[1].Value.Span, 5, 7},
		{"quoted key", n.Fields[2].KeySpan, 6, 1},
		{"block", n.Fields[2].Value.Span, 6, 11},
	} {
		if c.span.Start != (frontmatter.Pos{Line: c.line, Column: c.column}) {
			t.Errorf("%s at %v, want %d:%d", c.what, c.span.Start, c.line, c.column)
		}
	}
}

// TestRefusalsOfTheSubset checks the messages for text that is YAML,
// but not the reference library's.
func TestRefusalsOfTheSubset(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: b\ntags: [x]\n", "2:7: flow style ([ ] { } ,) is not part of the reference library's YAML subset; quote the text or use block style"},
		{"a: &b c\n", "1:4: anchors (&name) are not part of the reference library's YAML subset; quote the text"},
		{"a: !b c\n", "1:4: tags (!name) are not part of the reference library's YAML subset; quote the text"},
		{"a: b\na: c\n", `2:1: key "a" is twice in this mapping, which the reference library refuses`},
		{"a:\n b: c\nd:\n  e: f\n", "4:3: mapping is indented differently from the mapping before it, which the reference library refuses"},
		{"? - a\n: b\n", "1:3: a list or mapping as a key is not part of the reference library's YAML subset"},
		{"a:\tb\n", "1:3: a tab may not separate or indent here; use spaces"},
		{"a: b: c\n", "1:5: mapping values are not allowed in this context"},
		{"a: \x01\n", "1:4: character U+0001 is not allowed in YAML"},
	} {
		_, err := Parse(c.text, 0)
		if err == nil {
			t.Errorf("Parse(%q) succeeds, want %s", c.text, c.want)
		} else if err.Error() != c.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", c.text, err, c.want)
		}
	}
}

// nested returns mappings in each other, n deep, with one space each.
func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "k:\n")
	}
	return b.String()
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		what, text string
		accept     bool
	}{
		{"mappings at the limit", nested(maxDepth), true},
		{"mappings beyond it", nested(maxDepth + 1), false},
		{"lists at the limit", strings.Repeat("- ", maxDepth) + "x", true},
		{"lists beyond it", strings.Repeat("- ", maxDepth+1) + "x", false},
		{"lists far beyond it", strings.Repeat("- ", 1<<19), false},
		{"lists under keys", "k:\n" + strings.Repeat("- ", maxDepth-1) + "x", true},
		{"lists under keys beyond it", "k:\n" + strings.Repeat("- ", maxDepth) + "x", false},
		{"keys", strings.Repeat("? ", 1<<19), false},
	} {
		_, err := Parse(c.text, 0)
		if c.accept != (err == nil) {
			t.Errorf("%s: error %v, want acceptance %t", c.what, err, c.accept)
		}
	}
}

// TestManyKeys goes past the size from which keys are kept in a map.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	if n := mustParse(t, b.String()); len(n.Fields) != 1000 {
		t.Errorf("%d pairs, want 1000", len(n.Fields))
	}
	for _, k := range []string{"k0", "k999"} {
		var e *Error
		if _, err := Parse(b.String()+k+": v\n", 0); !errors.As(err, &e) || e.Reason != Duplicate || e.Span.Start.Line != 1001 {
			t.Errorf("a second %s: %v, want a duplicate in line 1001", k, err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := "\nname: my-skill\ndescription: Does a thing. Use when testing.\nmetadata:\n  version: \"1.0\"\n"
	for b.Loop() {
		if _, err := Parse(text, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseLarge(b *testing.B) {
	text := "a:\n" + strings.Repeat("- b: c\n", 150_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text, 0); err != nil {
			b.Fatal(err)
		}
	}
}
