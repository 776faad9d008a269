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
	text     []byte    // in this, the system text included
	tools    []Tool
	list     []byte // the tools
}

// encode returns the body of a request. usage asks a stream for its usage.
func (e *encoder) encode(r Request, stream, usage bool) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.addMessages(r); err != nil {
		return nil, err
	}
	if err := e.setTools(r.Tools); err != nil {
		return nil, err
	}
	model, err := json.Marshal(r.Model)
	if err != nil {
		return nil, fmt.Errorf("encoding model: %w", err)
	}
	// A new body each time: the last one may still be on its way.
	body := make([]byte, 0, len(e.text)+len(model)+len(e.list)+128)
	body = append(body, `{"messages":[`...)
	body = append(body, e.text...)
	body = append(append(body, `],"model":`...), model...)
	if stream {
		body = append(body, `,"stream":true`...)
	}
	if usage {
		body = append(body, `,"stream_options":{"include_usage":true}`...)
	}
	if len(r.Tools) > 0 {
		body = append(append(append(body, `,"tools":[`...), e.list...), ']')
	}
	return append(body, '}'), nil
}

// addMessages has text hold the messages of a request.
func (e *encoder) addMessages(r Request) error {
	if e.text == nil || e.system != r.Instructions {
		e.text, e.messages, e.ends = []byte{}, nil, nil
		e.system = r.Instructions
		if r.Instructions != "" {
			e.messages = append(e.messages, Message{})
			text := validText(r.Instructions)
			if err := e.add(sentMessage{Role: "system", Content: &text}); err != nil {
				return err
			}
		}
	}
	first := 0
	if r.Instructions != "" {
		first = 1
	}
	known := e.messages[first:]
	n := 0
	for n < len(known) && n < len(r.Messages) && sameOnWire(known[n], r.Messages[n]) {
		n++
	}
	n += first
	clear(e.messages[n:])
	e.messages, e.ends = e.messages[:n], e.ends[:n]
	e.text = e.text[:e.end()]
	for _, m := range r.Messages[n-first:] {
		e.messages = append(e.messages, m)
		if err := e.add(wireMessage(m)); err != nil {
			return err
		}
	}
	return nil
}

// end is where the last message ends.
func (e *encoder) end() int {
	if len(e.ends) == 0 {
		return 0
	}
	return e.ends[len(e.ends)-1]
}

func (e *encoder) add(m sentMessage) error {
	if len(e.ends) > 0 {
		e.text = append(e.text, ',')
	}
	out := bytes.NewBuffer(e.text)
	j := json.NewEncoder(out)
	j.SetEscapeHTML(false)
	if err := j.Encode(m); err != nil {
		e.text = nil // begin anew
		return fmt.Errorf("encoding message: %w", err)
	}
	e.text = bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	e.ends = append(e.ends, len(e.text))
	return nil
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
