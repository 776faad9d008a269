package hook

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCanonical checks the canonical JSON against examples of RFC 8785, and that numbers
// which other programs cannot hold are refused.
func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":[true,null,"x"]}`:      `{"a":[true,null,"x"],"b":1}`,
		`"\u20ac$\u000f\nA'B\"\\<é>"`:      "\"€$\\u000f\\nA'B\\\"\\\\<é>\"",
		`[333333333.33333329,1E30,4.50]`:   `[333333333.3333333,1e+30,4.5]`,
		`[2e-3,1e-27,-0,9007199254740991]`: `[0.002,1e-27,0,9007199254740991]`,
		`{"\ud83d\ude00":1,"\ufb33":2}`:    "{\"😀\":1,\"\ufb33\":2}",
	} {
		got, err := canonical(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"9007199254740993", `{"a":[-9007199254740992]}`, "1e999"} {
		if got, err := canonical(json.RawMessage(in)); err == nil {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// TestApply checks the paths of transforms.
func TestApply(t *testing.T) {
	for path, want := range map[string]string{
		"$target":                   `"new"`,
		"$target.a":                 `{"a":"new","b":[1,{"c-d":2}]}`,
		`$policy_target["a"]`:       `{"a":"new","b":[1,{"c-d":2}]}`,
		"$target.b[0]":              `{"a":"old","b":["new",{"c-d":2}]}`,
		`$target.b[1]["c-d"]`:       `{"a":"old","b":[1,{"c-d":"new"}]}`,
		"target.a":                  "", // an error
		"$other.a":                  "",
		"$target.x":                 "",
		"$target.b[2]":              "",
		"$target.a.b":               "",
		"$target.":                  "",
		"$target[":                  "",
		`$target["a`:                "",
		"$target.b[99999999999999]": "",
		"$target a":                 "",
	} {
		target, err := decodeJSON([]byte(`{"a":"old","b":[1,{"c-d":2}]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := apply(target, transform{path, json.RawMessage(`"new"`)})
		text, _ := json.Marshal(got)
		if (err != nil) != (want == "") || err == nil && string(text) != want {
			t.Errorf("%s: got %s, %v, want %s", path, text, err, want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), reserved) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
