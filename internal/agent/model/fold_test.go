package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said returns a message of the user, and addedText one of a provider.
func said(text string, parts ...Part) Message {
	return Message{Role: User, Source: FromUser, Text: text, Parts: parts}
}

func addedText(text string) Message {
	return Message{Role: User, Source: FromContext, Provider: "todo", Text: text}
}

func replied(text string) Message { return Message{Role: Assistant, Source: FromModel, Text: text} }

func called(id string) Message {
	return Message{Role: Assistant, Source: FromModel, Calls: []ToolCall{{ID: id, Name: "f"}}}
}

func result(id, text string) Message {
	return Message{Role: ToolRole, Source: FromTool, CallID: id, Name: "f", Text: text}
}

// TestFold checks in which order and with which texts messages are sent.
func TestFold(t *testing.T) {
	picture, table := Part{Name: "a.png", Type: "image/png"}, Part{Name: "b.csv", Type: PlainText}
	earlier := addedText("kept")
	earlier.Source = FromHistory
	for _, tt := range []struct {
		name     string
		messages []Message
		want     []string // role: text +files
	}{
		{"none", nil, nil},
		{"alternating", []Message{said("a"), replied("b"), said("c")}, []string{"user: a", "assistant: b", "user: c"}},
		{"context first", []Message{addedText("list"), said("a")}, []string{"user: list\n\na"}},
		{"context after the user", []Message{said("a"), addedText("list\n")}, []string{"user: a\n\n<context>\nlist\n</context>"}},
		{"context after the model", []Message{said("a"), replied("b"), addedText("list")}, []string{"user: a", "assistant: b", "user: list"}},
		{"context after a result", []Message{said("a"), called("1"), result("1", "out"), addedText("list")},
			[]string{"user: a", "assistant: ", "tool: out\n\n<context>\nlist\n</context>"}},
		{"context after results", []Message{called("1"), result("1", "one"), result("2", "two"), addedText("x"), addedText("y")},
			[]string{"assistant: ", "tool: one", "tool: two\n\n<context>\nx\n</context>\n\n<context>\ny\n</context>"}},
		{"context after an empty result", []Message{called("1"), result("1", ""), addedText("list")}, []string{"assistant: ", "tool: <context>\nlist\n</context>"}},
		{"context of an earlier run", []Message{called("1"), result("1", "out"), earlier}, []string{"assistant: ", "tool: out\n\n<context>\nkept\n</context>"}},
		{"empty context", []Message{called("1"), result("1", "out"), addedText(" \n")}, []string{"assistant: ", "tool: out"}},
		{"user after the user", []Message{said("a"), said("b"), said("c")}, []string{"user: a\n\nb\n\nc"}},
		{"user after a result", []Message{called("1"), result("1", "out"), said("go on"), addedText("list")},
			[]string{"assistant: ", "tool: out", "assistant: " + endedText, "user: go on\n\n<context>\nlist\n</context>"}},
		{"user after context after a result", []Message{called("1"), result("1", "out"), addedText("list"), said("go on")},
			[]string{"assistant: ", "tool: out\n\n<context>\nlist\n</context>", "assistant: " + endedText, "user: go on"}},
		{"files", []Message{said("a", picture), said("", table), addedText("list")}, []string{"user: a\n\n<context>\nlist\n</context> +a.png +b.csv"}},
		{"files after a result", []Message{called("1"), result("1", "out"), {Role: User, Source: FromContext, Text: "see", Parts: []Part{picture}}},
			[]string{"assistant: ", "tool: out", "assistant: " + endedText, "user: see +a.png"}},
		{"other roles", []Message{{Role: System, Text: "a"}, {Role: "developer", Text: "b"}}, []string{"user: a\n\nb"}},
		{"two replies", []Message{replied("a"), replied("b")}, []string{"assistant: a", "assistant: b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.messages)
			var got []string
			for i, m := range fold(tt.messages) {
				line := string(m.Role) + ": " + m.Text
				for _, p := range m.Parts {
					line += " +" + p.Name
				}
				got = append(got, line)
				if m.Role == ToolRole && m.CallID == "" {
					t.Errorf("message %d has lost its call: %+v", i, m)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.messages); diff != "" {
				t.Errorf("the conversation was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestFoldedPrefix checks that each request begins with the bytes of the one before it, but
// for the message that its ephemeral text was folded into, and loses no text.
func TestFoldedPrefix(t *testing.T) {
	conversation := []Message{
		addedText("a skill"), said("first", Part{Name: "a.txt", Type: PlainText, Data: []byte("data")}), addedText("another skill"),
		called("1"), result("1", "one"), addedText("your reply was empty"), called("2"), result("2", "two"), result("3", "three"),
		replied("done"), said("second"), called("4"), result("4", "four"), said("third"), replied("at last"),
	}
	encoded := func(messages ...Message) (sent []json.RawMessage) {
		raw, err := newParams(Request{Messages: messages}, false, false).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Fatal(err)
		}
		return body.Messages
	}
	whole := encoded(conversation...)
	for n := range conversation {
		ephemeral := addedText("the list")
		for name, sent := range map[string][]json.RawMessage{"kept": encoded(conversation[:n]...), "ephemeral": encoded(slices.Concat(conversation[:n], []Message{ephemeral})...)} {
			for i, m := range sent[:max(0, len(sent)-1)] {
				if !bytes.Equal(m, whole[i]) {
					t.Errorf("%s, %d messages: number %d is\n%s\nand later\n%s", name, n, i+1, m, whole[i])
				}
			}
		}
	}
	all := ""
	for _, m := range whole {
		all += string(m) + "\n"
	}
	for _, m := range conversation {
		if text, _ := json.Marshal(m.Text); !strings.Contains(all, strings.Trim(string(text), `"`)) {
			t.Errorf("%q is not sent:\n%s", m.Text, all)
		}
	}
}
