package loader

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type convertIn struct {
	Value  float64 `json:"value" desc:"the number to convert"`
	Factor float64 `json:"factor"`
	Digits *int    `json:"digits"`
}

type convertOut struct {
	Result float64 `json:"result"`
	Note   string  `json:"note,omitempty"`
}

func convert(_ context.Context, in convertIn) (convertOut, error) {
	switch {
	case in.Factor == 0:
		return convertOut{}, errors.New("a factor of 0 <makes> no sense")
	case in.Factor < 0:
		panic("below zero")
	}
	return convertOut{Result: in.Value * in.Factor, Note: "a < b"}, nil
}

func about(name string) Frontmatter {
	return Frontmatter{Name: name, Description: "Does " + name + "."}
}

func readAll(t *testing.T, r Resource) string {
	t.Helper()
	data, size, err := r.Read(t.Context(), 0, 1<<20)
	if err != nil || size != int64(len(data)) {
		t.Fatalf("%s: %d of %d, %v", r.Name, len(data), size, err)
	}
	return string(data)
}

func TestInline(t *testing.T) {
	f := Frontmatter{Name: "converter", Description: "Converts: \"all\" <units>\nand more.", License: "MIT", Compatibility: "needs nothing",
		AllowedTools: "Read"}
	s, err := Inline(f, "Do it.",
		Value("text", "a page", "plain"), Value("other", "", ""),
		Function("bytes", "", func(context.Context, struct{}) ([]byte, error) { return []byte("raw"), nil }),
		Function("convert", "multiplies", convert),
		Function("now", "", func(context.Context, struct{}) (string, error) { return "12:00", nil }),
		Function("nothing", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }),
	)
	ok(t, err)
	same(t, "fields", []string{s.Name, s.Description, s.License, s.Compatibility, s.AllowedTools, s.Dir, s.Location, s.Origin},
		[]string{"converter", f.Description, "MIT", "needs nothing", "Read", "", "", "Go code"})
	c, err := s.Contents(t.Context())
	ok(t, err)
	if c.Instructions != "Do it." || c.Text != "" {
		t.Errorf("got %q and %q, want the instructions", c.Instructions, c.Text)
	}
	if got := readAll(t, c.Resources[1]); got != "plain" {
		t.Errorf("got %q, want the resource's text", got)
	}
	var names []string
	for _, r := range c.Resources {
		names = append(names, r.Name+":"+r.Description)
	}
	same(t, "resources", names, []string{"other:", "text:a page"})
	if data, size, err := c.Resources[1].Read(t.Context(), 1, 2); string(data) != "la" || size != 5 || err != nil {
		t.Errorf("a piece: got %q of %d, %v", data, size, err)
	}
	if data, size, err := c.Resources[1].Read(t.Context(), 9, 2); len(data) != 0 || size != 5 || err != nil {
		t.Errorf("beyond the end: got %q of %d, %v", data, size, err)
	}
	var results []string
	for _, x := range c.Scripts {
		result, err := x.Call(t.Context(), json.RawMessage(`{}`))
		results = append(results, x.Name+":"+result)
		if (err != nil) != (x.Name == "convert") { // which has required parameters
			t.Errorf("%s: %v", x.Name, err)
		}
	}
	same(t, "scripts", results, []string{"bytes:raw", "convert:", "nothing:", "now:12:00"})
}

