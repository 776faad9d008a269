package markdown

import (
	"reflect"
	"testing"
)

// FuzzPlain verifies that a page is the same whether plain paragraphs are searched for
// inline elements or not.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"plain  \nwords\t\n  and more\r\n\n# a *b* c\n", "a b\n===\nc\nd\n---\n- e\n- f\n\n  g\n", "> a\n> ---\n> b\nlazy\n",
		"[a]: b\n===\nc\n", "[a]: b\nc\n---\n[a]\n", "-\ta\n\n\tb *c* & d\n1. e\n   f\n", "x\n<p>\ny\n</p>\nz `c`\n", "a\n\n    code\n\nb\u00a0\n-\n",
		"* a\n  ===\n* b\n---\n", "a\\\nb\n", "![a](b) ! c\n\n_d_\n", "- a\n  b\n  -\n  c\n", "a\r!",
	} {
		f.Add([]byte(s))
	}
	searched := newParser(false)
	f.Fuzz(func(t *testing.T, src []byte) {
		if got, want := parse(src), parseWith(searched, src); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\nplain: %+v\nsearched: %+v", src, got, want)
		}
	})
}
