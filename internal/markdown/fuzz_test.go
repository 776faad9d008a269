package markdown

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzParse verifies that every position is inside the text, that lists are sorted, and
// that reported texts are those at their positions.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"# A\n\n[a](<b c.md> \"T\") ![x][y] `z`\n\n[y]: p.png\n", "> - ```sh\n>   a\n", "<a href='b'\nid=c><!-- d -->",
		"[^1]: x\n[a]: b (\n", "\t- a\n\n\t\t  b\n\r\n1.\tc", "<p>\n> x\n<script>\n", "[a](b\\", "a\r[b]\n===\n",
		"> <div>\n> <!-- a\n> b --> c\n", "- \t```\n\tx\n", "[\\]: a]: b\n\n[\\]: a]", "`a\n> b` <!--->x", "&#0;[a](&#x110000;%ff)",
		"```md\n```sh\nx\n```\n`a` [b](c)\n```\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		p := Parse(src)
		if !bytes.Equal(src, before) {
			t.Fatal("the text was changed")
		}
		last := 0
		check := func(what string, start, end int, sorted bool) {
			if start < 0 || start > end || end > len(src) {
				t.Fatalf("%s at %d to %d of %d bytes", what, start, end, len(src))
			}
			if sorted && start < last {
				t.Fatalf("%s at %d comes after %d", what, start, last)
			}
			last = start
		}
		for i, l := range p.Links {
			check("link", l.Start, l.End, i > 0)
			l.Split()
		}
		for i, c := range p.Code {
			check("code", c.Start, c.End, i > 0)
			var text strings.Builder
			for _, l := range c.Lines {
				check("line of code", l.Start, l.End, true)
				text.Write(src[l.Start:l.End])
			}
			if text.String() != c.Text {
				t.Fatalf("code is %q, its lines %q", c.Text, text.String())
			}
			check("offset in code", c.Offset(0), c.Offset(len(c.Text)), false)
			last = c.Start
		}
		for i, c := range p.Comments {
			check("comment", c.Start, c.End, i > 0)
			if !bytes.HasPrefix(src[c.Start:], []byte("<!--")) {
				t.Fatalf("a comment starts with %q", src[c.Start:c.End])
			}
		}
		end := 0
		for _, s := range p.Prose {
			check("prose", s.Start, s.End, false)
			if s.Start < end || s.Start == s.End {
				t.Fatalf("prose at %d to %d after %d", s.Start, s.End, end)
			}
			end = s.End
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte(strings.Repeat("## A heading\n\nSome *prose* with `code` and a [link](references/a.md), then more of it.\n\n- an item\n- another\n\n```bash\npython3 scripts/x.py --in a --out b\n```\n\n", 50))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if p := Parse(src); len(p.Links) != 50 {
			b.Fatal(len(p.Links))
		}
	}
}
