package textcalls

// Both sides: every form in which models write calls, and answers that hold JSON or code.

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

var tools = Tools{
	{Name: "load_skill", Required: []string{"skillName"}, First: "unit-converter", Aliases: []string{"unit-converter", "part-numbers"}},
	{Name: "read_skill_resource", Required: []string{"skillName", "resourceName"}, Optional: []string{"offset"}},
	{Name: "run_skill_script", Required: []string{"skillName", "scriptName"}, Optional: []string{"arguments"}},
	{Name: "todos_get_all"},
	{Name: "search", Required: []string{"query"}},
}

const load = `load_skill {"skillName":"unit-converter"}`

func TestRead(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"bare":                {`{"name": "load_skill", "arguments": {"skillName": "unit-converter"}}`, load},
		"parameters":          {`{"name": "load_skill", "parameters": {"skillName": "unit-converter"}}`, load},
		"fence":               {"```json\n{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}\n```", load},
		"fence without end":   {"```\n{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}", load},
		"tag":                 {"<tool_call>\n{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}\n</tool_call>", load},
		"tag without end":     {`<tool_call>{"name": "load_skill", "arguments": {"skillName": "unit-converter"}}`, load},
		"tools":               {`<tools>{"name": "load_skill", "arguments": {"skillName": "unit-converter"}}</tools>`, load},
		"double braces":       {`{{"name": "load_skill", "arguments": {"skillName": "unit-converter"}}}`, load},
		"Mistral":             {`[TOOL_CALLS] [{"name": "load_skill", "arguments": {"skillName": "unit-converter"}}]`, load},
		"Mistral, newer":      {`[TOOL_CALLS]load_skill[ARGS]{"skillName": "unit-converter"}[TOOL_CALLS]todos_get_all{}`, load + "; todos_get_all {}"},
		"Llama":               {`<|python_tag|>{"type": "function", "name": "load_skill", "parameters": {"skillName": "unit-converter"}}<|eom_id|>`, load},
		"Llama, function":     {`<function=load_skill>{"skillName": "unit-converter"}</function>`, load},
		"Qwen coder":          {"<tool_call>\n<function=run_skill_script>\n<parameter=skillName>\nunit-converter\n</parameter>\n<parameter=arguments>\n{\"value\": 1}\n</parameter>\n</function>\n</tool_call>", `run_skill_script {"skillName":"unit-converter","arguments":{"value":1}}`},
		"Python":              {`load_skill(skillName="unit-converter")`, load},
		"Python, by position": {`read_skill_resource('part-numbers', 'parts.md', 10)`, `read_skill_resource {"skillName":"part-numbers","resourceName":"parts.md","offset":10}`},
		"Python, an object":   {`load_skill({"skillName": "unit-converter"})`, load},
		"Python, a list":      {`[load_skill(skillName="unit-converter"), todos_get_all()]`, load + "; todos_get_all {}"},
		"Gemma":               {"```tool_code\nprint(default_api.load_skill(skillName='unit-converter'))\n```", load},
		"by the tool's name":  {`{"load_skill": {"skillName": "unit-converter"}}`, load},
		"flat":                {`{"name": "load_skill", "skillName": "unit-converter"}`, load},
		"as in the protocol":  {`{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "load_skill", "arguments": "{\"skillName\": \"unit-converter\"}"}}]}`, load},
		"in an array":         {`{"name": "load_skill", "arguments": [{"skillName": "unit-converter"}]}`, load},
		"single quotes":       {`{'name': 'load_skill', 'arguments': {'skillName': 'unit-converter',},}`, load},
		"several":             {"{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}\n{\"name\": \"todos_get_all\", \"arguments\": {}}", load + "; todos_get_all {}"},
		"several fences":      {"```json\n{\"name\": \"todos_get_all\", \"arguments\": {}}\n```\n\n```json\n{\"name\": \"todos_get_all\"}\n```", "todos_get_all {}; todos_get_all {}"},
		"a skill":             {`{"name": "part-numbers", "arguments": {"machine": "K3"}}`, `load_skill {"skillName":"part-numbers"}`},
		"a skill in Python":   {`unit-converter(value=1)`, load},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls, reason := Read(test.text, tools)
			var got []string
			for _, c := range calls {
				if !json.Valid([]byte(c.Arguments)) {
					t.Errorf("arguments are not JSON: %s", c.Arguments)
				}
				got = append(got, c.Name+" "+c.Arguments)
			}
			if have := strings.Join(got, "; "); have != test.want || reason != "" {
				t.Errorf("got %q and the reason %q, want %q", have, reason, test.want)
			}
			if shown := streamed(test.text); shown != "" {
				t.Errorf("the stream showed %q", shown)
			}
		})
	}
}

