package constrained

import (
	"encoding/json"
	"strings"
	"testing"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
)

func text(kind string) map[string]any { return map[string]any{"type": kind} }

func form() *Form {
	return &Form{
		Tools: []model.Tool{
			{Name: "load_skill", Description: "Loads a skill.", Ordered: true, Schema: map[string]any{
				"type": "object", "required": []string{"skillName"}, "properties": map[string]any{"skillName": text("string")},
			}, Choices: []model.Choice{{{Name: "skillName", Schema: map[string]any{"type": "string", "enum": []string{"a", "b"}}, Required: true}}}},
			{Name: "read", Description: "Reads.", Schema: map[string]any{
				"type": "object", "required": []string{"path"}, "properties": map[string]any{"path": text("string"), "at": text("integer")},
			}},
			{Name: "never", Description: "Cannot be called now.", Schema: text("object"), Choices: []model.Choice{}},
		},
		Words: textcalls.Tools{{Name: "load_skill", Required: []string{"skillName"}, Aliases: []string{"a"}}, {Name: "read", Required: []string{"path"}}, {Name: "never"}},
	}
}

// conversation has every kind of message.
var conversation = []model.Message{
	{Role: model.User, Source: model.FromUser, Text: "hi"},
	{Role: model.User, Source: model.FromContext, Provider: "p", Text: "note"},
	{Role: model.Assistant, Source: model.FromModel, Text: "I look.", Calls: []model.ToolCall{{ID: "1", Name: "load_skill", Arguments: `{"skillName": "a"}`}}},
	{Role: model.ToolRole, Source: model.FromTool, CallID: "1", Name: "load_skill", Text: "text</result> of a\n"},
	{Role: model.Assistant, Source: model.FromModel, Calls: []model.ToolCall{{ID: "2", Name: "read", Arguments: `{"path":"x"}`}, {ID: "3", Name: "read", Arguments: `broken`}}},
	{Role: model.ToolRole, Source: model.FromTool, CallID: "2", Name: "read", Text: "two"},
	{Role: model.ToolRole, Source: model.FromTool, CallID: "3", Name: "read", Text: "three"},
	{Role: model.User, Source: model.FromContext, Text: "list"},
	{Role: model.User, Source: model.FromUser, Text: "go on"},
	{Role: model.Assistant, Source: model.FromModel, Text: "2 lb"},
	{Role: model.User, Source: model.FromUser, Text: "thanks"},
}

func TestEncode(t *testing.T) {
	f := form()
	r := f.Encode(model.Request{
		Instructions: "You have skills.", Messages: conversation, Tools: f.Tools, Ephemeral: 1,
		Params: model.Params{"temperature": json.RawMessage("0"), "tool_choice": json.RawMessage(`"auto"`)},
	})
	if len(r.Tools) != 0 || r.Instructions != "" || r.Params["tool_choice"] != nil || string(r.Params["temperature"]) != "0" {
		t.Errorf("got %+v", r)
	}
	var got []string
	for _, m := range r.Messages {
		if len(m.Calls) > 0 || m.Role != model.User && m.Role != model.Assistant {
			t.Errorf("a message of the protocol: %+v", m)
		}
		got = append(got, string(m.Role)+": "+m.Text)
	}
	system := "user: You have skills.\n\n" + f.systemText("", nil)
	want := []string{
		system + "\n\nhi\n\n<context>\nnote\n</context>",
		`assistant: {"name":"load_skill","arguments":{"skillName":"a"}}`,
		"user: <result of=\"load_skill\">\ntext<\\/result> of a\n</result>",
		`assistant: {"calls":[{"name":"read","arguments":{"path":"x"}},{"name":"read","arguments":{}}]}`,
		"user: <result of=\"read {'path':'x'}\">\ntwo\n</result>\n\n<result of=\"read {}\">\nthree\n</result>\n\n<context>\nlist\n</context>",
		`assistant: {"answer":"(The run ended here.)"}`,
		"user: go on",
		`assistant: {"answer":"2 lb"}`,
		"user: thanks",
	}
	if a, b := strings.Join(got, "\n--\n"), strings.Join(want, "\n--\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if n := len(f.systemText("", nil)) - len("- load_skill(skillName): Loads a skill.- read(path, at?): Reads.- never(): Cannot be called now."); n > 400 {
		t.Errorf("the text about the form has %d bytes", n)
	}
	explained := f.systemText("Call `load_skill` first.", nil)
	if !strings.HasPrefix(explained, "Tools:\n- load_skill(skillName)\n- read(path, at?): Reads.\n") {
		t.Errorf("got %s", explained)
	}
}

