package rules

import (
	"fmt"
	"strings"
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// TestHostile reads frontmatters that are made to be expensive. They must end
// with a finding; BenchmarkHostile measures the time.
func TestHostile(t *testing.T) {
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			doc := parse(src)
			if len(Check(doc, spec.Options{})) == 0 {
				t.Error("nothing is reported")
			}
			Check(doc, spec.Options{Profile: spec.ProfileReference})
			for _, f := range doc.Faults {
				inside(t, doc, f.Span)
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, src := range hostile() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Check(parse(src), spec.Options{})
			}
		})
	}
}

func hostile() map[string]string {
	front := func(yaml string) string { return "---\nname: my-skill\n" + yaml + "\n---\nText.\n" }
	var keys, bomb, broken, stairs strings.Builder
	for i := range 2_500 {
		fmt.Fprintf(&keys, "key%d: x\n", i)
	}
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", "))
	}
	for i := range 2_000 {
		fmt.Fprintf(&broken, "key%d: a: b\n", i)
	}
	for i := range 300 {
		fmt.Fprintf(&stairs, "%*s: x: y\n", i+3, "z")
	}
	return map[string]string{
		"deep lists":       front("description: " + strings.Repeat("[", 30_000)),
		"deep and closed":  front("description: " + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)),
		"many keys":        front(keys.String()),
		"alias bomb":       front(bomb.String()),
		"alias of itself":  front("metadata: &m [*m]"),
		"many faults":      front(broken.String()),
		"long line":        front("metadata: {" + strings.Repeat("a: b, ", 5_000) + "}"),
		"long value":       front("description: " + strings.Repeat("技", 10_000)),
		"long quoted":      front("description: '" + strings.Repeat("''", 15_000) + "'"),
		"open quote":       front("description: \"" + strings.Repeat("x\n", 15_000)),
		"continued":        front("description: a: b\n" + strings.Repeat("  c d: e\n", 3_000)),
		"continued deeper": front("description: a: b\n" + stairs.String()),
		"many items":       front("hooks:\n" + strings.Repeat("  - @a\n", 3_500)),
		"too large":        front("description: " + strings.Repeat("x", frontmatter.MaxSize)),
		"only dashes":      strings.Repeat("---- \n", 100_000),
		"blank lines":      strings.Repeat("\n", 1_000_000),
		"one long line":    strings.Repeat("-", 1_000_000),
		"carriage returns": strings.Repeat("\r", 1_000_000),
	}
}

// TestManyFindings verifies that the findings of a rule are bounded.
func TestManyFindings(t *testing.T) {
	ds := Check(parse(hostile()["many keys"]), spec.Options{Levels: map[string]spec.Level{"body-length": spec.Off}})
	last := ds[len(ds)-1]
	if len(ds) != 2 || len(last.Places) != 101 || !strings.HasSuffix(last.Message, spec.More) {
		t.Errorf("got %d findings, the last is %s with %d places", len(ds), last, len(last.Places))
	}
}
