package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/jsonlfile"
)

// The types of lines.
const (
	typeHeader  = "session"
	typeMessage = "message"
	typeState   = "state"
)

// version is the schema of the lines below.
const version = 1

// opening is how every session file begins.
const opening = `{"type":"session","schema_version":`

// header is the first line.
type header struct {
	Type    string `json:"type"`
	Version int    `json:"schema_version"`
	Created string `json:"created"`
}

// messageLine is a message as it joined the conversation.
type messageLine struct {
	Type string `json:"type"`
	agent.Message
}

// stateLine is the state of a provider from here on.
type stateLine struct {
	Type  string          `json:"type"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// decode reads a line into a record, strictly: a field there is not, and
// anything after the value, is damage.
func decode(text []byte, record any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(record); err != nil {
		return plain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one value on the line")
	}
	return nil
}

// plain says what is wrong with JSON in words of the file, not of this program.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // a number may be repeated
	if wrong.Field == "" {
		return fmt.Errorf("its value cannot be of the type %s", kind)
	}
	path := strings.Split(wrong.Field, ".")
	return fmt.Errorf("the value of %q cannot be of the type %s", path[len(path)-1], kind)
}

// typeOf returns the type of a line, "" for none. If it is
// first, as it is written, the line is not read for it.
func typeOf(text []byte) string {
	if rest, ok := bytes.CutPrefix(text, []byte(`{"type":"`)); ok {
		if kind, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return string(kind)
		}
	}
	var t struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(text, &t) != nil {
		return ""
	}
	return t.Type
}

// interrupted is the result of a call during which a run was killed. Servers
// refuse a conversation in which a call has none.
var interrupted = agent.Refuse("the run was interrupted before this call ended.").Text

// content is what a session file holds.
type content struct {
	messages []agent.Message // the conversation, every call with its result
	state    map[string]json.RawMessage
	lines    map[string]int  // of each state; nil without a header
	missing  []agent.Message // those at the end of messages that are not in the file yet
	open     []agent.ToolCall
}

// parse reads a session file, up to an incomplete last line. Errors are
// *jsonlfile.Error without a path.
func parse(data []byte) (*content, error) {
	c := &content{state: map[string]json.RawMessage{}}
	for n := 1; len(data) > 0; n++ {
		text, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole && !json.Valid(text) {
			if n == 1 && !bytes.HasPrefix(text, []byte(opening)) && !bytes.HasPrefix([]byte(opening), text) {
				return nil, foreign()
			}
			break
		}
		if err := c.line(n, text); err != nil {
			return nil, err
		}
		data = rest
	}
	c.missing = c.close()
	return c, nil
}

func foreign() error {
	return &jsonlfile.Error{Message: "it is not a session file, and is left unchanged", Help: "name a new file, or one that --session wrote", Err: jsonlfile.ErrForeign}
}

// line takes one whole line.
func (c *content) line(n int, text []byte) error {
	if n == 1 {
		c.lines = map[string]int{}
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
		err = fmt.Errorf("unknown line type %q", kind)
	default:
		err = errors.New("it is not a line of a session")
	}
	if err != nil {
		return damaged(n, err.Error())
	}
	return nil
}

func damaged(line int, text string) *jsonlfile.Error {
	return &jsonlfile.Error{Line: line, Message: text, Help: "nothing was changed; repair or remove the line, or start another session", Err: jsonlfile.ErrDamaged}
}

func (c *content) header(text []byte) error {
	var h header
	if typeOf(text) != typeHeader || !bytes.HasPrefix(text, []byte(opening)) {
		return foreign()
	}
	if err := json.Unmarshal(text, &h); err == nil && h.Version > version {
		return &jsonlfile.Error{Message: fmt.Sprintf("it was written by a newer version of this program (schema %d)", h.Version), Help: "use that version", Err: jsonlfile.ErrForeign}
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
	return nil
}

// close answers the calls that have no result, and puts the results into the
// order of the calls: of parallel calls they were written as those
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
