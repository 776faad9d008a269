package agent

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
)

// encoded is a request's body in one piece.
func encoded(e *encoder, r Request, tails int, stream bool) (string, error) {
	b, err := e.encode(r, tails, stream, stream)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(iotest.OneByteReader(b.open()))
	if err == nil && int64(len(data)) != b.size {
		err = fmt.Errorf("%d bytes, told are %d", len(data), b.size)
	}
	return string(data), err
}

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
		got, err := encoded(e, r, random.IntN(min(3, len(r.Messages)+1)), stream)
		if err != nil {
			t.Fatal(err)
		}
		want, err := encoded(new(encoder), r, 0, stream)
		if err != nil || got != want {
			t.Fatalf("request %d: got %s\nwant %s, %v", i, got, want, err)
		}
	}
}

// A body that is still on its way does not change, whatever is encoded after
// it.
func TestEncodedBodiesAreSeparate(t *testing.T) {
	for tails := range 3 {
		e := &encoder{}
		r := Request{Model: "m", Messages: []Message{{Role: User, Text: "one"}, {Role: User, Text: "tail"}}}
		first, err := e.encode(r, tails, false, false)
		if err != nil {
			t.Fatal(err)
		}
		before, err := io.ReadAll(first.open())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"more", "less", "more and more"} {
			r.Messages = []Message{{Role: User, Text: "one"}, {Role: User, Text: text}}
			if _, err := e.encode(r, tails, false, false); err != nil {
				t.Fatal(err)
			}
			if after, err := io.ReadAll(first.open()); err != nil || string(after) != string(before) {
				t.Errorf("%d tails: got %s, %v, want %s", tails, after, err, before)
			}
		}
	}
}
