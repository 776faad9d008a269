package constrained

// A reply is read more leniently than its schema, because not every server holds it: calls
// in other forms are calls, and text that is not JSON may be an answer.

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
	"skills/internal/lazyregexp"
	"skills/internal/params"
)

// maxReply is the size of the longest reply that is read.
const maxReply = 1 << 20

// reply is the JSON of a reply.
type reply struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Calls     []reply         `json:"calls"`
	Answer    json.RawMessage `json:"answer"`
}

// Decode returns the reply with its call, its calls or its answer.
func (f *Form) Decode(r model.Reply) (model.Reply, model.Fault) {
	text := strings.TrimSpace(params.AnswerJSON(r.Text))
	switch {
	case len(r.Calls) > 0 || text == "":
		return r, model.Fault{}
	case len(text) > maxReply:
		return r, model.Fault{Kind: model.TooLong, Reason: "The reply is too long."}
	case text[0] != '{':
		return f.fromText(r)
	}
	var got reply
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&got); err != nil && !json.Valid([]byte(text)) {
		return f.broken(r, text)
	}
	calls := got.Calls
	switch {
	case got.Name == answerName && f.Words.Named(answerName) == nil:
		var final struct {
			Text json.RawMessage `json:"text"`
		}
		if json.Unmarshal(got.Arguments, &final) == nil && final.Text != nil {
			got.Answer = final.Text
		}
	case got.Name != "" && got.Arguments != nil:
		calls = append(calls, got)
	}
	switch {
	case len(calls) > 0:
		out := r
		out.Text = ""
		for _, c := range calls {
			meant, known := f.Words.Resolve(c.Name, argumentsText(c.Arguments))
			if !known {
				meant = textcalls.Call{Name: c.Name, Arguments: argumentsText(c.Arguments)}
			}
			call := model.ToolCall{Name: meant.Name, Arguments: meant.Arguments}
			if !slices.Contains(out.Calls, call) { // small models fill a list with the same call
				out.Calls = append(out.Calls, call)
			}
		}
		return out, model.Fault{}
	case got.Answer != nil:
		r.Text = answerText(got.Answer)
		return r, model.Fault{}
	}
	return f.fromText(r)
}

// broken returns the fault of a reply that begins like JSON and is not. If the server ended
// it, it may be complete with more room.
func (f *Form) broken(r model.Reply, text string) (model.Reply, model.Fault) {
	if r.Truncated() {
		return r, model.Fault{Kind: model.Cut, Reason: "The reply was cut off."}
	}
	out, fault := f.fromText(r)
	if len(out.Calls) == 0 && fault.Kind == model.NotInForm && strings.HasPrefix(text, "{\"") {
		fault.Kind = model.NotCall
	}
	return out, fault
}

// fromText reads a reply that is not in the form.
func (f *Form) fromText(r model.Reply) (model.Reply, model.Fault) {
	if f.IsAnswer != nil && f.IsAnswer(r.Text) {
		return r, model.Fault{}
	}
	calls, reason := textcalls.Read(r.Text, f.Words)
	for _, c := range calls {
		r.Text = ""
		r.Calls = append(r.Calls, model.ToolCall{Name: c.Name, Arguments: c.Arguments})
	}
	switch {
	case len(calls) > 0:
		return r, model.Fault{}
	case reason != "":
		return r, model.Fault{Kind: model.NotCall, Reason: reason, Reminder: f.reminder(reason)}
	}
	reason = "It is not one JSON object."
	return r, model.Fault{Kind: model.NotInForm, Reason: reason, Reminder: f.reminder(reason)}
}

// argumentsText returns arguments as an object, which may be in a string.
func argumentsText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return text
	}
	if string(bytes.TrimSpace(raw)) == "null" {
		return "{}"
	}
	return leadingSpace().ReplaceAllString(string(raw), `$1"$2`)
}

// leadingSpace matches a single space at the beginning of a short text, which is a habit of
// tokenizers.
var leadingSpace = lazyregexp.New(`([:\[,]\s*)" ([\pL\pN_./-][^"\\\n]{0,100}")`)

// answerText returns the text of an answer, which may be JSON itself.
func answerText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
