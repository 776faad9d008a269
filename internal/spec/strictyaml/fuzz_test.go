package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse checks what holds for every text: no panic, the same answer twice,
// errors that point into the text, and a result without holes.
func FuzzParse(f *testing.F) {
	for _, c := range loadCases(f) {
		f.Add(c.Text)
	}
	f.Add("a: \xff\n")
	f.Add(strings.Repeat("- ", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text)
		again, errAgain := Parse(text)
		if !reflect.DeepEqual(n, again) || !reflect.DeepEqual(err, errAgain) {
			t.Fatalf("two answers for %q", text)
		}
		if err != nil {
			var e *Error
			if n != nil || !errors.As(err, &e) {
				t.Fatalf("Parse(%q) = %v, %T; want no node and an *Error", text, n, err)
			}
			checkPosition(t, text, e.Line, e.Column)
			if e.Message == "" {
				t.Errorf("Parse(%q): no message", text)
			}
			return
		}
		checkNode(t, text, n, 0)
	})
}

// checkPosition fails if line and column lie outside the text; right behind
// its last character, or behind a line, is inside.
func checkPosition(t *testing.T, text string, line, column int) {
	t.Helper()
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

func checkNode(t *testing.T, text string, n *Node, depth int) {
	t.Helper()
	if n == nil || depth > maxDepth {
		t.Fatalf("Parse(%q): node %v at depth %d", text, n, depth)
	}
	checkPosition(t, text, n.Line, n.Column)
	if !utf8.ValidString(n.Text) {
		t.Errorf("Parse(%q): text %q is not UTF-8", text, n.Text)
	}
	if n.Kind != Mapping && n.Pairs != nil || n.Kind != Sequence && n.Items != nil {
		t.Errorf("Parse(%q): a %d with pairs %v and items %v", text, n.Kind, n.Pairs, n.Items)
	}
	for _, p := range n.Pairs {
		if p.Key == nil || p.Key.Kind != Scalar {
			t.Fatalf("Parse(%q): key %v", text, p.Key)
		}
		checkPosition(t, text, p.Key.Line, p.Key.Column)
		checkNode(t, text, p.Value, depth+1)
	}
	for _, item := range n.Items {
		checkNode(t, text, item, depth+1)
	}
}
