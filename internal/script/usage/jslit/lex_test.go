package jslit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValue(t *testing.T) {
	for src, want := range map[string]any{
		`'a\'b\n'`: "a'b\n", "`x\ny`": "x\ny", "-1.5": -1.5, "true": true, "null": nil, "x": Ident("x"),
		`[1, "a", [], f(1, 2)]`: Array{1.0, "a", Array{}, Unknown{}},
		`{a: 1, 'b-c': {d: [x]}, e, ...rest, f() { return {}; }, [g]: 1}`: Object{
			Keys: []string{"a", "b-c", "e"}, Values: []any{1.0, Object{Keys: []string{"d"}, Values: []any{Array{Ident("x")}}}, Ident("e")}, Open: true,
		},
		"{ // a comment\n a: /re[/]g/.test(x) /* b: 2 */ }": Object{Keys: []string{"a"}, Values: []any{Unknown{}}},
		"`${a + `b`}`": Unknown{}, "1 + 2": Unknown{}, `["a"] as const`: Array{"a"}, "[1": Unknown{}, "{a:": Unknown{}, "": Unknown{},
	} {
		if got, _ := Value(Lex(src), 0); !cmp.Equal(got, want) {
			t.Errorf("%s: %#v, want %#v", src, got, want)
		}
	}
}

// FuzzLex holds that every text ends, and that its values do.
func FuzzLex(f *testing.F) {
	for _, src := range []string{"#!/usr/bin/env node\nconst a = {b: `c${d}`}", "x = /a/g; y = a / b / c", "({[(", "'\\", "`${`"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tokens := Lex(src)
		for i := range tokens {
			if _, next := Value(tokens, i); next < i || next >= len(tokens) {
				t.Fatalf("the value at %d of %q ends at %d", i, src, next)
			}
		}
	})
}
