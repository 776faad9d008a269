package terminal

import (
	"strings"
	"testing"
)

// TestMarkdown checks that paragraphs and list items of a page are filled, and code and
// headings are not.
func TestMarkdown(t *testing.T) {
	page := "# rule\n\nA paragraph that was\nbroken before: early. 1 line\n10 times is `text`.\n\n- an item that\n  goes on\n- another one\n\nBad:\n\n```markdown\nkey: a\nlines stay\n\n  as they are\n```\n\n| a | b |\n|---|---|\n| cell | c |\n"
	want := "# rule\n\nA paragraph that was broken before:\nearly. 1 line 10 times is `text`.\n\n- an item that goes on\n- another one\n\nBad:\n\n    key: a\n    lines stay\n\n      as they are\n\n| a    | b   |\n| ---- | --- |\n| cell | c   |\n"
	if got := Markdown(page, 40, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	styled := Markdown(page, 40, true)
	for _, want := range []string{"\x1b[1;4mrule", "\x1b[36mtext", "\x1b[34m- ", "\n    \x1b[36mkey: a"} {
		if !strings.Contains(styled, want) {
			t.Errorf("without %q: %q", want, styled)
		}
	}
}
