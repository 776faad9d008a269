package model

import (
	"slices"
	"strings"
)

// Families of models refuse a user message after the result of a tool, or after another
// user message: their chat templates check that the roles alternate. A conversation is
// therefore sent with such messages folded into the message before them, where a tag says
// what providers and the agent added. What the user says is never folded into the result
// of a tool, which could then claim to hold it too. The conversation itself, sessions and
// recordings keep the messages apart.
//
// What is folded depends only on the messages before it, so the beginning of a request is
// that of the one before, and servers find it in their caches.

// fold returns the messages in an order of roles that every chat template accepts.
func fold(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if m.Role != Assistant && m.Role != ToolRole {
			m.Role = User // many servers take one system message only, the instructions
		}
		last := len(out) - 1
		context := m.Added() && len(m.Parts) == 0 // the result of a tool holds text only
		switch {
		case last < 0 || m.Role != User || out[last].Role == Assistant:
			out = append(out, m)
		case out[last].Role == ToolRole && !context:
			out = append(out, Message{Role: Assistant, Source: FromContext, Text: endedText}, m)
		default:
			out[last].Text = joined(out[last].Text, m.Tagged())
			out[last].Parts = slices.Concat(out[last].Parts, m.Parts)
		}
	}
	return out
}

// endedText stands between the result of a tool and a message of the user.
const endedText = "(The run ended here.)"

// Added reports whether a message is from a provider or the agent, also if a history
// loaded it.
func (m Message) Added() bool { return m.Source == FromContext || m.Provider != "" }

// Tagged returns the text of a message for the end of another one.
func (m Message) Tagged() string {
	text := strings.TrimSpace(m.Text)
	if text == "" || !m.Added() {
		return m.Text
	}
	return "<context>\n" + text + "\n</context>"
}

func joined(text, more string) string {
	return strings.Join(slices.DeleteFunc([]string{text, more}, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}
