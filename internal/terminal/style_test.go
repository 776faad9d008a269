package terminal

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// flowed shows a text that comes in pieces of so many characters, 0 for whole.
func flowed(text string, style bool, size int) string {
	f := &Flow{}
	if style {
		f.style = &styler{}
	}
	return strings.TrimSuffix(inPieces(f, text, size), "\n")
}

func inPieces(f *Flow, text string, size int) string {
	var out strings.Builder
	if size == 0 {
		out.WriteString(f.Write(text))
	} else {
		runes := []rune(text)
		for i := 0; i < len(runes); i += size {
			out.WriteString(f.Write(string(runes[i:min(i+size, len(runes))])))
		}
	}
	return out.String() + f.End()
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// seenText is what a terminal shows without its styles.
func seenText(styled string) string { return escapes.ReplaceAllString(styled, "") }

// TestStyleGolden shows a page with everything in it; escapes are written as
// ESC so that the golden file can be read.
func TestStyleGolden(t *testing.T) {
	page, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	filetest.Golden(t, "page", strings.ReplaceAll(flowed(string(page), true, 0), "\x1b", "ESC")+"\n")
}

// TestStyleMarks lists which marks are removed, and which are not.
func TestStyleMarks(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"# Title", "Title"}, {"### A **b** `c`", "A b c"}, {"#tag", "#tag"}, {"####### x", "####### x"}, {"#", "#"},
		{"a **b** c", "a b c"}, {"*a* and _b_ and ***c***", "a and b and c"}, {"**a *b* c**", "a b c"}, {"这是**重点**内容", "这是重点内容"},
		{"**`a*b`**", "a*b"}, {"`a``b`", "a``b"}, {"``a`b``", "a`b"}, {"`a", "`a"}, {"`**a**`", "**a**"},
		{"2 * 3 * 4", "2 * 3 * 4"}, {"2*3*4", "2*3*4"}, {"2**3**4", "2**3**4"}, {"snake_case_name", "snake_case_name"}, {"__init__", "__init__"},
		{"src/*.go and test/*.go", "src/*.go and test/*.go"}, {"*.go and *.md", "*.go and *.md"}, {"*args and **kwargs", "*args and **kwargs"},
		{`\*a\* \_b\_`, `\*a\* \_b\_`}, {"**a", "**a"}, {"a** b**", "a** b**"}, {"** a **", "** a **"}, {"****", "****"},
		{"https://x.y/_a_ _b_", "https://x.y/_a_ b"}, {"see http://x/*a*", "see http://x/*a*"}, {"[a](http://x/_y_) _b_", "[a](http://x/_y_) b"},
		{"[a] *b*", "[a] b"}, {"[a](b", "[a](b"}, {"- *a*", "- a"}, {"* *a*", "* a"}, {"1. **a**", "1. a"}, {"- [x] *a*", "- [x] a"}, {"---", "---"}, {"***", "***"},
		{"| *a* | `b` |", "| *a* | `b` |"}, {"> *a*", "> *a*"}, {"    *a*", "    *a*"}, {"\t*a*", "\t*a*"},
		{"x\n    *a*", "x\n    *a*"}, {"- x\n    - *a*", "- x\n    - a"}, {"- x\n\ny\n    - *a*", "- x\n\ny\n    - *a*"},
		{"```\n*a*\n```\n*b*", "```\n*a*\n```\nb"}, {"```sh\n*a*\n````\n*b*", "```sh\n*a*\n````\nb"}, {"````\n```\n*a*\n````\n*b*", "````\n```\n*a*\n````\nb"},
		{"~~~\n```\n*a*\n~~~\n*b*", "~~~\n```\n*a*\n~~~\nb"}, {"```\n    ```\n*a*", "```\n    ```\n*a*"}, {"- ```\n  *a*\n  ```\n  *b*", "- ```\n  *a*\n  ```\n  b"},
		{"``` a`b\n*c*", "``` a`b\nc"}, {"```\n*a*", "```\n*a*"}, {"```a``` *b*", "a b"},
		{">*a*", ">*a*"}, {"> > _a_ `b`", "> > _a_ `b`"}, {"> # A *b*", "> # A *b*"}, {">     *a*", ">     *a*"},
		{"> ```\n> *a*\n*b*", "> ```\n> *a*\nb"},
		{"```\n> *a*\n```\n*b*", "```\n> *a*\n```\nb"}, {"> ── x", "> ── x"}, {"- > *a*", "- > a"},
		{"a __b c__ d", "a b c d"}, {"__Note__: x", "__Note__: x"}, {"__wichtig:__ x", "wichtig: x"}, {"__a *b* c__", "a b c"},
		{"__init__ and __FILE__, __main_2__", "__init__ and __FILE__, __main_2__"}, {"__defineGetter__ *a*", "__defineGetter__ a"}, {"a__b c__d", "a__b c__d"}, {"__a b", "__a b"}, {"___a b___", "___a b___"},
		{"Title\n=====\n*a*", "Title\n=====\na"}, {"a\n---\n*b*", "a\n---\nb"}, {"* * *", "* * *"}, {"- - -\n*a*", "- - -\na"}, {"= *a* =", "= a ="}, {"=*a*", "=*a*"}, {"-- *a*", "-- a"}, {"--", "--"}, {"- -", "- -"},
		{"| **a** | `b*` |\n|:---|:-:|\n| *c* | _d_ |\n*e*", "| **a** | `b*` |\n|:---|:-:|\n| *c* | _d_ |\ne"}, {"|| *a*", "|| *a*"}, {"- x\n\n  | a |\n  |---|\n    - *b*", "- x\n\n  | a |\n  |---|\n    - b"},
		{strings.Repeat("> ", 40) + "*a*", strings.Repeat("> ", 40) + "*a*"},

		{"a\x1b[31m **b**", "a␛[31m b"}, {"**a\x1b[0m**", "a␛[0m"}, {"\n\n  a\n\n\nb\n\n", "  a\n\n\nb"}, {"a\r\nb\r", "a\nb␍"}, {" \n \t", ""},
	} {
		if got := seenText(flowed(tt.in, true, 0)); got != tt.want {
			t.Errorf("%q is seen as %q, want %q", tt.in, got, tt.want)
		}
		for _, size := range []int{1, 2, 3} {
			if got := seenText(flowed(tt.in, true, size)); got != tt.want {
				t.Errorf("%q in pieces of %d is seen as %q, want %q", tt.in, size, got, tt.want)
			}
		}
	}
}

