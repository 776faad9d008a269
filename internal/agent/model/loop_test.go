package model

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// loopsAfter returns after how many bytes a text counts as endless, and what it repeats;
// 0 if it does not.
func loopsAfter(text string, size int) (bytes int, what string) {
	var l loop
	for i := 0; i < len(text); i += size {
		what := l.add(text[i:min(i+size, len(text))])
		if what != "" {
			return i + size, what
		}
	}
	return 0, ""
}

// TestLoop checks what is stopped, and how soon, whatever the pieces are.
func TestLoop(t *testing.T) {
	paragraph := "Wait, let me look at this once more. " + strings.Repeat("The user wants the sum of two numbers, so I add them. ", 12)
	for _, test := range []struct{ name, unit, want string }{
		{"line feeds", "\n", "white space"},
		{"blank lines", " \n\t\n   \n", "white space"},
		{"spaces", " ", "white space"},
		{"escaped line feeds of arguments", `\n`, "white space"},
		{"escaped blank lines", `\n \t \r\n`, "white space"},
		{"a line", "I will now call the tool.\n", `"I will now call the tool."`},
		{"a word", "the ", `"the"`},
		{"a sentence", "Let me think about it again. ", `"Let me think about it again."`},
		{"a paragraph", paragraph, "The user wants the sum"},
		{"another script", "我现在来检查这个文件。", "检查"},
		{"marks", "!", `"!"`},
		{"wide marks", "…", `"…"`},
		{"numbers", "0, ", `"0,"`},
		{"letters", "A", `"A`},
		{"records", `{"id":0,"name":"none"},`, `{\"id\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "Here is the answer: it begins like any other.\n" + strings.Repeat(test.unit, 1+(64<<10)/len(test.unit))
			at, what := loopsAfter(text, 1)
			if at == 0 || at > 36<<10 || !strings.Contains(what, test.want) {
				t.Errorf("got %s after %d bytes, want %s", what, at, test.want)
			}
			if len(what) > 200 || !utf8.ValidString(what) {
				t.Errorf("got %q", what)
			}
			for _, size := range []int{3, 7, 1000} {
				later, same := loopsAfter(text, size)
				if later < at || later >= at+size || same == "" {
					t.Errorf("in pieces of %d bytes: %s after %d bytes, not %d", size, same, later, at)
				}
			}
		})
	}
}

// TestNoLoop checks answers that repeat themselves and are right to.
func TestNoLoop(t *testing.T) {
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	same := func(n int, line string) string { return strings.Repeat(line, n) }
	random := make([]byte, 200<<10)
	for i := range random {
		random[i] = byte(rand.N(256))
	}
	for name, text := range map[string]string{
		"a table":           "| name | value |\n|------|-------|\n" + lines(2000, func(i int) string { return fmt.Sprintf("| item %d | 0 |\n", i) }),
		"empty rows":        same(600, "|          |          |          |\n"),
		"a wide table":      lines(100, func(i int) string { return fmt.Sprintf("%-600d|%600d|\n", i, i) }),
		"code":              same(200, "\tfmt.Println(\"Hello, World!\")\n"),
		"closing braces":    lines(100, func(i int) string { return strings.Repeat("  ", 100-i) + "}\n" }),
		"statements":        same(150, "INSERT INTO users VALUES (NULL, 'a name', 0);\n"),
		"base64":            base64.StdEncoding.EncodeToString(random),
		"base64 of nothing": same(20<<10, "A"),
		"zeros":             same(28*28, "0, "),
		"a matrix":          same(100, same(100, "0 ")+"\n"),
		"a grid":            same(100, same(100, ". ")+"\n"),
		"an array":          "[" + same(300, `{"id":null,"values":[0,0,0,0]},`) + "{}]",
		"escaped lines":     same(300, `\t\treturn nil\n`),
		"a rule":            same(200, "=") + "\n" + same(200, "-"),
		"ASCII art":         same(40, "  /\\  /\\  /\\  /\\\n /  \\/  \\/  \\/  \\\n") + same(20, same(120, " ")+"|\n"),
		"empty canvas":      same(60, same(120, " ")+"\n"),
		"blank lines":       same(100, "\n"),
		"a list":            lines(200, func(i int) string { return fmt.Sprintf("%d. The file is present and has been checked.\n", i+1) }),
		"a punishment":      same(300, "I will not talk in class.\n"),
		"a refrain": lines(100, func(i int) string {
			return fmt.Sprintf("%d bottles of beer on the wall. ", 100-i) + same(20, "La la la. ")
		}),
		"hexadecimal": same(1000, "00 00 00 00 00 00 00 00\n"),
		"markup":      same(600, `<td class="empty">&nbsp;</td>`),
	} {
		if at, what := loopsAfter(text, 16); at > 0 {
			t.Errorf("%s: %s after %d of %d bytes", name, what, at, len(text))
		}
	}
}

// BenchmarkLoop is what comparing a stream with itself costs.
func BenchmarkLoop(b *testing.B) {
	text := make([]byte, 1<<20)
	for i := range text {
		text[i] = byte('a' + rand.N(26))
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		loopsAfter(string(text), 8)
	}
}
