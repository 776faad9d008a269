package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"skills/internal/agent"
)

type scriptIn struct {
	SkillName  string          `json:"skillName"`
	ScriptName string          `json:"scriptName"`
	Arguments  json.RawMessage `json:"arguments" alias:"args,argv"`
	Offset     int64           `json:"offset,omitempty"`
	Deep       *bool           `json:"deep"`
	Items      []item          `json:"items"`
	IDs        []int           `json:"ids"`
	Weights    map[string]int  `json:"weights"`
	Ratio      float64         `json:"ratio"`
	Small      int8            `json:"small"`
	Any        any             `json:"any"`
	Plain      string
	Hidden     string `json:"-"`
	private    string
}

type item struct {
	ID     int    `json:"id"`
	Reason string `json:"reason"`
}

// invoke calls a tool as the loop does and returns its text.
func invoke(t *testing.T, tool agent.Tool, arguments string) agent.ToolResult {
	t.Helper()
	inv := &agent.Invocation{Tool: &tool, Arguments: json.RawMessage(arguments), Emit: func(agent.Event) {}}
	action, err := inv.Prepare(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	r, err := action.Run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return r
}

func script() agent.Tool {
	return agent.NewTool("run", "runs", objectSchema, func(_ context.Context, inv *agent.Invocation, in scriptIn) (agent.Action, error) {
		deep := "nil"
		if in.Deep != nil {
			deep = fmt.Sprint(*in.Deep)
		}
		_ = in.private
		return agent.Answer(inv.Describe(), agent.ToolResult{Text: fmt.Sprintf("%s|%s|%s|%d|%s|%v|%v|%v|%g|%d|%v|%s%s", in.SkillName, in.ScriptName, in.Arguments, in.Offset, deep, in.Items, in.IDs, in.Weights, in.Ratio, in.Small, in.Any, in.Plain, in.Hidden)}), nil
	})
}

func TestNewTool(t *testing.T) {
	const parameters = " Parameters of run: skillName, scriptName, arguments, offset, deep, items, ids, weights, ratio, small, any, Plain."
	for _, test := range []struct{ arguments, want string }{
		{``, `|||0|nil|[]|[]|map[]|0|0|<nil>|`},
		{`{"skillName":"a","scriptName":"b"}`, `a|b||0|nil|[]|[]|map[]|0|0|<nil>|`},
		{`{"skill_name":"a","Script-Name":"b","args":["x"]}`, `a|b|["x"]|0|nil|[]|[]|map[]|0|0|<nil>|`},
		{`{"arguments":{"a":null}}`, `||{"a":null}|0|nil|[]|[]|map[]|0|0|<nil>|`},
		{`{"arguments":null,"skillName":null,"ids":null}`, `||null|0|nil|[]|[]|map[]|0|0|<nil>|`},
		{`{"offset":"12","deep":true}`, `|||12|true|[]|[]|map[]|0|0|<nil>|`},
		{`{"offset":12.0,"ratio":1.5,"small":-3}`, `|||12|nil|[]|[]|map[]|1.5|-3|<nil>|`},
		{`{"items":[{"id":"1","reason":"r"},{"ID":2}],"ids":["3",4]}`, `|||0|nil|[{1 r} {2 }]|[3 4]|map[]|0|0|<nil>|`},
		{`{"weights":{"a":"1"},"any":[1],"plain":"p"}`, `|||0|nil|[]|[]|map[a:1]|0|0|[1]|p`},

		{`{"skil":"a"}`, `Error: Unknown parameter "skil".` + parameters},
		{`{"skillNam":"a"}`, `Error: Unknown parameter "skillNam" (did you mean "skillName"?).` + parameters},
		{`{"Hidden":"a"}`, `Error: Unknown parameter "Hidden".` + parameters},
		{`{"items":[{"id":1,"why":"x"}]}`, `Error: Unknown parameter "items[0].why"; expected one of: id, reason.` + parameters},
		{`{"skillName":7}`, `Error: Parameter "skillName" must be a string, got the number 7.` + parameters},
		{`{"offset":"x"}`, `Error: Parameter "offset" must be an integer, got the string "x".` + parameters},
		{`{"offset":1.5}`, `Error: Parameter "offset" must be an integer, got the number 1.5.` + parameters},
		{`{"offset":1e300}`, `Error: Parameter "offset" must be an integer, got the number 1e300.` + parameters},
		{`{"small":300}`, `Error: Parameter "small" must be an integer, got the number 300.` + parameters},
		{`{"deep":"yes"}`, `Error: Parameter "deep" must be true or false, got the string "yes".` + parameters},
		{`{"ratio":[]}`, `Error: Parameter "ratio" must be a number, got an array.` + parameters},
		{`{"ids":{"a":1}}`, `Error: Parameter "ids" must be an array, got an object.` + parameters},
		{`{"items":["x"]}`, `Error: Parameter "items[0]" must be an object, got the string "x".` + parameters},
		{`{"weights":[1]}`, `Error: Parameter "weights" must be an object, got an array.` + parameters},
		{`{"weights":{"a":[]}}`, `Error: Parameter "weights.a" must be an integer, got an array.` + parameters},
		{`{"skillName":"a","skill_name":"b"}`, `Error: Parameter "skillName" is given twice, as "skillName" and as "skill_name".` + parameters},
		{`[1]`, `Error: The arguments must be a JSON object, got an array.`},
		{`{"a":`, `Error: The arguments are not valid JSON at character 5: unexpected end of JSON input, near "{\"a\":". Send one JSON object.`},
	} {
		got := invoke(t, script(), test.arguments)
		if got.Text != test.want || got.Failed != (test.want[0] == 'E') {
			t.Errorf("%s:\ngot  %q\nwant %q", test.arguments, got.Text, test.want)
		}
	}
}

func TestNewToolWithoutParameters(t *testing.T) {
	tool := agent.NewTool("all", "", objectSchema, func(_ context.Context, inv *agent.Invocation, _ struct{}) (agent.Action, error) {
		return agent.Answer(inv.Describe(), agent.ToolResult{Text: "ran"}), nil
	})
	if got := invoke(t, tool, "{}"); got.Text != "ran" {
		t.Errorf("got %+v", got)
	}
	if got := invoke(t, tool, `{"x":1}`); got.Text != `Error: Unknown parameter "x". The function takes no parameters.` {
		t.Errorf("got %+v", got)
	}
}

func TestParameters(t *testing.T) {
	if got := agent.Parameters[item](); !slices.Equal(got, []string{"id", "reason"}) {
		t.Errorf("got %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a type that is no struct was taken")
		}
	}()
	agent.Parameters[string]()
}

