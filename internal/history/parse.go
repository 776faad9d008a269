package history

// A session file has a header, then lines of messages and states of providers in the order
// in which they were added. Later lines replace earlier states. A last line that was not
// written completely is dropped; anything else that is not a line of a session is an error,
// because the file would lose it.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history/jsonl"
)

// The types of lines.
const (
	typeHeader  = "session"
	typeMessage = "message"
	typeState   = "state"
)

// version is the schema version of the lines.
const version = 1

// opening is the start of every session file.
const opening = `{"type":"session","schema_version":`

// record is one line; its fields depend on its type.
type record struct {
	Type string `json:"type"`

	SchemaVersion int    `json:"schema_version,omitempty"` // in the header, the first line
	Created       string `json:"created,omitempty"`

	Key   string          `json:"key,omitempty"` // new state of a provider
	Value json.RawMessage `json:"value,omitempty"`

	*agent.Message // a message added to the conversation
}

func messageLines(messages []agent.Message) []any {
	var out []any
	for _, m := range messages {
		out = append(out, record{Type: typeMessage, Message: &m})
	}
	return out
}

// decode parses a line strictly: an unknown field, or anything after the value,
// is an error. The result contains what was decoded before the error.
func decode(text []byte) (r record, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return r, errors.New("the line is empty")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, plain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("there is more than one value on the line")
	}
	return r, nil
}

// plain returns a JSON error without Go type names.
func plain(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // contains the number
	if wrong.Field == "" {
		return fmt.Errorf("its value cannot be of the type %s", kind)
	}
	path := strings.Split(wrong.Field, ".")
	return fmt.Errorf("the value of %q cannot be of the type %s", path[len(path)-1], kind)
}

// interrupted is the result of a call during which a run was killed. Servers
// reject a conversation that has a call without a result.
var interrupted = agent.ErrorResult("the run was interrupted before this call ended.").Text

type content struct {
	path     string
	messages []agent.Message // the conversation, every call with a result
	state    map[string]json.RawMessage
	lines    map[string]int  // line of each state; nil without a header
	missing  []agent.Message // results at the end of messages that are not in the file yet
	open     []agent.ToolCall

	replaced map[string]json.RawMessage // earlier values of the states after the last message
	undone   []any                      // states to restore in the file
}

// parse reads a session file, ignoring an incomplete last line. The error is a
// *fault.Error.
func parse(path string, data []byte) (content, error) {
	c := content{path: path, state: map[string]json.RawMessage{}, replaced: map[string]json.RawMessage{}}
	for n := 1; len(data) > 0; n++ {
		text, rest, whole := bytes.Cut(data, []byte("\n"))
		torn := !whole && !json.Valid(text)
		isOpening := bytes.HasPrefix(text, []byte(opening)) || bytes.HasPrefix([]byte(opening), text)
		switch {
		case torn && n == 1 && !isOpening:
			return c, c.notSession()
		case torn:
			rest = nil
		case n == 1:
			if err := c.header(text); err != nil {
				return c, err
			}
		default:
			if err := c.line(n, text); err != nil {
				return c, c.damaged(n, "%v", err)
			}
		}
		data = rest
	}
	switch {
	case c.waits():
		c.sort()
		return c, nil
	case len(c.open) > 0:
		c.undo()
	}
	c.missing = c.close()
	return c, nil
}

// waits reports whether the run ended at a call that waits for an approval: its calls have
// no results yet, and nothing is missing.
func (c *content) waits() bool {
	waiting := agent.WaitingCalls(agent.RestoreSession(c.state))
	return slices.ContainsFunc(c.open, func(call agent.ToolCall) bool {
		return slices.ContainsFunc(waiting, func(w agent.Waiting) bool { return w.ID == call.ID })
	})
}

// undo restores the states that were stored after the last message. A killed run wrote
// them together with a result that is missing: the kernel may end a write between two
// pages.
func (c *content) undo() {
	for _, key := range slices.Sorted(maps.Keys(c.replaced)) {
		c.state[key] = c.replaced[key]
		c.undone = append(c.undone, record{Type: typeState, Key: key, Value: c.state[key]})
	}
}

func (c *content) notSession() error {
	const text, help = "it is not a session file, and is left unchanged", "name a new file, or one that --session wrote"
	return &fault.Error{Path: c.path, Message: text, Hint: help, Err: jsonl.ErrForeign}
}

func (c *content) damaged(line int, format string, args ...any) error {
	const help = "nothing was changed; repair or remove the line, or start another session"
	return &fault.Error{Path: c.path, Line: line, Message: fmt.Sprintf(format, args...), Hint: help, Err: jsonl.ErrDamaged}
}

func (c *content) header(text []byte) error {
	h, err := decode(text)
	switch {
	case bytes.HasPrefix(text, []byte(opening)) && h.SchemaVersion > version:
		text := fmt.Sprintf("it was written by a newer version of this program (schema %d)", h.SchemaVersion)
		return &fault.Error{Path: c.path, Message: text, Hint: "use that version", Err: jsonl.ErrForeign}
	case err != nil || h.SchemaVersion != version || !bytes.HasPrefix(text, []byte(opening)):
		return c.notSession()
	}
	c.lines = map[string]int{}
	return nil
}

// line parses one complete line after the first.
func (c *content) line(n int, text []byte) error {
	l, err := decode(text)
	switch {
	case len(text) > maxLine:
		return fmt.Errorf("the line has %d bytes, which is more than %d", len(text), maxLine)
	case err != nil:
		return err
	case l.Type == typeMessage && l.Message != nil:
		return c.message(*l.Message)
	case l.Type == typeState && l.Key != "" && l.Value != nil:
		if _, found := c.state[l.Key]; !found {
			c.state[l.Key] = json.RawMessage("null") // read as the initial state
		}
		if c.replaced[l.Key] == nil {
			c.replaced[l.Key] = c.state[l.Key]
		}
		c.state[l.Key], c.lines[l.Key] = l.Value, n
		return nil
	}
	return fmt.Errorf("it is not a complete line of a session (type %q)", l.Type)
}

// message adds a message and rejects one that no run could have added.
func (c *content) message(m agent.Message) error {
	switch {
	case !slices.Contains([]agent.Source{agent.FromUser, agent.FromContext, agent.FromModel, agent.FromTool}, m.Source):
		return fmt.Errorf("unknown source %q", m.Source)
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
		return fmt.Errorf("unknown role %q", m.Role)
	}
	c.messages = append(c.messages, m)
	clear(c.replaced)
	return nil
}

// close adds results for calls without one, and sorts all.
func (c *content) close() []agent.Message {
	var added []agent.Message
	for _, call := range c.open {
		added = append(added, agent.Message{Role: agent.ToolRole, Source: agent.FromTool, Text: interrupted, CallID: call.ID, Name: call.Name})
	}
	c.messages, c.open = append(c.messages, added...), nil
	c.sort()
	return added
}

// sort sorts the results at the end into the order of their calls.
func (c *content) sort() {
	at := len(c.messages)
	for at > 0 && c.messages[at-1].Role == agent.ToolRole {
		at--
	}
	number := func(m agent.Message) int {
		return slices.IndexFunc(c.messages[at-1].Calls, func(call agent.ToolCall) bool { return call.ID == m.CallID })
	}
	slices.SortStableFunc(c.messages[at:], func(a, b agent.Message) int { return number(a) - number(b) })
}
