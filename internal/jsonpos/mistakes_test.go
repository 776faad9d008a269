package jsonpos

import "testing"

func TestDecodeJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": {"b": 1}, "c": [{"b": 1}, {"b": 2}]}`: "",
		"{\n\"a\": 1,\n\"a\": 1}":                    `f:3: is damaged: duplicate key "a"`,
		"[{\"x\": [\n{\"\": 1, \"\": 2}]}]":          `f:2: is damaged: duplicate key ""`,
		"{\n\"a\": \"\xff\"}":                        "f:2: is damaged: it is not UTF-8",
		"{\n\"a\": \x00}":                            `f:2: is damaged: invalid character '\x00' looking for beginning of value`,
		"{\n":                                        "f:1: is damaged: unexpected end of JSON input",
		"<<<<<<< a\n":                                "f:1: has a merge conflict",
	} {
		var v any
		got := ""
		if err := DecodeJSON("f", []byte(text), &v, "again"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}
