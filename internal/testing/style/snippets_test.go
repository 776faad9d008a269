package style

import (
	"fmt"
	"strings"
	"testing"
)

// TestRules checks that each rule reports a bad snippet, and nothing in a good one.
func TestRules(t *testing.T) {
	long := strings.Repeat("\t_ = 0\n", maxFunction)
	rows := strings.Repeat("\t\t1,\n", maxFunction)
	lines := func(n int) string { return strings.Repeat("\n", n) }
	many := func(n int, format string) (s string) {
		for i := range n {
			s += fmt.Sprintf(format, i)
		}
		return s
	}
	tests := []struct{ name, bad, want, good string }{
		{
			name: "header of an if",
			bad:  "func f() { var err error; if err = g(); err != nil {} }",
			want: "assignment in the header of an if",
			good: "func f() { if err := g(); err != nil {} }",
		},
		{
			name: "count in a header",
			bad:  "func f(x int) { if x++; x > 1 {} }",
			want: "assignment in the header of an if",
			good: "func f(x int) { for ; x > 1; x++ {} }",
		},
		{
			name: "header of a switch",
			bad:  "func f(x int) { switch x = g(); x {} }",
			want: "assignment in the header of a switch",
			good: "func f(x int) { switch y := g(); y {} }",
		},
		{
			name: "header of a type switch",
			bad:  "func f(x any) { switch x = g(); x.(type) {} }",
			want: "assignment in the header of a switch",
			good: "func f() { switch x := g(); x.(type) {} }",
		},
		{
			name: "condition of an if",
			bad:  "func f() { if a && (b || !(c && d)) {} }",
			want: "a condition of 4 operands",
			good: "func f() { given := a && b; if given || !(c && d) {} }",
		},
		{
			name: "condition of a loop",
			bad:  "func f() { for a && b && c && d {} }",
			want: "a condition of 4 operands",
			good: "func f() { for a && b && c {} }",
		},
		{
			name: "condition of a case",
			bad:  "func f() { switch { case a && b && c && d: } }",
			want: "a condition of 4 operands",
			good: "func f() { switch { case a && b, c && d: } }",
		},
		{
			name: "condition of a loop without one",
			bad:  "func f() { for { if a && b && c && d {} } }",
			want: "a condition of 4 operands",
			good: "func f() bool { for { return a && b && c && d } }",
		},
		{
			name: "cmp.Or with an error",
			bad:  "func f() { e := cmp.Or(err, g()); _ = e }",
			want: "cmp.Or of calls",
			good: `func f() { e := cmp.Or(err, errors.New("x")); _ = e }`,
		},
		{
			name: "cmp.Or with a variable of the type error",
			bad:  "func f() { var first error; first = cmp.Or(first, g()) }",
			want: "cmp.Or of calls",
			good: "func f() { var first string; first = cmp.Or(first, g()) }",
		},
		{
			name: "cmp.Or as an error",
			bad:  "func f() { n, err := 1, error(nil); err = cmp.Or(g(), h()) }",
			want: "cmp.Or of calls",
			good: "func f() { n := cmp.Or(g(), h()) }",
		},
		{
			name: "cmp.Or compared with nil",
			bad:  "func f() bool { return cmp.Or(g(), h()) != nil }",
			want: "cmp.Or of calls",
			good: `func f() bool { return cmp.Or(g(), h()) != "" }`,
		},
		{
			name: "cmp.Or returned as an error",
			bad:  "func f() (int, error) { return 1, cmp.Or(g(), h()) }",
			want: "cmp.Or of calls",
			good: "func f() (int, error) { return cmp.Or(g(), h()), nil }",
		},
		{
			name: "cmp.Or returned by a function literal",
			bad:  "var f = func() error { return cmp.Or(g(), h()) }",
			want: "cmp.Or of calls",
			good: "func f() error { return g(func() int { return cmp.Or(g(), h()) }) }",
		},
		{
			name: "cmp.Or of errors that occurred",
			bad:  "func f() error { return cmp.Or(lines.Err(), g()) }",
			want: "cmp.Or of calls",
			good: "func f() error { return cmp.Or(lines.Err(), context.Cause(ctx), fault.UsageIf(x, h, m), errEmpty) }",
		},
		{
			name: "literal",
			bad:  "var x = span{1, 2, 3, 4}",
			want: "a struct literal of 4 fields without keys",
			good: "var x, y = span{1, 2, 3}, span{a: 1, b: 2, c: 3, d: 4}",
		},
		{
			name: "literals in a list",
			bad:  "var x = []span{{1, 2, 3, 4}}",
			want: "a struct literal of 4 fields without keys",
			good: "var x, y, z = []span{{a: 1, b: 2, c: 3, d: 4}}, [][]int{{1, 2, 3, 4}}, []int{1, 2, 3, 4}",
		},
		{
			name: "literals in a map",
			bad:  "var x = map[string]*pkg.Span{`a`: {1, 2, 3, 4}}",
			want: "a struct literal of 4 fields without keys",
			good: "var x, y = map[string]pkg.Span{`a`: {a: 1, b: 2, c: 3, d: 4}}, map[string][]int{`a`: {1, 2, 3, 4}}",
		},
		{
			name: "fields",
			bad:  "type t struct { a, b, c, d, e, f, g, h, i, j, k, l, m, n int; o, p string }",
			want: "a struct of 16 fields",
			good: "type t struct { a, b, c, d, e, f, g, h, i, j, k, l, m, n int; group }",
		},
		{
			name: "function",
			bad:  "func f() {\n" + long + "}",
			want: "f has 62 lines, more than 60",
			good: "func f() {\n\treturn []int{\n" + rows + "\t}\n}",
		},
		{
			name: "function with a short table",
			bad:  "func f() {\n" + long[:len(long)/2] + "\t_ = []int{\n" + rows[:len(rows)/2] + "\t}\n}",
			want: "f has 64 lines, more than 60",
			good: "func f() {\n" + long[:len(long)/2] + "\t_ = []int{\n" + rows + "\t}\n}",
		},
		{
			name: "function in a table",
			bad:  "func f() {\n\t_ = t{x: func() {\n" + long[:len(long)-2*len("\t_ = 0\n")] + "}}\n}",
			want: "f has 62 lines, more than 60",
			good: "func f() {\n\t_ = []t{{x: func() {\n" + long[:len(long)/6] + "}},\n" + rows + "\t}\n}",
		},
		{
			name: "function literal",
			bad:  "var f = func() {\n" + long + "}",
			want: "a function literal has 62 lines, more than 60",
			good: "var f = func() {\n\t_ = []int{\n" + rows + "\t}\n}",
		},
		{
			name: "methods",
			bad:  many(maxMethods+1, "func (x *t) m%d() {}\n"),
			want: "t has 26 methods, more than 25",
			good: many(maxMethods, "func (x t[A, B]) m%d() {}\n") + many(maxMethods, "func (x *u[A]) m%d() {}\n"),
		},
		{
			name: "length of a file",
			bad:  "// The idea.\n\nvar x = 1" + lines(maxFile),
			want: "more than 500",
			good: "// The idea.\n\nvar x = 1" + lines(maxFile-5),
		},
		{
			name: "opening comment",
			bad:  "import (\n\t_ \"embed\" // for x\n)\n\n// x is a number.\nvar x = 1\n\n// The end." + lines(maxSilent),
			want: "lines without an opening comment",
			good: "import (\n\t_ \"embed\" // for x\n)\n\n// The idea.\n\n// x is a number.\nvar x = 1" + lines(maxSilent),
		},
		{
			name: "opening comment before the imports",
			bad:  "//go:generate x\n\nvar x = 1" + lines(maxSilent),
			want: "lines without an opening comment",
			good: "// The idea.\n\nimport \"io\"\n\n// x is a number.\nvar x = 1" + lines(maxSilent),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := check(map[string]string{"bad.go": "package p\n\n" + test.bad})
			if len(found) != 1 || !strings.Contains(found[0], test.want) {
				t.Errorf("the bad snippet has the problems %q, want one with %q", found, test.want)
			}
			if found := check(map[string]string{"good.go": "package p\n\n" + test.good}); len(found) != 0 {
				t.Errorf("the good snippet has the problems %q", found)
			}
		})
	}
}

// TestPackage checks what is counted over the files of a package.
func TestPackage(t *testing.T) {
	files := func(pkg string, n int) map[string]string {
		out := map[string]string{}
		for i := range n {
			out[fmt.Sprint(i, ".go")] = fmt.Sprintf("// Package %s is about x.\npackage %[1]s\n\nfunc (x t) m%d() {}%s", pkg, i, strings.Repeat("\n", maxSilent))
		}
		return out
	}
	if got := check(files("p", maxFiles+1)); len(got) != 2 || !strings.Contains(got[0], "41 files") || !strings.Contains(got[1], "t has 41 methods") {
		t.Errorf("41 files with a method each have the problems %q", got)
	}
	if got := check(files("p", maxMethods)); len(got) != 0 {
		t.Errorf("25 files with a method each have the problems %q", got)
	}
	if got := check(files(manyFiles, maxFiles+1)); len(got) != 1 {
		t.Errorf("41 files with a rule each have the problems %q", got)
	}
}