// meant are texts that were meant as calls.
var meant = map[string]string{
	"an unknown tool":        `{"name": "convert.py", "arguments": {"value": 1}}`,
	"unknown, in a fence":    "```json\n{\"name\": \"convert\", \"arguments\": {\"value\": 1}}\n```",
	"cut off":                `{"name": "load_skill", "arguments": {"skillName": "unit`,
	"cut off, Python":        `load_skill(skillName="unit`,
	"a tag with a word":      `<tool_call>load the skill</tool_call>`,
	"without the name":       `{"skillName": "unit-converter"}`,
	"at the end of words":    "I load the skill first.\n```json\n{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}\n```",
	"a tag after words":      "First the skill. <tool_call>{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}</tool_call>",
	"words after it":         "{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"unit-converter\"}}\nPlease wait.",
	"a call of another tool": "{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"a\"}}\n{\"name\": \"convert\", \"arguments\": {}}",
}

func TestMeantAsCall(t *testing.T) {
	for name, text := range meant {
		t.Run(name, func(t *testing.T) {
			calls, reason := Read(text, tools)
			if len(calls) > 0 || reason == "" {
				t.Errorf("got the calls %v and the reason %q, want a reason only", calls, reason)
			}
		})
	}
}

// answers are texts that are what they look like.
var answers = map[string]string{
	"prose":                    "1 kg is 2.2 lb.",
	"a JSON object":            `{"name": "Ana", "age": 33}`,
	"a JSON array":             `[{"name": "pump", "price": 3}, {"name": "valve", "price": 4}]`,
	"a configuration":          "```json\n{\"tools\": {\"search\": true}, \"name\": \"x\"}\n```",
	"a definition":             `{"name": "convert", "description": "Converts units.", "parameters": {"type": "object", "properties": {"value": {"type": "number"}}}}`,
	"a short definition":       `{"name": "convert", "parameters": {"type": "object", "properties": {}}}`,
	"a fence among prose":      "Call it like this:\n```json\n{\"name\": \"load_skill\", \"arguments\": {\"skillName\": \"a\"}}\n```\nThen read the result.",
	"a fence, then prose":      "```json\n{\"name\": \"convert\", \"arguments\": {\"value\": 1}}\n```\nThis is what a request looks like.",
	"code":                     "```python\nprint(search_all(1))\n```",
	"Go code":                  "```go\nsearch(\"x\")\n```",
	"code that begins with it": "print(1 + 2)",
	"a name":                   "unit-converter",
	"a word and parentheses":   "search (in the folder) for it",
	"a query":                  `{"query": "merge pdf"}`,
	"an empty object":          `{}`,
	"a number":                 `42`,
	"markup":                   "<html><body>Hello</body></html>",
	"a list of links":          "[Docs](https://example.com) and [more](https://example.com/more)",
	"a quoted name":            `"load_skill" is the tool for this.`,
}

func TestAnswers(t *testing.T) {
	for name, text := range answers {
		t.Run(name, func(t *testing.T) {
			calls, reason := Read(text, tools)
			if len(calls) > 0 || reason != "" {
				t.Errorf("got the calls %v and the reason %q, want none", calls, reason)
			}
			if shown := streamed(text); shown != text {
				t.Errorf("the stream showed %q", shown)
			}
		})
	}
}

// streamed returns what a stream shows of a text in pieces, before and after its end if it
// is an answer.
func streamed(text string) string {
	var shown strings.Builder
	s := NewStream(tools, func(piece string) { shown.WriteString(piece) })
	for i := range len(text) {
		s.Write(text[i : i+1])
	}
	calls, reason := Read(text, tools)
	if len(calls) == 0 && reason == "" {
		s.End(text)
	}
	return shown.String()
}

// TestStreamEarly checks that text is not held back longer than needed.
func TestStreamEarly(t *testing.T) {
	for text, want := range map[string]bool{
		"The": true, "lo": false, "load_skill": false, "load_skills": true, "{": false, `{"age"`: false, `{"age":`: true, `{"name":`: false,
		"```": false, "```go\n": true, "```json\n{\"a\":": true, "<": false, "<ht": true, "[": false, "[1": true,
	} {
		var shown strings.Builder
		s := NewStream(tools, func(piece string) { shown.WriteString(piece) })
		s.Write(text)
		if got := shown.String() == text; got != want {
			t.Errorf("%q is shown: %v, want %v", text, got, want)
		}
	}
}

func TestExample(t *testing.T) {
	want := `{"name":"read_skill_resource","arguments":{"skillName":"…","resourceName":"…"}}`
	if got := tools[1].Example(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	calls, _ := Read(tools[0].Example(), tools)
	if want := []Call{{"load_skill", `{"skillName":"unit-converter"}`}}; !slices.Equal(calls, want) {
		t.Errorf("got %v, want %v", calls, want)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range meant {
		f.Add(text)
	}
	for _, text := range answers {
		f.Add(text)
	}
	f.Add(`[TOOL_CALLS]load_skill[ARGS]{"skillName": "a\u0041\'"}`)
	f.Fuzz(func(t *testing.T, text string) {
		calls, reason := Read(text, tools)
		if len(calls) > 0 && reason != "" {
			t.Errorf("%d calls and a reason", len(calls))
		}
		for _, c := range calls {
			if !json.Valid([]byte(c.Arguments)) || tools.Named(c.Name) == nil {
				t.Errorf("bad call %+v", c)
			}
		}
		if shown := streamed(text); shown != "" && !strings.HasPrefix(text, shown) {
			t.Errorf("the stream showed %q of %q", shown, text)
		}
	})
}
