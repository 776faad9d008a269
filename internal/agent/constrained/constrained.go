// Package constrained is a form of tool calls for models that do not call tools reliably
// by the protocol: each reply is one JSON object, a call or the answer, which the server
// holds to a schema that allows only what makes sense at present. A request has no tools;
// the system text lists them, and results come back as text of the user.
//
// The system text does not depend on what is possible at present, so that servers find the
// beginning of a request in their caches. Messages alternate between user and assistant,
// and the system text is the beginning of the first message, because chat templates refuse
// or drop everything else.
package constrained

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
	"skills/internal/printable"
)

// Form is the form for one request.
type Form struct {
	// Tools are all tools; their Choices say what can be called.
	Tools []model.Tool
	// Closing allows the answer only.
	Closing bool
	// Words are the tools for the search of calls in text.
	Words textcalls.Tools
	// Hint is added to the prompt; "" for none.
	Hint string
	// IsAnswer reports that a JSON text is an answer; nil for none.
	IsAnswer func(text string) bool
}

// params about tools or the form, which the form replaces.
var replaced = []string{"tool_choice", "parallel_tool_calls", "response_format"}

// Encode returns the request without tools.
func (f *Form) Encode(r model.Request) model.Request {
	answer := answerSchema(r.Params["response_format"])
	params := maps.Clone(r.Params)
	if params == nil {
		params = model.Params{}
	}
	for _, name := range replaced {
		delete(params, name)
	}
	params["response_format"] = f.responseFormat(answer)
	r.Messages = f.messages(r, answer)
	r.Instructions, r.Tools, r.Withheld, r.Params, r.Ephemeral = "", nil, nil, params, 0
	return r
}

// messages returns the conversation as text, with the system text at its beginning.
func (f *Form) messages(r model.Request, answer json.RawMessage) []model.Message {
	system := strings.TrimSpace(r.Instructions + "\n\n" + f.systemText(r.Instructions, answer))
	out := []model.Message{{Role: model.User, Source: model.FromContext, Text: system}}
	add := func(m model.Message) {
		last := &out[len(out)-1]
		if last.Role != m.Role {
			out = append(out, m)
			return
		}
		last.Text = strings.TrimSpace(last.Text + "\n\n" + m.Text)
		last.Parts = slices.Concat(last.Parts, m.Parts)
	}
	results := map[string]string{} // labels by call
	afterResult := false
	prompt := -1
	for i, m := range r.Messages {
		if m.Role == model.User && !m.Added() {
			prompt = i
		}
	}
	for i, m := range r.Messages {
		switch m.Role {
		case model.Assistant:
			var text string
			text, results = f.written(m)
			add(model.Message{Role: model.Assistant, Source: m.Source, Text: text})
		case model.ToolRole:
			add(model.Message{Role: model.User, Source: model.FromUser, Text: f.result(results[m.CallID], m), Parts: m.Parts})
		default:
			// What the user says must not look like a part of a result.
			if afterResult && !m.Added() {
				add(model.Message{Role: model.Assistant, Source: model.FromContext, Text: answered("(The run ended here.)")})
			}
			add(model.Message{Role: model.User, Source: model.FromUser, Text: m.Tagged(), Parts: m.Parts})
		}
		if i == prompt && f.Hint != "" {
			add(model.Message{Role: model.User, Text: "<context>\n" + f.Hint + "\n</context>"})
		}
		afterResult = m.Role == model.ToolRole || afterResult && m.Role != model.Assistant && m.Added()
	}
	if afterResult && prompt >= 0 { // small models lose sight of it
		request := printable.TruncateMiddle(strings.Join(strings.Fields(r.Messages[prompt].Text), " "), maxRequest)
		next := "Go on with the request: "
		calls, _ := f.calls()
		if len(calls) == 0 {
			next = "Nothing is left to call. Answer the request with what the results say: "
		}
		add(model.Message{Role: model.User, Text: next + request})
	}
	return out
}

// maxRequest is how many characters of the request are repeated after a result.
const maxRequest = 400

// written returns a message of the model in the form, and labels for the results of its
// calls.
func (f *Form) written(m model.Message) (text string, labels map[string]string) {
	labels = map[string]string{}
	if len(m.Calls) == 0 {
		return answered(m.Text), labels
	}
	var calls []string
	for _, c := range m.Calls {
		name, arguments := c.Sent()
		calls = append(calls, `{"name":`+printable.JSONText(name)+`,"arguments":`+compact(arguments)+`}`)
		labels[c.ID] = name
		if len(m.Calls) > 1 {
			labels[c.ID] += " " + compact(arguments)
		}
	}
	if len(calls) == 1 {
		return calls[0], labels
	}
	return `{"calls":[` + strings.Join(calls, ",") + `]}`, labels
}

// answerName is the name of the answer. It is no name of a tool: where small models choose
// between tools and an answer by the value of one name, they answer at once.
const answerName = "answer"

// answered returns an answer in the form.
func answered(text string) string {
	text = model.ValidText(text)
	value := printable.JSONText(text)
	if strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
		value = compact(text)
	}
	return `{"` + answerName + `":` + value + `}`
}

// result returns the text of a tool's result, which cannot end its own element.
func (f *Form) result(label string, m model.Message) string {
	label = strings.ReplaceAll(cmp.Or(label, m.Name), `"`, "'")
	text := strings.ReplaceAll(strings.TrimSpace(m.Text), "</result>", `<\/result>`)
	text = "<result of=\"" + label + "\">\n" + text + "\n</result>"
	for _, t := range f.Tools {
		if t.Name == m.Name && t.Next != nil {
			text = strings.TrimSpace(text + "\n" + t.Next(m.Text))
		}
	}
	return text
}

// compact returns JSON on one line.
func compact(text string) string { return string(model.JSONArguments(text)) }
