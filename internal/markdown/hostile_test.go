package markdown

import (
	"strings"
	"testing"
)

// TestHostile parses large texts that make a parser without
// brakes work for minutes; the test's own time limit is the assertion. Those
// marked have to be cut.
func TestHostile(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, maxSize/4/len(s)) }
	ticks := func() string {
		var b strings.Builder
		for i := 1; b.Len() < maxSize-2000; i++ {
			b.WriteString(strings.Repeat("`", i%1400+1) + "a ")
		}
		return b.String()
	}
	nested := func(mark string) string {
		var b strings.Builder
		for i := 0; i < 1000; i++ {
			b.WriteString(strings.Repeat(" ", i*2) + mark + " a\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		src string
		cut bool
	}{
		"links":              {fill("[a]("), true},
		"references":         {fill("[a][\n"), true},
		"brackets":           {strings.Repeat("[", maxSize/2) + strings.Repeat("]", maxSize/2), true},
		"many lines":         {fill("[]\n") + "\n[a]: b", true},
		"backticks":          {ticks(), false},
		"quotations":         {fill("> "), true},
		"nested list":        {nested("-"), true},
		"nested numbers":     {nested("1."), true},
		"one line of marks":  {strings.Repeat("- ", 200) + "a", true},
		"definitions":        {fill("[a]: b (\n"), true},
		"too large":          {strings.Repeat("a", maxSize+1), true},
		"emphasis":           {fill("*a_"), false},
		"headings":           {fill("# _a_\n"), false},
		"tags":               {fill("<a b='"), false},
		"comments":           {"x " + fill("<!-- ")[2:], false},
		"one kind of fences": {fill("~~~a\n"), false},
		"unclosed fences":    {fill("> ```\n"), false},
		"deeply indented":    {strings.Repeat(strings.Repeat(" ", 400)+"a\n", 100), false},
		"a large real table": {fill("| [a](b.md) | `c` | - [ ] d_e |\n")[:maxSize/10], false},
		"a long line":        {fill("word [a](b.md), `c` (d) *e* "), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := Parse([]byte(tt.src)[:min(len(tt.src), maxSize+1)])
			if p.Cut != tt.cut {
				t.Errorf("Cut = %v, want %v", p.Cut, tt.cut)
			}
			if p.Anchors == nil {
				t.Error("Anchors is nil")
			}
		})
	}
}
