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

// TestWithin checks the positions of words in values of every style.
func TestWithin(t *testing.T) {
	for _, tt := range []struct{ lines, part, want string }{
		{"license: plain text", "ex", "ex"}, {"license: plain\n  over\n\n  lines # c", "lines", "lines"},
		{"license:\n  below\n  it", "it", "it"}, {"license: \"a \\\"b\\\" \\u00e9 c\"", "c", "c"}, {"license: \"a\n  b c\"", "c", "c"},
		{"license: 'it''s\n  so'", "so", "so"}, {"license: >-\n  folded\n  text\n\n  and\n    more\n  text and", "more", "more"},
		{"license: |\n\n  literal\n   text\n\n  here\n", "here", "here"}, {"license: | # c\n    deep\n    text", "deep", "deep"},
		{"license: \"技能 text\"", "能 t", "能 t"}, {"license: |2\n   text", "ext", "ext"},
		{"license: a　b\n  and c", "c", "c"},
		// What is not in the file as it reads has the place of the value.
		{"license: 'it''s'", "it's", "'it''s'"}, {"license: a\n  b", "a b", "a"}, {"license: &a text", "text", "&a text"},
		{"metadata: &a b\nlicense: *a", "b", "*a"},
	} {
		doc := read(tt.lines)
		f := doc.Field("license")
		from := strings.Index(f.Value.Text, tt.part)
		if got := doc.At(doc.Within(f, from, from+len(tt.part))); got != tt.want {
			t.Errorf("%q: %q is placed at %q, want %q", tt.lines, tt.part, got, tt.want)
		}
	}
}