// FuzzNewTool checks that no arguments make a tool panic, and that accepted arguments
// survive encoding and decoding.
func FuzzNewTool(f *testing.F) {
	for _, seed := range []string{`{}`, `{"skill_name":"a","args":[1]}`, `{"items":[{"id":"1"}],"ids":[1,"2"]}`, `[`, `{"offset":1e9}`, `{"any":{"a":[null]}}`} {
		f.Add(seed)
	}
	var got *scriptIn
	tool := agent.NewTool("run", "", objectSchema, func(_ context.Context, inv *agent.Invocation, in scriptIn) (agent.Action, error) {
		got = &in
		return agent.Answer(inv.Describe(), agent.ToolResult{}), nil
	})
	f.Fuzz(func(t *testing.T, arguments string) {
		got = nil
		result := invoke(t, tool, arguments)
		if (got == nil) != result.Failed {
			t.Fatalf("%q: got %+v, called %v", arguments, result, got != nil)
		}
		if got == nil {
			return
		}
		first, err := json.Marshal(got)
		if err != nil {
			t.Fatalf("%q: %v", arguments, err)
		}
		if again := invoke(t, tool, string(first)); again.Failed {
			t.Fatalf("%q: read as %s, which is refused: %s", arguments, first, again.Text)
		}
		if second, err := json.Marshal(got); err != nil || string(second) != string(first) {
			t.Fatalf("%q: got %s, then %s, %v", arguments, first, second, err)
		}
	})
}
