package markdown

import (
	"reflect"
	"testing"
)

// FuzzPlain holds that a page is the same whether its plain paragraphs were
// looked through for inlines or not.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"plain words\n  over two lines  \n\n# A\n", "heading\nof two lines\n===\n\nwords\n---\n", "- a\n- b\n\n  c\n\n1. d\n   e",
		"> a\nlazy\n> b\n\n\tcode\n", "a &amp; *b* _c_ \\\nd\r\ne", "a `b\n\n[c]: d\nwords\n\n[c]", "-\n\n  a\n- b\n===\n", "[a]: b\n===\nc\n",
		"a\n<b>\nc\n\n<p>\nd\n\ne", "x\n\n[a]: b\n\"t\nwords\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if tooDeep(src) {
			return
		}
		quick := parseWith(src, &meter{left: budget, paren: map[any]int{}})
		whole := parseWith(src, &meter{left: budget, paren: map[any]int{}, everyInline: true})
		if !reflect.DeepEqual(quick, whole) {
			t.Fatalf("of %q\nquick: %+v\nwhole: %+v", src, quick, whole)
		}
	})
}
