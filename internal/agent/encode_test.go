package agent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever was encoded before, a request has the bytes that it has alone.
func TestEncoderRemembersRightly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string { return fmt.Sprintf("text %d \" <ü> \xff", random.IntN(4)) }
	e := &encoder{}
	sets := [][]Tool{nil, {{Name: "f"}}, {{Name: "f", Description: "other"}, {Name: "g", Schema: map[string]any{"type": "object"}}}}
	r := Request{Model: "m"}
	for i := range 2000 {
		// The conversation grows, loses its tails, changes somewhere, or is another one.
		r.Messages = slices.Clone(r.Messages[:max(0, len(r.Messages)-random.IntN(3))])
		for range random.IntN(4) {
			r.Messages = append(r.Messages,
				Message{Role: User, Text: text()},
				Message{Role: Assistant, Text: text(), Calls: []ToolCall{{ID: text(), Name: "f", Arguments: `{"a":1}`}}},
				Message{Role: ToolRole, CallID: text(), Text: text()})
		}
		if len(r.Messages) > 0 {
			switch m := &r.Messages[random.IntN(len(r.Messages))]; random.IntN(8) {
			case 0:
				m.Text = text()
			case 1:
				m.CallID = text()
			case 2:
				m.Calls = []ToolCall{{ID: "other", Name: "g", Arguments: text()}}
			case 3:
				r.Messages = r.Messages[:random.IntN(10)%len(r.Messages)]
			}
		}
		if random.IntN(10) == 0 {
			r.Instructions = []string{"", "one", "two"}[random.IntN(3)]
		}
		if random.IntN(10) == 0 {
			r.Tools = sets[random.IntN(3)]
		}
		stream := random.IntN(2) == 0
		got, err := e.encode(r, stream, stream)
		if err != nil {
			t.Fatal(err)
		}
		want, err := new(encoder).encode(r, stream, stream)
		if err != nil || string(got) != string(want) {
			t.Fatalf("request %d: got %s\nwant %s, %v", i, got, want, err)
		}
	}
}

// A body that is still on its way does not change.
func TestEncodedBodiesAreSeparate(t *testing.T) {
	e := &encoder{}
	r := Request{Model: "m", Messages: []Message{{Role: User, Text: "one"}, {Role: User, Text: "tail"}}}
	first, err := e.encode(r, false, false)
	if err != nil {
		t.Fatal(err)
	}
	before := string(first)
	r.Messages = []Message{{Role: User, Text: "one"}, {Role: User, Text: "more"}}
	if _, err := e.encode(r, false, false); err != nil || string(first) != before {
		t.Errorf("got %s, %v, want %s", first, err, before)
	}
}
