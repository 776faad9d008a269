package constrained

// What the model reads about the form. It is short, because small models have small
// contexts, and because they follow the last thing they read.

import (
	"encoding/json"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// maxDescription is how many characters of a tool's description are listed.
const maxDescription = 300

// systemText returns the lines about the form and the tools. What the instructions explain
// is listed without a description.
func (f *Form) systemText(instructions string, answer json.RawMessage) string {
	lines := []string{"Tools:"}
	for _, t := range f.Tools {
		line := "- " + t.Name + "(" + strings.Join(parameters(t), ", ") + ")"
		if !strings.Contains(instructions, "`"+t.Name+"`") {
			line += ": " + printable.Truncate(oneLine(t.Description), maxDescription)
		}
		lines = append(lines, line)
	}
	lines = append(lines, "",
		`Reply with one JSON object only: {"name": TOOL, "arguments": {…}} to call a tool, whose result comes in the next message, `+
			`{"calls": [CALL, …]} for several calls, or {"answer": TEXT} when everything is done.`)
	text := strings.Join(lines, "\n")
	if answer != nil {
		text += "\n\nThe value of " + answerName + " is JSON that matches this schema: " + compact(string(answer))
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func parameters(t model.Tool) (names []string) {
	for _, field := range model.ChoiceOf(t.Schema) {
		name := field.Name
		if !field.Required {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// reminder answers a reply that is not in the form.
func (f *Form) reminder(reason string) string {
	text := "Your reply cannot be used. " + reason + " Reply with one JSON object and nothing else: " + answered("TEXT") + " for the final answer"
	if f.Closing || len(f.Tools) == 0 {
		return text + "."
	}
	return text + ", or a call, such as " + f.Words[0].Example()
}
