package pyast

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpressions(t *testing.T) {
	one := Const{int64(1)}
	for _, test := range []struct {
		src  string
		want Expr
	}{
		{"1", one},
		{"0x_10", Const{int64(16)}},
		{"1.5e-3", Const{0.0015}},
		{"99999999999999999999", Const{1e20}},
		{`'a\n\x41\u00e9\q' "b"`, Const{"a\nAé\\qb"}},
		{`r'\n'`, Const{`\n`}},
		{"b'x'", Other{}},
		{`f"a{x}{{b}}" 'c'`, Format{[]Expr{Const{"a"}, Name("x"), Const{"{"}, Const{"b}"}, Const{"c"}}}},
		{`f"{x:>3}"`, Format{[]Expr{Other{}}}},
		{"a.b(c, *d, e=1, **f)", Call{Attr{Name("a"), "b"}, []Arg{{Value: Name("c")}, {Star: 1, Value: Name("d")}, {Name: "e", Value: one}, {Star: 2, Value: Name("f")}}}},
		{"[1, *a]", Sequence{'[', []Expr{one, Star{Name("a")}}}},
		{"(1,)", Sequence{'(', []Expr{one}}},
		{"(1)", one},
		{"{1: a, **b}", Dict{[]Expr{one, nil}, []Expr{Name("a"), Name("b")}}},
		{"{1}", Sequence{'{', []Expr{one}}},
		{"a[1:]", Index{Name("a"), Slice{Low: one}}},
		{"a[1, 1]", Index{Name("a"), Sequence{'(', []Expr{one, one}}}},
		{"a or not b == 1", Binary{"or", Name("a"), Unary{"not", Binary{"==", Name("b"), one}}}},
		{"a < b < 1", Binary{"and", Binary{"<", Name("a"), Name("b")}, Binary{"<", Name("b"), one}}},
		{"1 + 1 * 1", Binary{"+", one, Binary{"*", one, one}}},
		{"-1 ** 1", Unary{"-", Binary{"**", one, one}}},
		{"a not in b", Binary{"not in", Name("a"), Name("b")}},
		{"a if b else 1", Cond{Test: Name("b"), Then: Name("a"), Else: one}},
		{"lambda a, *b, c=1: a", Lambda{}},
		{"[x for x in y if x]", Comprehension{Kind: '[', Value: Name("x"), Target: Name("x"), Iter: Name("y"), Tests: []Expr{Name("x")}}},
		{"{k: v for k, v in d}", Comprehension{Kind: ':', Key: Name("k"), Value: Name("v"), Target: Sequence{'(', []Expr{Name("k"), Name("v")}}, Iter: Name("d")}},
		{"(x := 1)", Walrus{"x", one}},
		{"await a", Name("a")},
		{"match(1)", Call{Name("match"), []Arg{{Value: one}}}},
	} {
		got := Parse(test.src)
		if diff := cmp.Diff([]Stmt{ExprStmt{test.want}}, got); diff != "" {
			t.Errorf("%s: %s", test.src, diff)
		}
	}
}

func TestStatements(t *testing.T) {
	body := []Stmt{Pass{}}
	one := Const{int64(1)}
	for _, test := range []struct {
		src  string
		want []Stmt
	}{
		{"a = b = 1; c += 1", []Stmt{Assign{Op: "=", Targets: []Expr{Name("a"), Name("b")}, Value: one}, Assign{Op: "+", Targets: []Expr{Name("c")}, Value: one}}},
		{"a: int = 1", []Stmt{Assign{Op: "=", Targets: []Expr{Name("a")}, Value: one, Annotation: Name("int")}}},
		{"if a: pass\nelif b:\n  pass\nelse:\n  pass", []Stmt{If{Name("a"), body, []Stmt{If{Name("b"), body, body}}}}},
		{"for a, b in c:\n\tpass\n", []Stmt{For{Target: Sequence{'(', []Expr{Name("a"), Name("b")}}, Iter: Name("c"), Body: body}}},
		{"try:\n  pass\nexcept (A, B) as e:\n  pass\nfinally:\n  pass", []Stmt{Try{Body: body, Handlers: [][]Stmt{body}, Finally: body}}},
		{"with (a as b, c):\n  pass", []Stmt{With{[]Expr{Name("a"), Name("c")}, []Expr{Name("b"), nil}, body}}},
		{"match a:\n  case {'x': [1, _]} if b:\n    pass", []Stmt{Match{Name("a"), [][]Stmt{body}}}},
		{"@a.b\nasync def f(x: int, /, *, y=1, **z) -> str:\n  '''doc'''\n  yield 1", []Stmt{&Def{
			Name: "f", Doc: "doc", Generator: true, Decorators: []Expr{Attr{Name("a"), "b"}},
			Params: []Param{{Name: "x", Annotation: Name("int")}, {Name: "y", Default: one}, {Name: "z", Star: 2}},
			Body:   []Stmt{ExprStmt{Const{"doc"}}, ExprStmt{Other{[]Expr{one}}}},
		}}},
		{"class A(B, metaclass=C): pass", []Stmt{Class{Name: "A", Bases: []Arg{{Value: Name("B")}, {Name: "metaclass", Value: Name("C")}}, Body: body}}},
		{"import a.b, c.d as e\nfrom .f import (g as h,\n  i)", []Stmt{Import{[]string{"a", "e"}, []string{"a", "c.d"}}, Import{[]string{"h", "i"}, []string{".f.g", ".f.i"}}}},
		{"a = (1,\n# comment\n  1)\n\n\n  \n# end", []Stmt{Assign{Op: "=", Targets: []Expr{Name("a")}, Value: Sequence{'(', []Expr{one, one}}}}},
	} {
		if diff := cmp.Diff(test.want, Parse(test.src)); diff != "" {
			t.Errorf("%s: %s", test.src, diff)
		}
	}
}

func TestBad(t *testing.T) {
	got := Parse("a = 1 2\nif ?:\n  b\n  c\nd\n")
	want := []Stmt{Bad{"a = 1 2  "}, Bad{"if ? :   b  c   "}, ExprStmt{Name("d")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, src := range []string{strings.Repeat("(", 5000), strings.Repeat("if a:\n ", 300), strings.Repeat("-", 5000), "'''", "f'{", "\\"} {
		Parse(src)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("def f(a, *b):\n  return [x for x in f'{a}' if x]\n")
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < 4<<10 {
			Parse(src)
		}
	})
}
