package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/spec/frontmatter"
)

// FuzzParse checks what holds for every text: no panic, the same answer twice,
// errors that point into the text, and a result without holes.
func FuzzParse(f *testing.F) {
	for _, c := range loadCases(f) {
		f.Add(c.Text)
	}
	f.Add("a: \xff\n")
	f.Add(strings.Repeat("- ", 5000))
	f.Add("# \u2028\na:\n  looooooooooooooong: |\n   t\nb: c\t\n") // lines of the parser end at a separator too
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text, 0)
		again, errAgain := Parse(text, 0)
		if !reflect.DeepEqual(n, again) || !reflect.DeepEqual(err, errAgain) {
			t.Fatalf("two answers for %q", text)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%q) = %v, %T; want an *Error", text, n, err)
			}
			checkPosition(t, text, e.Span.Start)
			if e.Message == "" {
				t.Errorf("Parse(%q): no message", text)
			}
			return
		}
		checkNode(t, text, n, 0)
	})
}

// checkPosition fails if line and column are outside the text; right behind
// its last character, or behind a line, is inside.
func checkPosition(t *testing.T, text string, at frontmatter.Pos) {
	t.Helper()
	line, column := at.Line, at.Column
	if strings.ContainsAny(text, "\u0085\u2028\u2029") {
		return // the parser counts these as lines
	}
	plain := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(plain, "\n")
	if line < 1 || line > len(lines) {
		t.Fatalf("line %d of %d in %q", line, len(lines), text)
	}
	// A line break counts as the last column of its line, \r\n as two.
	if most := utf8.RuneCountInString(lines[line-1]) + 2; column < 1 || column > most {
		t.Fatalf("column %d of at most %d in line %d of %q", column, most, line, text)
	}
}

func checkNode(t *testing.T, text string, v frontmatter.Value, depth int) {
	t.Helper()
	if depth > maxDepth {
		t.Fatalf("Parse(%q): value %v at depth %d", text, v, depth)
	}
	checkPosition(t, text, v.Span.Start)
	if !utf8.ValidString(v.Text) {
		t.Errorf("Parse(%q): text %q is not UTF-8", text, v.Text)
	}
	if v.Kind != frontmatter.Mapping && v.Fields != nil || v.Kind != frontmatter.Sequence && v.Items != nil {
		t.Errorf("Parse(%q): a %d with fields %v and items %v", text, v.Kind, v.Fields, v.Items)
	}
	for _, f := range v.Fields {
		checkPosition(t, text, f.KeySpan.Start)
		checkNode(t, text, f.Value, depth+1)
	}
	for _, item := range v.Items {
		checkNode(t, text, item, depth+1)
	}
}
