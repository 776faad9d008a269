package loader

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type converter struct {
	About `name:"unit-converter" description:"Converts units. Use when a task asks for another unit." license:"MIT" compatibility:"any" allowed-tools:"Read"`

	Text  string                                               `instructions:""`
	Table map[string]float64                                   `resource:"conversion-table" desc:"factors"`
	Now   func(context.Context) (string, error)                `resource:"now"`
	Add   func(context.Context, convertIn) (convertOut, error) `script:"add" desc:"a field"`

	_ Method `script:"convert" method:"Convert" desc:"multiplies"`
	_ Method `resource:"count" method:"Count"`

	Calls int
	//lint:ignore U1000 it is not marked: nothing may come of it
	secret string
}

func (c *converter) Convert(ctx context.Context, in convertIn) (convertOut, error) {
	c.Calls++
	return convert(ctx, in)
}

func (c *converter) Count(context.Context) (int, error) { return c.Calls, nil }

func TestFromStruct(t *testing.T) {
	s, err := FromStruct(&converter{Text: "Convert.", Table: map[string]float64{"kg": 2.2}, Add: convert,
		Now: func(context.Context) (string, error) { return "12:00", nil }})
	ok(t, err)
	same(t, "fields", []string{s.Name, s.Description, s.License, s.Compatibility, s.AllowedTools},
		[]string{"unit-converter", "Converts units. Use when a task asks for another unit.", "MIT", "any", "Read"})
	c, err := s.Contents(t.Context())
	ok(t, err)
	var names []string
	for _, r := range c.Resources {
		names = append(names, r.Name+"="+readAll(t, r)+" "+r.Description)
	}
	for _, x := range c.Scripts {
		names = append(names, x.Name+" "+x.Description)
	}
	same(t, "parts", names, []string{`conversion-table={"kg":2.2} factors`, "count=0 ", "now=12:00 ", "add a field", "convert multiplies"})
	if got, err := c.Scripts[1].Call(t.Context(), json.RawMessage(`{"value":2,"factor":3}`)); err != nil || got != `{"result":6,"note":"a < b"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got := readAll(t, c.Resources[1]); got != "1" {
		t.Errorf("the method sees %s calls, want 1", got)
	}
	if c.Instructions != "Convert." {
		t.Errorf("instructions: got %q", c.Instructions)
	}
}

type byPointer struct {
	About `name:"a" description:"d"`
	Text  string `instructions:""`
	_     Method `script:"s" method:"Run"`
}

func (*byPointer) Run(context.Context, struct{}) (string, error) { return "", nil }

func TestFromStructRefuses(t *testing.T) {
	for want, v := range map[string]any{
		"not a struct": 3,
		"<nil>":        nil,
		"does not embed loader.About": struct {
			Text string `instructions:""`
		}{"x"},
		"no instructions": struct {
			About `name:"a" description:"d"`
		}{},
		"must be lowercase": struct {
			About `name:"A" description:"d"`
			Text  string `instructions:""`
		}{Text: "x"},
		`two parts have the name "x"`: struct {
			About `name:"a" description:"d"`
			Text  string                                          `instructions:""`
			R     string                                          `resource:"x"`
			S     func(context.Context, struct{}) (string, error) `script:"x"`
		}{Text: "x", S: func(context.Context, struct{}) (string, error) { return "", nil }},
		`field x is marked but not exported`: struct {
			About `name:"a" description:"d"`
			x     string `resource:"x"`
		}{},
		`fields X and Y are both marked as instructions`: struct {
			About `name:"a" description:"d"`
			X     string `instructions:""`
			Y     string `instructions:""`
		}{X: "x", Y: "y"},
		`"instructions:\"\" method:\"Run\"" has to be a script or a resource`: struct {
			About `name:"a" description:"d"`
			_     Method `instructions:"" method:"Run"`
		}{},
		"field Info: a skill has one loader.About": struct {
			Info About `name:"a" description:"d"`
		}{},
		"field More: a skill has one loader.About": struct {
			About `name:"a" description:"d"`
			More  About `name:"b" description:"e"`
		}{},
		"field About: a skill has one loader.About": struct {
			About `name:"a" description:"d"`
			Base
		}{},
		"fields Shared and Text are both marked as instructions": struct {
			Base
			Text string `instructions:""`
		}{Base: Base{Shared: "x"}, Text: "y"},
		`field hidden is marked but not exported`: struct {
			About `name:"a" description:"d"`
			closed
		}{},
		"field X is marked as instructions but not a string": struct {
			About `name:"a" description:"d"`
			X     int `instructions:""`
		}{},
		`script "s" is of type string, not func(context.Context, In) (Out, error)`: struct {
			About `name:"a" description:"d"`
			Text  string `instructions:""`
			S     string `script:"s"`
		}{Text: "x"},
		`resource "r" is of type func() string, not func(context.Context) (T, error)`: struct {
			About `name:"a" description:"d"`
			Text  string        `instructions:""`
			R     func() string `resource:"r"`
		}{Text: "x"},
		`resource "r" has no function`: struct {
			About `name:"a" description:"d"`
			Text  string                                `instructions:""`
			R     func(context.Context) (string, error) `resource:"r"`
		}{Text: "x"},
		"has to be a script or a resource": struct {
			About `name:"a" description:"d"`
			_     Method `desc:"x"`
		}{},
		`no exported method "Run"`: byPointer{},
		`no exported method "Nope"`: &struct {
			About `name:"a" description:"d"`
			_     Method `script:"s" method:"Nope"`
		}{},
	} {
		if s, err := FromStruct(v); s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %q", v, err, want)
		}
	}
	if _, err := FromStruct(&byPointer{Text: "x"}); err != nil {
		t.Errorf("by pointer: %v", err)
	}
}

// Base is what several skills have in common.
type Base struct {
	About  `name:"based" description:"Has what others have. Use when testing."`
	Shared string                                          `instructions:""`
	Table  string                                          `resource:"table"`
	Twice  func(context.Context, struct{}) (string, error) `script:"twice"`
	inner
}

type inner struct {
	Own string `resource:"own"`
}

type closed struct {
	//lint:ignore U1000 its tag is what counts
	hidden string `resource:"x"`
}

// middle embeds what is marked, and is not exported itself.
type middle struct {
	Base
	_ Method `script:"run" method:"Run"`
}

func (m *middle) Run(context.Context, struct{}) (string, error) { return m.Table + "!", nil }

// TestFromStructEmbedded checks that fields of embedded structs count as the struct's
// own.
func TestFromStructEmbedded(t *testing.T) {
	type outer struct {
		middle
		Extra string `resource:"extra"`
	}
	s, err := FromStruct(&outer{Extra: "more", middle: middle{Base: Base{
		Shared: "Do it.", Table: "t", inner: inner{Own: "own"}, Twice: func(context.Context, struct{}) (string, error) { return "2", nil },
	}}})
	ok(t, err)
	c, err := s.Contents(t.Context())
	ok(t, err)
	names := []string{s.Name, c.Instructions}
	for _, r := range c.Resources {
		names = append(names, r.Name+"="+readAll(t, r))
	}
	for _, x := range c.Scripts {
		got, err := x.Call(t.Context(), nil)
		ok(t, err)
		names = append(names, x.Name+"="+got)
	}
	same(t, "all", names, []string{"based", "Do it.", "extra=more", "own=own", "table=t", "run=t!", "twice=2"})
}
