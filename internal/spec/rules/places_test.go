package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestPlaces holds the places of a text's characters to the characters that
// stand there.
func TestPlaces(t *testing.T) {
	for _, lines := range []string{
		"license: plain text", "license: plain\n  over\n\n  lines # c", "license:\n  below\n  it", "license: \"a \\\"b\\\" \\u00e9 c\"", "license: \"a\n  b \\\n  c\"",
		"license: 'it''s\n  so'", "license: >-\n  folded\n  text\n\n  and\n    more\n  text", "license: |\n\n  literal\n   text\n\n  here\n",
		"license: | # c\n    deep\n    text", "license: \"技能 text\"", "metadata:\n  a: >\n    folded\n    text",
	} {
		doc := front(lines)
		v := doc.Fields[len(doc.Fields)-1].Value
		if v.Kind == spec.Mapping {
			v = v.Fields[0].Value
		}
		places := doc.Positions(v)
		text := []rune(v.Text)
		if len(places) != len(text) {
			t.Errorf("%q: %d places for %d characters", lines, len(places), len(text))
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
		doc := front(lines)
		if places := doc.Positions(doc.Fields[len(doc.Fields)-1].Value); places != nil {
			t.Errorf("%q has places: %v", lines, places)
		}
	}
}

// TestCulprits holds findings inside values that stand on several lines to the
// place of the culprit.
func TestCulprits(t *testing.T) {
	for _, tt := range []struct {
		lines, rule string
		at          spec.Pos // of the file
	}{
		{"name: my-skill\ndescription: >-\n  Use when\n  it is <b>", "description-portability", spec.Pos{Line: 5, Column: 9}},
		{"name: my-skill\ndescription: Use when asked\n  and so <b> x", "description-portability", spec.Pos{Line: 4, Column: 10}},
		{"name: my-skill\ndescription: |\n\n  Use when\n\n   it is <b>", "description-portability", spec.Pos{Line: 7, Column: 10}},
		{"name: my-skill\ndescription: \"Use \\\"when\\\"\n  <b>\"", "description-portability", spec.Pos{Line: 4, Column: 3}},
		{"name: my-skill\nallowed-tools: |\n  Read\n  Bash(git", "allowed-tools-format", spec.Pos{Line: 6, Column: 7}},
		{"name: >-\n  Foo_Bar\ndescription: Use when", "name-characters", spec.Pos{Line: 3, Column: 6}},
		{"name: >-\n  Foo_Bar\ndescription: Use when", "name-lowercase", spec.Pos{Line: 3, Column: 3}},
		{"name: a--b\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 8}},
		{"name: y1-\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 9}},
		{"name: \"--y1\"\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 8}},
	} {
		found := false
		for _, d := range Check(front(tt.lines), spec.Options{}) {
			if d.Rule == tt.rule && d.Span.Start == tt.at {
				found = true
			} else if d.Rule == tt.rule {
				t.Errorf("%q: %s is at %v, want %v", tt.lines, d.Rule, d.Span.Start, tt.at)
			}
		}
		if !found {
			t.Errorf("%q: no %s at %v", tt.lines, tt.rule, tt.at)
		}
	}
}