// TestStyleHoldsLittleBack checks that streamed text is shown at once, except for the few
// characters that may begin a mark.
func TestStyleHoldsLittleBack(t *testing.T) {
	f := &Flow{style: &styler{}}
	for _, step := range []struct{ piece, want string }{
		{"He", "He"}, {"llo ", "llo "}, {"**wor", ""}, {"ld** a", "\x1b[1mworld\x1b[0m a"}, {"\n", "\n"}, {"1", ""}, {"2 is", "12 is"},
		{" 3 *", " 3 "}, {" 4", "* 4"}, {"\n`x", "\n"}, {"y", ""}, {" z", ""}, {"` ", "\x1b[36mxy z\x1b[0m "},
	} {
		got := f.Write(step.piece)
		if got != step.want {
			t.Errorf("%.20q: got %.80q, want %.80q", step.piece, got, step.want)
		}
	}
}

// TestStyleLongLine checks that a long line is styled up to a limit, also if it is streamed,
// and shown in few parts, each of which renders the line again.
func TestStyleLongLine(t *testing.T) {
	const span = "**é** "
	count := maxStyled / len(span)
	text := strings.Repeat(span, count+10)
	want := strings.Repeat("\x1b[1mé\x1b[0m ", count) + text[count*len(span):maxStyled] + "\n" + text[maxStyled:]
	for _, size := range []int{0, 1000} {
		if got := flowed(text, true, size); got != want {
			t.Errorf("pieces of %d: %d bytes that end in %.90q, want %d that end in %.90q",
				size, len(got), got[max(0, len(got)-80):], len(want), want[len(want)-80:])
		}
	}
	f, parts := &Flow{}, 0
	for range 1 << 16 {
		if f.Write("word and ") != "" {
			parts++
		}
	}
	if parts > 150 {
		t.Errorf("the line is shown in %d parts", parts)
	}
}

// FuzzStyle verifies that styles change only marks, however the text is split.
func FuzzStyle(f *testing.F) {
	f.Add("# a\n\n- **b** `c` [d](e)\n```\nf\n```\n", 3)
	f.Add("***a*** __b__ _c_ \\* `` ` `` https://x/_y_", 1)
	f.Add("> > ```\n> > *a*\n> __b c__\n- - -\n===\n| **a** `b` |\n|:-:|\n", 1)
	f.Add("1. a\n   ```go\n   *b*\n   ```\n> c\n| d |", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		plain, styled := flowed(text, false, 0), seenText(flowed(text, true, 0))
		if size < 1 || size > 50 {
			size = 7
		}
		if got := flowed(text, false, size); got != plain && strings.ToValidUTF8(text, "") == text {
			t.Fatalf("in pieces of %d it is\n%q\nand whole\n%q", size, got, plain)
		}
		narrow := func(size int) string {
			f := NewFlow(Column{Width: 20}, true, true)
			return seenText(inPieces(f, text, size))
		}
		if got, want := narrow(size), narrow(0); got != want && strings.ToValidUTF8(text, "") == text {
			t.Fatalf("in 20 columns, in pieces of %d it is\n%q\nand whole\n%q", size, got, want)
		}
		if got := seenText(flowed(text, true, size)); got != styled && strings.ToValidUTF8(text, "") == text {
			t.Fatalf("styled, in pieces of %d it is\n%q\nand whole\n%q", size, got, styled)
		}
		// Every character that is gone is a mark.
		a, b := []rune(plain), []rune(styled)
		j := 0
		for i, r := range a {
			switch {
			case j < len(b) && b[j] == r:
				j++
			case !strings.ContainsRune("*_`# \t", r):
				t.Fatalf("%q at %d is gone from\n%q\nshown as\n%q", r, i, plain, styled)
			}
		}
		if j != len(b) {
			t.Fatalf("%q was added to\n%q\nshown as\n%q", string(b[j:]), plain, styled)
		}
		if strings.Count(plain, "\n") != strings.Count(styled, "\n") {
			t.Fatalf("lines differ:\n%q\n%q", plain, styled)
		}
		if strings.ContainsAny(styled, "\x1b\x07\r") {
			t.Fatalf("something that a terminal obeys is left in %q", styled)
		}
	})
}

func BenchmarkStyle(b *testing.B) {
	text := strings.Repeat("A line with **strong**, *emphasis*, `code` and [a link](http://x/y).\n\n- item\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		flowed(text, true, 5)
	}
}
