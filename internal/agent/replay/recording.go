// Package replay records the answers of a model and plays them back: an HTTP
// transport wraps that of a chat-completions server, or replaces it.
//
// A recording is readable and editable JSON Lines: a header with version and
// model, then one line per turn with the messages added since the previous turn
// ("expect") and the model's answer ("reply"). It contains no system text, tool
// descriptions or ephemeral messages, so that it survives changes of their
// wording.
package replay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"skills/internal/agent/model"
)

const (
	version      = 1
	maxRecording = 64 << 20 // bytes of one recording
	maxLine      = 16 << 20
)

// ErrTooLarge is returned for a recording that exceeds the size limit.
var ErrTooLarge = errors.New("it is larger than a replay reads")

type header struct {
	Version int    `json:"version"`
	Model   string `json:"model"`
}

type turn struct {
	Turn   int       `json:"turn"`
	Expect []message `json:"expect"`
	Reply  reply     `json:"reply"`
}

// message is a message that the user or a tool added to the conversation.
type message struct {
	Role model.Role `json:"role"`
	Name string     `json:"name,omitempty"` // of a tool message: the name of the tool
	Text string     `json:"text"`
}

func (m message) describe() string {
	if m.Role == model.User {
		return "the user message"
	}
	return "the result of " + m.Name
}

type reply struct {
	Text           string       `json:"text,omitempty"`
	Reasoning      string       `json:"reasoning_content,omitempty"`
	ReasoningField string       `json:"reasoning_field,omitempty"`
	Fields         model.Fields `json:"fields,omitempty"`
	Calls          []call       `json:"tool_calls,omitempty"`
	Items          []model.Item `json:"items,omitempty"` // order of a reply of the Responses API
	Usage          *model.Usage `json:"usage,omitempty"`
	Finish         string       `json:"finish,omitempty"`
}

type call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // a string if not valid JSON
	Extra     model.RawJSON   `json:"extra_content,omitempty"`
}

type request struct {
	Model    string           `json:"model"`
	Messages []requestMessage `json:"messages"`
}

type requestMessage struct {
	Role      model.Role      `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m requestMessage) text() string {
	var s string
	var parts []json.RawMessage
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return string(m.Content)
	}
	var lines []string
	for _, raw := range parts { // of other parts than text a digest is enough
		var part struct{ Type, Text string }
		_ = json.Unmarshal(raw, &part)
		if part.Type != "text" {
			part.Text = fmt.Sprintf("[%s %x]", part.Type, sha256.Sum256(raw))
		}
		lines = append(lines, part.Text)
	}
	return strings.Join(lines, "\n")
}

// same reports whether two messages are the same one. A result keeps its call
// when a compaction replaces its text.
func (m requestMessage) same(n requestMessage) bool {
	return m.CallID != "" && m.CallID == n.CallID || reflect.DeepEqual(m, n)
}

// follower finds the messages added to a conversation between requests.
type follower struct {
	list   []Placeholder
	mask   func(string) string // may be nil
	before []requestMessage
}

func (f *follower) placeholders() placeholders { return newPlaceholders(f.list) }

// hidden returns a text as it is written to a recording.
func (f *follower) hidden(text string) string {
	text = f.placeholders().hide(text)
	if f.mask != nil {
		text = f.mask(text)
	}
	return text
}

// newMessages returns the new messages of users and tools since the previous
// request.
func (f *follower) newMessages(messages []requestMessage) []message {
	n := 0
	for n < min(len(messages), len(f.before)) && messages[n].same(f.before[n]) {
		n++
	}
	f.before = messages
	names := map[string]string{}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
	}
	added := []message{}
	for _, m := range messages[n:] {
		if m.Role == model.User || m.Role == model.ToolRole {
			added = append(added, message{Role: m.Role, Name: names[m.CallID], Text: f.hidden(m.text())})
		}
	}
	return added
}

// read reads a complete recording; its errors name the line.
func read(r io.Reader) (modelName string, turns []turn, err error) {
	scanner := bufio.NewScanner(io.LimitReader(r, maxRecording+1))
	scanner.Buffer(nil, maxLine)
	var head header
	line, size, headed := 0, 0, false
	for err == nil && scanner.Scan() {
		line++
		size += len(scanner.Bytes()) + 1
		text := bytes.TrimSpace(scanner.Bytes())
		switch {
		case size > maxRecording:
			err = fmt.Errorf("it is larger than %d bytes", maxRecording)
		case len(text) == 0:
		case !headed:
			err = decodeLine(text, &head)
			if err == nil && head.Version != version {
				err = fmt.Errorf("version %d, known is %d", head.Version, version)
			}
			headed = err == nil
		default:
			var t turn
			err = decodeLine(text, &t)
			if err == nil && t.Turn != len(turns)+1 {
				err = fmt.Errorf("turn %d is in the place of turn %d", t.Turn, len(turns)+1)
			}
			turns = append(turns, t)
		}
	}
	if err == nil && scanner.Err() != nil {
		line++
		err = scanner.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("it is longer than %d bytes", maxLine)
		}
	}
	if err != nil && !headed {
		err = fmt.Errorf("header: %w", err)
	}
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("reading recording, line %d: %w", line, err)
	case len(turns) == 0:
		return "", nil, errors.New("reading recording: it contains no turns")
	}
	return head.Model, turns, nil
}

// IsRecording reports whether r starts like a recording of any version. It does
// not check the turns.
func IsRecording(r io.Reader) bool {
	scanner := bufio.NewScanner(r) // a header is a short line
	for scanner.Scan() {
		if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
			var h header
			return decodeLine(text, &h) == nil && h.Version > 0
		}
	}
	return false
}

func decodeLine(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the line is cut off")
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text after the object of the line")
	}
	return nil
}
