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
	messages []Message // of the last request,
	ends     []int     // where each of them ends
	text     []byte    // in this, the system text included; only ever appended to
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
	pieces := [][]byte{[]byte(`{"messages":[`), slices.Clip(e.text), rest}
	if len(r.Tools) > 0 {
		pieces = append(pieces, []byte(`,"tools":[`), e.list, []byte(`]`))
	}
	return newBody(append(pieces, []byte(`}`))...), nil
}

// rest is what is new in each request: the tails, and what follows the messages.
func (e *encoder) rest(r Request, kept int, stream, usage bool) ([]byte, error) {
	var rest []byte
	for i, m := range r.Messages[kept:] {
		if len(e.text) > 0 || i > 0 {
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

// addMessages has text hold the messages of a request.
func (e *encoder) addMessages(instructions string, messages []Message) error {
	if e.text == nil || e.system != instructions {
		e.text, e.messages, e.ends = []byte{}, nil, nil
		e.system = instructions
		if instructions != "" {
			e.messages = append(e.messages, Message{})
			text := validText(instructions)
			if err := e.add(sentMessage{Role: "system", Content: &text}); err != nil {
				return err
			}
		}
	}
	first := 0
	if instructions != "" {
		first = 1
	}
	known := e.messages[first:]
	n := 0
	for n < len(known) && n < len(messages) && sameOnWire(known[n], messages[n]) {
		n++
	}
	if n < len(known) {
		e.cut(first + n)
	}
	for _, m := range messages[n:] {
		e.messages = append(e.messages, m)
		if err := e.add(wireMessage(m)); err != nil {
			return err
		}
	}
	return nil
}

// cut keeps the first n messages. A body that is still on its way may read what
// follows them, so what is written next is written elsewhere.
func (e *encoder) cut(n int) {
	clear(e.messages[n:])
	e.messages, e.ends = e.messages[:n], e.ends[:n]
	end := 0
	if n > 0 {
		end = e.ends[n-1]
	}
	e.text = append([]byte{}, e.text[:end]...)
}

func (e *encoder) add(m sentMessage) error {
	if len(e.ends) > 0 {
		e.text = append(e.text, ',')
	}
	text, err := appendMessage(e.text, m)
	if err != nil {
		e.text = nil // begin anew
		return err
	}
	e.text = text
	e.ends = append(e.ends, len(e.text))
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
	return a.Role == b.Role && a.Text == b.Text && a.CallID == b.CallID && slices.Equal(a.Calls, b.Calls)
}
