package markdown

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// FuzzSkim holds that a page is the same whether its simple blocks were taken
// before it was parsed, and its plain paragraphs left out, or not.
func FuzzSkim(f *testing.F) {
	for _, s := range []string{
		"plain words\n  over two lines  \n\n# A\n", "heading\nof two lines\n===\n\nwords\n---\n", "- a\n- b\n\n  c\n\n1. d\n   e",
		"> a\nlazy\n> b\n\n\tcode\n", "a &amp; *b* _c_ \\\nd\r\ne", "a `b\n\n[c]: d\nwords\n\n[c]", "-\n\n  a\n- b\n===\n", "[a]: b\n===\nc\n",
		"a\n<b>\nc\n\n<p>\nd\n\ne", "x\n\n[a]: b\n\"t\nwords\n", "0\r!", "0<0@0>", "-\tb\n\n  8\n-", "> a\n> ===\n", "[a \\] b](c.md) [`]`](d.md)", "[[]]()0", "0\n* \t", ";\n*\n*", "2. ~~~\n\n)\n",
		"+\n\n  ```\n\n```h```", "~~~\f\n~~~", "*\t*\n  ~~~\n* ]", "- ```\n`\n  ```\n- ``` ```", "1. 0. <e>\n.\n   <pre\n- `c`", "0.\n .\n2. ]",
		"- --\n  ]\n2. x", "- a <b>\n\nwords\n\n    code\n", "# a `b` c\n- `` d`e `` ![f](g&amp;h.md)\n```sh x\ni\n```\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { sameSkimmed(t, src) })
}

// sameSkimmed compares the page of a text with what the parser alone makes of
// it.
func sameSkimmed(t *testing.T, src []byte) {
	t.Helper()
	quick := parse(src)
	whole := parseWith(src, &meter{left: budget, whole: true})
	if !whole.Cut && !reflect.DeepEqual(quick, whole) {
		t.Fatalf("of %q\nquick: %+v\nwhole: %+v", src, quick, whole)
	}
}

// TestSkimMixed does what FuzzSkim does with texts put together from what means
// something to Markdown, which random bytes seldom do.
func TestSkimMixed(t *testing.T) {
	pieces := []string{
		"a", "word two", "`c`", "`", "``", "[a](b.md)", "[a]", "[a]:", "[a]: b", "![i](j.png)", "[", "]", "(", "](c)", "<b>", "<", "<!--", "-->",
		"<pre>", "<div>", "</div>", "\\", "\\`", "\\[", "\\]", "]`](d.md)", "[`", "*", "**b**", "_x_", "- ", "* ", "+ ", "-", "-\t", "1.\t", "1. ", "2. ", "1) ", "10. ", "# ", "## ", "###", "#",
		"> ", ">", "```", "```sh", "~~~", "````", "---", "***", "===", "=", "| a | b |", "|---|---|", " ", "  ", "   ", "    ", "     ", "\t", "é",
		"&amp;", "!", "^", "{#x}", "\"t\"", "'", "0", "\u00A0", "@", ">", "https://x.y", "<https://x.y>", "[^1]: n", "[x] ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40_000 {
		some := pieces
		if random.IntN(2) == 0 { // few kinds meet more often
			some = make([]string, 3+random.IntN(8))
			for i := range some {
				some[i] = pieces[random.IntN(len(pieces))]
			}
		}
		var text strings.Builder
		for range 1 + random.IntN(9) {
			if random.IntN(3) == 0 {
				text.WriteString(strings.Repeat(" ", random.IntN(6)))
			}
			for range random.IntN(5 + random.IntN(8)) {
				text.WriteString(some[random.IntN(len(some))])
			}
			text.WriteByte('\n')
		}
		sameSkimmed(t, []byte(text.String()[:text.Len()-random.IntN(2)]))
	}
}

// TestSkimTakes holds that what most skills are made of is taken, so that the
// parser has nothing to do.
func TestSkimTakes(t *testing.T) {
	for name, src := range map[string]string{
		"heading":   "# A `b` c\n\n## D\n",
		"paragraph": "Words, **bold**, `code`, [a](b.md) and ![c](d.png),\nover two lines; \\[e\\], f < 3.\n",
		"fence":     "```sh\na\n\nb\n```\n\n~~~~ md x\n```\n~~~~\n",
		"list":      "- a\n- `b`: [c](d.md)\n  more\n  - e\n\n    f\n\n1. g\n2. **h**\n   - i\n- [ ] j\n",
		"table":     "| a | b |\n|---|---|\n| `c` | d |\n",
		"together":  "# A\nwords\n- c\n```\nd\n```\n> e\n",
	} {
		b := newBuilder([]byte(src), &meter{left: budget})
		left := strings.Fields(string(b.skim()))
		if len(left) > 0 && strings.Trim(strings.Join(left, ""), "*") != ">e" {
			t.Errorf("%s: left are %q", name, left)
		}
	}
}
