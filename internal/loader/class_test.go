package loader

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// counter is a skill whose parts share a field.
type counter struct {
	name  string
	calls int
}

func (c *counter) Frontmatter() Frontmatter {
	return Frontmatter{Name: c.name, Description: "Counts calls. Use when testing.", License: "MIT", Compatibility: "any", AllowedTools: "Read"}
}

func (*counter) Instructions() string { return "Count." }

func (c *counter) Parts() []Part {
	return []Part{
		Computed("count", "the calls so far", func(context.Context) (int, error) { return c.calls, nil }),
		Function("convert", "multiplies", c.convert),
	}
}

func (c *counter) convert(ctx context.Context, in convertIn) (convertOut, error) {
	c.calls++
	return convert(ctx, in)
}

// loud has the parts of another class and one of its own.
type loud struct{ counter }

func (l *loud) Parts() []Part {
	return append(l.counter.Parts(), Value("volume", "", 11))
}

// TestClass: a skill has the frontmatter, the instructions and the parts that its type
// returns, and the parts share the fields of the value.
func TestClass(t *testing.T) {
	s, err := Class(&loud{counter{name: "counter"}})
	ok(t, err)
	same(t, "fields", []string{s.Name, s.Description, s.License, s.Compatibility, s.AllowedTools},
		[]string{"counter", "Counts calls. Use when testing.", "MIT", "any", "Read"})
	c, err := s.Contents(t.Context())
	ok(t, err)
	if got, err := c.Scripts[0].Call(t.Context(), json.RawMessage(`{"value":2,"factor":3}`)); err != nil || got != `{"result":6,"note":"a < b"}` {
		t.Errorf("got %s, %v", got, err)
	}
	names := []string{c.Instructions}
	for _, r := range c.Resources {
		names = append(names, r.Name+"="+readAll(t, r)+" "+r.Description)
	}
	for _, x := range c.Scripts {
		names = append(names, x.Name+" "+x.Description)
	}
	same(t, "parts", names, []string{"Count.", "count=1 the calls so far", "volume=11 ", "convert multiplies"})
}

// TestClassRefuses: what is wrong with an inline skill is wrong with a class too.
func TestClassRefuses(t *testing.T) {
	if s, err := Class(&counter{name: "Counter"}); s != nil || err == nil || !strings.Contains(err.Error(), "must be lowercase") {
		t.Errorf("got %v, %v", s, err)
	}
}