// TestResult checks what follows a result and the prompt.
func TestResult(t *testing.T) {
	f := form()
	f.Hint = "Skills that may fit: a."
	f.Tools[0].Next = func(result string) string { return "Now read " + result + "." }
	got := f.Encode(model.Request{Messages: []model.Message{
		conversation[0], conversation[2], {Role: model.ToolRole, CallID: "1", Name: "load_skill", Text: "it"},
	}}).Messages
	if want := f.systemText("", nil) + "\n\nhi\n\n<context>\nSkills that may fit: a.\n</context>"; got[0].Text != want {
		t.Errorf("got %q, want %q", got[0].Text, want)
	}
	if want := "<result of=\"load_skill\">\nit\n</result>\nNow read it.\n\nGo on with the request: hi"; got[2].Text != want {
		t.Errorf("got %q, want %q", got[2].Text, want)
	}
}

func TestSchema(t *testing.T) {
	const (
		load   = `{"type":"object","properties":{"name":{"type":"string","enum":["load_skill"]},"arguments":{"type":"object","properties":{"skillName":{"enum":["a","b"],"type":"string"}},"required":["skillName"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}`
		read   = `{"type":"object","properties":{"name":{"type":"string","enum":["read"]},"arguments":{"type":"object","properties":{"path":{"type":"string"},"at":{"type":"integer"}},"required":["path"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}`
		answer = `{"type":"object","properties":{"answer":TEXT},"required":["answer"],"additionalProperties":false}`
	)
	list := `{"type":"object","properties":{"calls":{"type":"array","items":{"anyOf":[` + read + `]},"maxItems":8}},"required":["calls"],"additionalProperties":false}`
	plain := strings.Replace(answer, "TEXT", `{"type":"string"}`, 1)
	closing := form()
	closing.Closing = true
	for name, test := range map[string]struct {
		form   *Form
		answer string
		want   string
	}{
		"calls and the answer": {form(), "", `{"anyOf":[` + load + "," + read + "," + list + "," + plain + `]}`},
		"the answer only":      {closing, "", plain},
		"an answer as JSON":    {closing, `{"type":"object"}`, strings.Replace(answer, "TEXT", `{"type":"object"}`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			var wanted json.RawMessage
			if test.answer != "" {
				wanted = json.RawMessage(test.answer)
			}
			got, err := json.Marshal(test.form.schema(wanted))
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	tests := map[string]struct {
		text, finish string
		want         string // the answer, or the calls
		kind         model.FaultKind
	}{
		"answer":               {text: `{"name":"answer","arguments":{"text":"2 lb"}}`, want: "2 lb"},
		"answer by its key":    {text: `{"answer": "2 lb"}`, want: "2 lb"},
		"JSON as the answer":   {text: `{"name":"answer","arguments":{"text":{"a":1}}}`, want: `{"a":1}`},
		"call":                 {text: `{"name":"read","arguments":{"path":"x"}}`, want: `read {"path":"x"}`},
		"call in a fence":      {text: "```json\n{\"name\":\"read\",\"arguments\":{\"path\":\"x\"}}\n```", want: `read {"path":"x"}`},
		"several calls":        {text: `{"calls":[{"name":"read","arguments":{"path":"x"}},{"name":"load_skill","arguments":{"skillName":"b"}}]}`, want: `read {"path":"x"}; load_skill {"skillName":"b"}`},
		"the same calls":       {text: `{"calls":[{"name":"read","arguments":{"path":"x"}},{"name":"read","arguments":{"path":"x"}}]}`, want: `read {"path":"x"}`},
		"a skill's name":       {text: `{"name":"a","arguments":{}}`, want: `load_skill {"skillName":"a"}`},
		"unknown tool":         {text: `{"name":"zip","arguments":{}}`, want: `zip {}`},
		"a leading space":      {text: `{"name":"read","arguments":{"path":" x.md","at":[" a","b c"]}}`, want: `read {"path":"x.md","at":["a","b c"]}`},
		"arguments in a text":  {text: `{"name":"read","arguments":"{\"path\":\"x\"}"}`, want: `read {"path":"x"}`},
		"another form":         {text: `<tool_call>{"name":"read","parameters":{"path":"x"}}</tool_call>`, want: `read {"path":"x"}`},
		"prose":                {text: "2 lb", want: "2 lb", kind: model.NotInForm},
		"JSON of another kind": {text: `{"kg": 1}`, want: `{"kg": 1}`, kind: model.NotInForm},
		"cut off":              {text: `{"name":"answer","arguments":{"text":"2 l`, finish: "length", want: `{"name":"answer","arguments":{"text":"2 l`, kind: model.Cut},
		"broken":               {text: `{"name":"answer","arguments":{"text":"2 l`, want: `{"name":"answer","arguments":{"text":"2 l`, kind: model.NotCall},
		"empty":                {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, fault := form().Decode(model.Reply{Text: test.text, Finish: test.finish})
			parts := []string{}
			if got.Text != "" {
				parts = append(parts, got.Text)
			}
			for _, c := range got.Calls {
				parts = append(parts, c.Name+" "+c.Arguments)
			}
			if have := strings.Join(parts, "; "); have != test.want || fault.Kind != test.kind {
				t.Errorf("got %q with the fault %+v, want %q with %d", have, fault, test.want, test.kind)
			}
		})
	}
	_, fault := form().Decode(model.Reply{Text: `{"answer":"` + strings.Repeat("x", 2<<20) + `"}`})
	if fault.Kind != model.TooLong {
		t.Errorf("a reply of 2 MiB has the fault %+v", fault)
	}
}

func TestStream(t *testing.T) {
	for name, text := range map[string]string{
		"answer":     `{"name": "answer", "arguments": {"text": "2 lb \"é\" \ud83d\ude00 \u00e9\n ✓ 😀"}}`,
		"by its key": `{"answer": "2 lb"}`,
		"not closed": `{"answer": "2 lb`,
		"a call":     `{"name": "read", "arguments": {"text": "2 lb"}}`,
		"prose":      "2 lb, as text",
		"a lone one": `{"answer": "\ud83d 2 lb"}`,
		"as JSON":    `{"answer": {"a": "b"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 3, 1000} {
				f := form()
				var shown strings.Builder
				s := f.Stream(func(piece string) { shown.WriteString(piece) })
				for at := 0; at < len(text); at += size {
					s.Write(text[at:min(at+size, len(text))])
				}
				early := shown.String()
				decoded, fault := f.Decode(model.Reply{Text: text})
				if fault.Kind == model.NotCall {
					if early != "2 lb" {
						t.Errorf("got %q", early)
					}
					continue
				}
				s.End(decoded.Text)
				if shown.String() != decoded.Text {
					t.Errorf("pieces of %d: got %q, want %q", size, shown.String(), decoded.Text)
				}
				if isText := name == "answer" || name == "by its key"; isText && early != decoded.Text {
					t.Errorf("pieces of %d: only %q was shown while it arrived", size, early)
				}
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{`{"answer": "2 lb"}`, `{"name":"read","arguments":{"path":"x"}}`, `{"calls":[{"name":"read"}]}`, `{"answer": "\ud83d`, "prose"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "�")
		form := form()
		var shown strings.Builder
		s := form.Stream(func(piece string) { shown.WriteString(piece) })
		for i := range len(text) {
			s.Write(text[i : i+1])
		}
		decoded, fault := form.Decode(model.Reply{Text: text})
		if fault.Kind == model.NoFault {
			s.End(decoded.Text)
		}
		if len(decoded.Calls) > 0 && decoded.Text != "" {
			t.Errorf("calls and the text %q", decoded.Text)
		}
	})
}
