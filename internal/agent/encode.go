package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// encoder turns requests into their JSON. Each request of a conversation
// repeats the one before it, so what that one held is kept in its encoded form
// and only what is new is encoded: a long conversation would otherwise be
// encoded whole, and the arguments of all its calls checked, once a turn.
//
// It is safe for concurrent use; runs that share one gain less from it.
type encoder struct {
	mu       sync.Mutex
	system   string
	messages []Message // of the last request, the system text in the place of its message
	full     [][]byte  // their JSON, in blocks that are only ever appended to,
	text     []byte    // and the last of them
	one      []byte    // the message that is being encoded
	tools    []Tool
	list     []byte // the tools
}

// encode returns the body of a request. The last tails of its messages are
// those that the next request will not repeat. usage asks a stream for its
// usage.
func (e *encoder) encode(r Request, tails int, stream, usage bool) (body, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	kept := len(r.Messages) - tails
	if err := e.addMessages(r.Instructions, r.Messages[:kept]); err != nil {
		return body{}, err
	}
	if err := e.setTools(r.Tools); err != nil {
		return body{}, err
	}
	rest, err := e.rest(r, kept, stream, usage)
	if err != nil {
		return body{}, err
	}
	pieces := append([][]byte{[]byte(`{"messages":[`)}, e.full...)
	pieces = append(pieces, slices.Clip(e.text), rest)
	if len(r.Tools) > 0 {
		pieces = append(pieces, []byte(`,"tools":[`), e.list, []byte(`]`))
	}
	return newBody(append(pieces, []byte(`}`))...), nil
}

// rest is what is new in each request: the tails, and what follows the messages.
func (e *encoder) rest(r Request, kept int, stream, usage bool) ([]byte, error) {
	var rest []byte
	for i, m := range r.Messages[kept:] {
		if len(e.messages) > 0 || i > 0 {
			rest = append(rest, ',')
		}
		var err error
		if rest, err = appendMessage(rest, wireMessage(m)); err != nil {
			return nil, err
		}
	}
	model, err := json.Marshal(r.Model)
	if err != nil {
		return nil, fmt.Errorf("encoding model: %w", err)
	}
	rest = append(append(rest, `],"model":`...), model...)
	if stream {
		rest = append(rest, `,"stream":true`...)
	}
	if usage {
		rest = append(rest, `,"stream_options":{"include_usage":true}`...)
	}
	return rest, nil
}

// block is how much room a new block has.
const block = 32 << 10

// addMessages has the blocks hold the messages of a request. Where it does not
// go on from the one before it, they are begun anew, elsewhere: a body that is
// still on its way reads the old ones.
func (e *encoder) addMessages(instructions string, messages []Message) error {
	first := 0
	if instructions != "" {
		first = 1
	}
	if e.system != instructions || !e.goesOn(first, messages) {
		e.system, e.messages, e.full, e.text = instructions, nil, nil, nil
	}
	if first == 1 && len(e.messages) == 0 {
		text := validText(instructions)
		if err := e.add(Message{}, sentMessage{Role: "system", Content: &text}); err != nil {
			return err
		}
	}
	for _, m := range messages[len(e.messages)-first:] {
		if err := e.add(m, wireMessage(m)); err != nil {
			return err
		}
	}
	return nil
}

// goesOn reports whether messages begin with those of the last request, which
// begin at first.
func (e *encoder) goesOn(first int, messages []Message) bool {
	known := e.messages[min(first, len(e.messages)):]
	if len(known) > len(messages) {
		return false
	}
	for i, m := range known {
		if !sameOnWire(m, messages[i]) {
			return false
		}
	}
	return true
}

// add adds a message; an error leaves the blocks empty.
func (e *encoder) add(m Message, sent sentMessage) error {
	e.one = e.one[:0]
	if len(e.messages) > 0 {
		e.one = append(e.one, ',')
	}
	var err error
	if e.one, err = appendMessage(e.one, sent); err != nil {
		e.messages, e.full, e.text = nil, nil, nil
		return err
	}
	if len(e.text)+len(e.one) > cap(e.text) {
		if len(e.text) > 0 {
			e.full = append(e.full, slices.Clip(e.text))
		}
		e.text = make([]byte, 0, max(block, len(e.one)))
	}
	e.text = append(e.text, e.one...)
	e.messages = append(e.messages, m)
	return nil
}

// appendMessage appends a message's JSON.
func appendMessage(to []byte, m sentMessage) ([]byte, error) {
	out := bytes.NewBuffer(to)
	j := json.NewEncoder(out)
	j.SetEscapeHTML(false)
	if err := j.Encode(m); err != nil {
		return nil, fmt.Errorf("encoding message: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// setTools has list hold the tools; a run sends the same ones each turn.
func (e *encoder) setTools(tools []Tool) error {
	if len(tools) == 0 || len(tools) == len(e.tools) && &tools[0] == &e.tools[0] {
		return nil
	}
	e.tools, e.list = nil, nil
	for i, tool := range tools {
		data, err := wireTool(tool).MarshalJSON()
		if err != nil {
			return fmt.Errorf("encoding tool %s: %w", tool.Name, err)
		}
		if i > 0 {
			e.list = append(e.list, ',')
		}
		e.list = append(e.list, data...)
	}
	e.tools = tools
	return nil
}

// sameOnWire reports whether two messages are sent in the same form. Equal
// strings of one conversation are the same memory, which makes this cheap.
func sameOnWire(a, b Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Reasoning == b.Reasoning && a.CallID == b.CallID && slices.Equal(a.Calls, b.Calls)
}
