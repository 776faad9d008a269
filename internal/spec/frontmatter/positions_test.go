package frontmatter

import (
	"strings"
	"testing"
)

// read reads the fields of a frontmatter.
func read(fields string) Content {
	c := Scan([]byte("---\n" + fields + "\n---\n# Body\n"))
	c.Decode(c.Source[c.Block().Start:c.Block().End])
	return c
}

// TestPositions holds the positions of a text's characters to the characters that
// that are there.
func TestPositions(t *testing.T) {
	for _, lines := range []string{
		"license: plain text", "license: plain\n  over\n\n  lines # c", "license:\n  below\n  it", "license: \"a \\\"b\\\" \\u00e9 c\"", "license: \"a\n  b \\\n  c\"",
		"license: 'it''s\n  so'", "license: >-\n  folded\n  text\n\n  and\n    more\n  text", "license: |\n\n  literal\n   text\n\n  here\n",
		"license: | # c\n    deep\n    text", "license: \"技能 text\"", "metadata:\n  a: >\n    folded\n    text",
	} {
		doc := read(lines)
		v := doc.Fields[len(doc.Fields)-1].Value
		if v.Kind == Mapping {
			v = v.Fields[0].Value
		}
		places := doc.Positions(v)
		text := []rune(v.Text)
		if len(places) != len(text) {
			t.Errorf("%q: %d positions for %d characters", lines, len(places), len(text))
			continue
		}
		for i, p := range places {
			line := []rune(doc.Line(p.Line))
			switch {
			case strings.ContainsRune(" \n", text[i]) || p.Column <= len(line) && line[p.Column-1] == '\\':
			case p.Column > len(line) || line[p.Column-1] != text[i]:
				t.Errorf("%q: %q is placed at %v", lines, text[i], p)
			}
			if i > 0 && (p.Line < places[i-1].Line || p.Line == places[i-1].Line && p.Column < places[i-1].Column) {
				t.Errorf("%q: %v comes before %v", lines, p, places[i-1])
			}
		}
	}
	for _, lines := range []string{"license: |2\n   text", "metadata: &a {b: *c}\nlicense: &a text"} {
		doc := read(lines)
		if places := doc.Positions(doc.Fields[len(doc.Fields)-1].Value); places != nil {
			t.Errorf("%q has positions: %v", lines, places)
		}
	}
}