// TestInlineScript checks that functions take an object, and that an error describes
// how to correct the arguments.
func TestInlineScript(t *testing.T) {
	s, err := Inline(about("c"), "x", Function("convert", "multiplies", convert), Function("none", "", func(context.Context, struct{}) (string, error) { return "fine", nil }))
	ok(t, err)
	c, err := s.Contents(t.Context())
	ok(t, err)
	schema, err := json.Marshal(c.Scripts[0].Schema)
	ok(t, err)
	if want := `{"additionalProperties":false,"properties":{"digits":{"type":"integer"},"factor":{"type":"number"},"value":{"description":"the number to convert","type":"number"}},"required":["value","factor"],"type":"object"}`; string(schema) != want {
		t.Errorf("schema: got %s, want %s", schema, want)
	}
	const known = "; its parameters are value, factor, digits"
	for arguments, want := range map[string]string{
		`{"value":2,"factor":"1.5"}`:         `{"result":3,"note":"a < b"}`,
		`{"Value":2,"FACTOR":1}`:             `{"result":2,"note":"a < b"}`,
		`["--value","2"]`:                    "the script takes its arguments as a JSON object of named values, got an array" + known,
		`"--value 2"`:                        `the script takes its arguments as a JSON object of named values, got the string "--value 2"` + known,
		`2`:                                  `the script takes its arguments as a JSON object of named values, got the number 2` + known,
		`null`:                               `parameter "value" is missing` + known,
		``:                                   `parameter "value" is missing` + known,
		`{"value":2}`:                        `parameter "factor" is missing` + known,
		`{"value":"two","factor":1}`:         `parameter "value" must be a number, got the string "two"` + known,
		`{"value":1,"factor":1,"factors":1}`: `unknown parameter "factors" (did you mean "factor"?)` + known,
		`{"value":1,"factor":0}`:             "a factor of 0 <makes> no sense",
		`{"value":1,"factor":-1}`:            "panic: below zero",
	} {
		got, err := c.Scripts[0].Call(t.Context(), json.RawMessage(arguments))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
	for arguments, want := range map[string]string{`null`: "fine", `{}`: "fine", `[]`: "fine", `{"a":1}`: `unknown parameter "a"; it takes no parameters`} {
		got, err := c.Scripts[1].Call(t.Context(), json.RawMessage(arguments))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("none, %s: got %s, want %s", arguments, got, want)
		}
	}
}

// TestInlineRefuses checks that all faults of an inline skill are reported at once, when
// it is made.
func TestInlineRefuses(t *testing.T) {
	value := func(name string) Part { return Value(name, "", "x") }
	script := func(name string) Part { return Function(name, "", convert) }
	for name, tt := range map[string]struct {
		f     Frontmatter
		text  string
		parts []Part
		want  []string
	}{
		"names":           {Frontmatter{Name: "Not--good-", Description: "d"}, "x", nil, []string{`making skill "Not--good-"`, "must be lowercase"}},
		"hyphens":         {Frontmatter{Name: "good-", Description: "d"}, "x", nil, []string{"cannot start or end with a hyphen"}},
		"no name":         {Frontmatter{Description: "d"}, "x", nil, []string{"Missing required field in frontmatter: name"}},
		"no description":  {Frontmatter{Name: "a"}, "x", nil, []string{"Missing required field in frontmatter: description"}},
		"too long":        {Frontmatter{Name: strings.Repeat("a", 65), Description: strings.Repeat("技", 1025), Compatibility: strings.Repeat("c", 501)}, "x", nil, []string{"exceeds 64", "exceeds 1024", "exceeds 500"}},
		"control":         {Frontmatter{Name: "a", Description: "a\x7fb"}, "x", nil, []string{"control character"}},
		"no instructions": {about("a"), " \n", nil, []string{"no instructions"}},
		"two resources":   {about("a"), "x", []Part{value("t"), value("T")}, []string{`two parts have the name "T"`}},
		"two scripts":     {about("a"), "x", []Part{script("s"), script("s")}, []string{`two parts have the name "s"`}},
		"both":            {about("a"), "x", []Part{value("t"), script("t")}, []string{`two parts have the name "t"`}},
		"empty parts":     {about("a"), "x", []Part{{}, value("t"), {}}, []string{"part 1 is empty; make it with Value or Function", "part 3 is empty"}},
		"blank names":     {about("a"), "x", []Part{value(""), script(" s"), value("a\nb")}, []string{`a part has the name ""`, `a part has the name " s"`, `a part has the name "a\nb"`}},
		"no function":     {about("a"), "x", []Part{Function[convertIn, string]("s", "", nil)}, []string{`script "s" has no function`}},
		"bad arguments": {about("a"), "x", []Part{
			Function("s", "", func(context.Context, int) (string, error) { return "", nil }),
			Function("c", "", func(context.Context, struct{ C chan int }) (string, error) { return "", nil }),
		}, []string{`script "s": arguments are a struct, not int`, `script "c": parameter "C" cannot be of type chan int`}},
	} {
		s, err := Inline(tt.f, tt.text, tt.parts...)
		for _, want := range tt.want {
			if s != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
		}
	}
}
