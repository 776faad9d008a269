package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent"
)

// interrupted is the result of a call that a run did not live to see the end
// of. Servers refuse a conversation in which a call has none.
var interrupted = agent.Refuse("the run was interrupted before this call ended.").Text

// content is what stands in a session file.
type content struct {
	messages []agent.Message // the conversation, every call with its result
	state    map[string]json.RawMessage
	lines    map[string]int  // where each state stands
	missing  []agent.Message // those at the end of messages that do not stand in the file yet
	size     int64           // up to here the file is whole lines
	torn     int             // bytes after that, of a write that was cut
	bare     bool            // the last line is whole but for its end
	open     []agent.ToolCall
}

// parse reads a session file. Errors are *Error without a path.
func parse(data []byte) (*content, error) {
	c := &content{state: map[string]json.RawMessage{}, lines: map[string]int{}}
	for n := 1; len(data) > 0; n++ {
		text, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole && !json.Valid(text) {
			if n == 1 && !bytes.HasPrefix(text, []byte(opening)) && !bytes.HasPrefix([]byte(opening), text) {
				return nil, foreign()
			}
			c.torn = len(text)
			break
		}
		if err := c.line(n, text); err != nil {
			return nil, err
		}
		c.size += int64(len(text))
		if c.bare = !whole; whole {
			c.size++
		}
		data = rest
	}
	c.missing = c.close()
	return c, nil
}

func foreign() error {
	return &Error{Text: "it is no session file, and is left as it is", Help: "name a file that is not there yet, or one that --session wrote", Err: ErrForeign}
}

// line takes one whole line.
func (c *content) line(n int, text []byte) error {
	if n == 1 {
		return c.header(text)
	}
	err := error(nil)
	switch kind := typeOf(text); {
	case len(text) > maxLine:
		err = fmt.Errorf("the line has %d bytes, which is more than %d", len(text), maxLine)
	case kind == typeMessage:
		var l messageLine
		if err = decode(text, &l); err == nil {
			err = c.message(l.Message)
		}
	case kind == typeState:
		var l stateLine
		if err = decode(text, &l); err == nil && (l.Key == "" || l.Value == nil) {
			err = errors.New("a state needs a key and a value")
		}
		c.state[l.Key], c.lines[l.Key] = l.Value, n
	case kind != "":
		err = fmt.Errorf("there is no line of the type %q", kind)
	default:
		err = errors.New("it cannot be read as a line of a session")
	}
	if err != nil {
		return damaged(n, err.Error())
	}
	return nil
}

func damaged(line int, text string) *Error {
	return &Error{Line: line, Text: text, Help: "nothing was changed; mend the line or take it out, or start another session", Err: ErrDamaged}
}

func (c *content) header(text []byte) error {
	var h header
	if typeOf(text) != typeHeader || !bytes.HasPrefix(text, []byte(opening)) {
		return foreign()
	}
	if err := json.Unmarshal(text, &h); err == nil && h.Version > version {
		return &Error{Text: fmt.Sprintf("it was written by a newer version of this program (schema %d)", h.Version), Help: "use that version", Err: ErrForeign}
	}
	if err := decode(text, &h); err != nil || h.Version != version {
		return foreign()
	}
	return nil
}

// message takes a message into the conversation and refuses one that no run
// could have added.
func (c *content) message(m agent.Message) error {
	switch {
	case !slices.Contains([]agent.Source{agent.FromUser, agent.FromContext, agent.FromModel, agent.FromTool}, m.Source):
		return fmt.Errorf("there is no source %q", m.Source)
	case m.Role != agent.Assistant && len(m.Calls) > 0:
		return fmt.Errorf("a message of the role %q calls no tools", m.Role)
	}
	switch m.Role {
	case agent.ToolRole:
		i := slices.IndexFunc(c.open, func(call agent.ToolCall) bool { return call.ID == m.CallID })
		if i < 0 {
			return fmt.Errorf("it answers the call %q, which is not waiting for an answer", m.CallID)
		}
		c.open = slices.Delete(c.open, i, i+1)
	case agent.User, agent.Assistant, agent.System:
		c.close()
		c.open = slices.Clone(m.Calls)
	default:
		return fmt.Errorf("there is no role %q", m.Role)
	}
	c.messages = append(c.messages, m)
	return nil
}

// close answers the calls that have no result, and puts the results into the
// order of the calls: of calls that ran side by side they were written as those
// ended.
func (c *content) close() []agent.Message {
	var added []agent.Message
	for _, call := range c.open {
		added = append(added, agent.Message{Role: agent.ToolRole, Source: agent.FromTool, Text: interrupted, CallID: call.ID, Name: call.Name})
	}
	c.messages, c.open = append(c.messages, added...), nil
	at := len(c.messages)
	for at > 0 && c.messages[at-1].Role == agent.ToolRole {
		at--
	}
	if at > 0 && len(c.messages)-at > 1 {
		number := map[string]int{}
		for i, call := range c.messages[at-1].Calls {
			number[call.ID] = i
		}
		slices.SortStableFunc(c.messages[at:], func(a, b agent.Message) int { return number[a.CallID] - number[b.CallID] })
	}
	return added
}
