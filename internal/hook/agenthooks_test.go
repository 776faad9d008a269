package hook

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/script"
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

// TestLift checks that a person may lift a denial that has an approval, and no other, and
// that the record says so.
func TestLift(t *testing.T) {
	results := map[string]script.Result{
		"final": says(`{"decision":"deny","reason":"house:no"}`), "open": says(`{"decision":"deny","reason":"house:ask","approval":{}}`), "allow": says(`{"decision":"allow"}`),
		"set": says(`{"decision":"transform","transform":{"path":"$target.a","value":2}}`),
	}
	yes, no := agent.Decision{Approved: true, By: "user"}, agent.Decision{By: "user", Reason: "not today"}
	for _, tt := range []struct {
		hooks  string
		person *agent.Decision // nil if nobody can answer
		got    string          // arguments that reach the tool, "" where it is not called
		record string
	}{
		{"allow", nil, `{"a":1}`, `"decision":"allow"`},
		{"set allow", nil, `{"a":2}`, `"decision":"transform","transform":{"path":"$target.a"}`},
		{"final", &yes, "", `"reason":"house:no"`},
		{"open allow", &yes, `{"a":1}`, `"decided_by":0,"composition":{"profile":"sequential/first_deny","on_approval":"stop"}`},
		{"open", &yes, `{"a":1}`, `"resolved_by":"approval"`},
		{"open", &no, "", `"resolved_by":"rejection"`},
		{"open", nil, "", `"reason":"house:ask"`},
	} {
		var record []byte
		b := &bench{programs: programs{results: results}, options: Options{
			Protocol: AgentHooks, Hooks: map[string][]Command{before: commands(strings.Fields(tt.hooks)...)},
			Record: func(r Record) { record, _ = json.Marshal(r) },
			Lift: func(context.Context, *agent.Invocation, string) (agent.Decision, bool) {
				if tt.person == nil {
					return agent.Decision{}, false
				}
				return *tt.person, true
			},
		}}
		result, err := b.call(t.Context(), `{"a":1}`)
		if err != nil || strings.Join(b.got, "") != tt.got || result.Failed != (tt.got == "") || !strings.Contains(string(record), tt.record) {
			t.Errorf("%s: got %q, %+v, %v, record %s", tt.hooks, b.got, result, err, record)
		}
		if tt.person == &no && !strings.Contains(result.Text, "not today") {
			t.Errorf("%s: got %q", tt.hooks, result.Text)
		}
	}
}
