package params

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	Unit string `json:"unit" desc:"a unit"`
	Note string `json:"note,omitempty"`
}

type everything struct {
	Value   float64          `json:"value" desc:"the number"`
	Count   int8             `json:"count"`
	Whole   *int             `json:"whole"`
	From    inner            `json:"from"`
	To      []inner          `json:"to,omitempty"`
	Labels  map[string]inner `json:"labels,omitempty"`
	Any     any              `json:"any,omitempty"`
	Raw     json.RawMessage  `json:"raw,omitempty"`
	Strict  bool             `json:"strict,omitempty"`
	Plain   string           `desc:"goes by its field's name"`
	Skipped chan int         `json:"-"`
	//lint:ignore U1000 it is not exported, and so no parameter
	hidden   func()
	Optional *string           `json:"optional"`
	Words    map[string]string `json:"words,omitempty"`
}

func TestSchema(t *testing.T) {
	schema, err := Schema(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	unit := `{"additionalProperties":false,"properties":{"note":{"type":"string"},"unit":{"description":"a unit","type":"string"}},"required":["unit"],"type":"object"}`
	want := `{"additionalProperties":false,"properties":{` +
		`"Plain":{"description":"goes by its field's name","type":"string"},"any":{},"count":{"type":"integer"},` +
		`"from":` + unit + `,"labels":{"additionalProperties":` + unit + `,"type":"object"},"optional":{"type":"string"},"raw":{},` +
		`"strict":{"type":"boolean"},"to":{"items":` + unit + `,"type":"array"},"value":{"description":"the number","type":"number"},` +
		`"whole":{"type":"integer"},` +
		`"words":{"additionalProperties":{"type":"string"},"type":"object"}},` +
		`"required":["value","count","from","Plain"],"type":"object"}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if empty, err := Schema(reflect.TypeFor[struct{}]()); err != nil || len(empty["properties"].(map[string]any)) != 0 {
		t.Errorf("no parameters: %v, %v", empty, err)
	}
}

type recursive struct {
	Next *recursive `json:"next"`
}

type embedded struct{ inner }

// Embedded is exported, so that its fields could be parameters.
type Embedded struct{ A string }

// TestSchemaRefuses checks that a struct that has no schema is an error with the
// reason, never a panic.
func TestSchemaRefuses(t *testing.T) {
	for want, v := range map[string]any{
		"arguments are a struct, not int":                             0,
		`parameter "C" cannot be of type chan int`:                    struct{ C chan int }{},
		`parameter "F" cannot be of type func()`:                      struct{ F func() }{},
		`parameter "X" cannot be of type complex128`:                  struct{ X complex128 }{},
		`parameter "B" cannot be of type []uint8`:                     struct{ B []byte }{},
		`parameter "A" cannot be of type [2]int`:                      struct{ A [2]int }{},
		`parameter "M" cannot be of type map[int]string`:              struct{ M map[int]string }{},
		`parameter "I" cannot be of type interface { String() string`: struct{ I interface{ String() string } }{},
		`parameter "next" cannot be of type params.recursive`:         recursive{},
		`parameter "list[].c" cannot be of type chan int`: struct {
			List []struct {
				C chan int `json:"c"`
			} `json:"list"`
		}{},
		`embedded fields are not supported`: struct{ Embedded }{},
		`"a_b" and "aB" differ only`: struct {
			One string `json:"a_b"`
			Two string `json:"aB"`
		}{},
	} {
		if _, err := Schema(reflect.TypeOf(v)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %q", v, err, want)
		}
	}
	if _, err := Schema(reflect.TypeFor[embedded]()); err != nil {
		t.Errorf("an embedded struct that is not exported has no parameters: %v", err)
	}
}

func TestDecodeAll(t *testing.T) {
	const least = `"value":"2.5","count":"3","from":{"unit":"kg"},"plain":"x"`
	var in everything
	err := DecodeAll(json.RawMessage(`{`+least+`,"to":[{"unit":"lb"}],"labels":{"a":{"unit":"lb"}},"Optional":"b","any":[1]}`), &in)
	if err != nil {
		t.Fatal(err)
	}
	if in.Value != 2.5 || in.Count != 3 || in.From.Unit != "kg" || in.Plain != "x" || in.To[0].Unit != "lb" ||
		in.Labels["a"].Unit != "lb" || *in.Optional != "b" || in.Whole != nil || len(in.Any.([]any)) != 1 {
		t.Errorf("got %+v", in)
	}
	for arguments, want := range map[string]string{
		`{}`:                                           `parameter "value" is missing`,
		`{"value":null}`:                               `parameter "value" is missing`,
		`{` + least + `,"whole":"x"}`:                  `parameter "whole" must be an integer, got the string "x"`,
		`{` + least + `,"to":[{}]}`:                    `parameter "to[0].unit" is missing`,
		`{` + least + `,"to":{}}`:                      `parameter "to" must be an array, got an object`,
		`{` + least + `,"labels":{"a":{}}}`:            `parameter "labels.a.unit" is missing`,
		`{` + least + `,"vaule":1}`:                    `unknown parameter "vaule" (did you mean "value"?)`,
		`{"value":"NaN","count":1}`:                    `parameter "value" must be a number, got the string "NaN"`,
		`{"value":1,"count":256}`:                      `parameter "count" must be an integer, got the number 256`,
		`{` + least + `,"strict":"yes"}`:               `parameter "strict" must be true or false, got the string "yes"`,
		`{` + least + `,"whole":99999999999999999999}`: `parameter "whole" must be an integer`,
	} {
		var in everything
		if err := DecodeAll(json.RawMessage(arguments), &in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", arguments, err, want)
		}
	}
}

// FuzzDecodeAll checks that no arguments cause a panic, and that accepted ones have
// every required field.
func FuzzDecodeAll(f *testing.F) {
	f.Add(`{"value":1,"count":1,"from":{"unit":"kg"},"plain":"","to":[null],"labels":{"a":null}}`)
	f.Add(`{"value":1,"from":[{}],"any":{"a":null},"raw":[],"words":{"a":1}}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		var in everything
		if DecodeAll(json.RawMessage(arguments), &in) == nil && !strings.Contains(strings.ToLower(arguments), "from") {
			t.Errorf("%s: accepted as %+v", arguments, in)
		}
	})
}
