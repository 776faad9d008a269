package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A recording is JSON Lines that a person can read and edit: a header with
// version and model, then one line a turn with what the conversation gained
// since the turn before ("expect") and what the model answered ("reply").
// System text, tool descriptions and tails are not in it, so that a recording
// survives changes of wording there.
const (
	recordingVersion = 1
	maxRecording     = 64 << 20 // bytes of one recording
	maxRecordedLine  = 16 << 20
)

type recordedHeader struct {
	Version int    `json:"version"`
	Model   string `json:"model"`
}

type recordedTurn struct {
	Turn   int               `json:"turn"`
	Expect []recordedMessage `json:"expect"`
	Reply  recordedReply     `json:"reply"`
}

type recordedMessage struct {
	Role Role   `json:"role"`
	Name string `json:"name,omitempty"` // a tool message: the tool's name
	Text string `json:"text"`
}

type recordedReply struct {
	Text      string         `json:"text,omitempty"`
	Reasoning string         `json:"reasoning_content,omitempty"`
	Calls     []recordedCall `json:"tool_calls,omitempty"`
	Usage     *Usage         `json:"usage,omitempty"`
	Finish    string         `json:"finish,omitempty"`
}

type recordedCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // an object; a string for what is none
	Extra     RawJSON         `json:"extra_content,omitempty"`
}

// heard is a request as a transport finds it.
type heard struct {
	Model    string         `json:"model"`
	Stream   bool           `json:"stream"`
	Messages []heardMessage `json:"messages"`
}

type heardMessage struct {
	Role      Role            `json:"role"`
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

func (m heardMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) != nil {
		return string(m.Content)
	}
	return s
}

func (m heardMessage) equal(o heardMessage) bool {
	return m.Role == o.Role && m.CallID == o.CallID && bytes.Equal(m.Content, o.Content) &&
		slices.Equal(m.ToolCalls, o.ToolCalls)
}

// follower finds what a conversation gained from request to request.
type follower struct {
	places placeholders
	mask   func(string) string // nil for none
	before []heardMessage
}

// hidden is a text as a recording has it.
func (f *follower) hidden(text string) string {
	text = f.places.hide(text)
	if f.mask != nil {
		text = f.mask(text)
	}
	return text
}

// gained returns what the request has over the one that was last committed,
// apart from the model's own messages, the system text and the tails.
func (f *follower) gained(messages []heardMessage, tails int) []recordedMessage {
	messages = kept(messages, tails)
	n := 0
	for n < len(messages) && n < len(f.before) && messages[n].equal(f.before[n]) {
		n++
	}
	names := map[string]string{}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
	}
	gained := []recordedMessage{}
	for _, m := range messages[n:] {
		if m.Role == User || m.Role == ToolRole {
			gained = append(gained, recordedMessage{Role: m.Role, Name: names[m.CallID], Text: f.hidden(m.text())})
		}
	}
	return gained
}

func (f *follower) commit(messages []heardMessage, tails int) { f.before = kept(messages, tails) }

func kept(messages []heardMessage, tails int) []heardMessage {
	return messages[:max(0, len(messages)-tails)]
}

// readRecording reads a whole recording; its errors name the line.
func readRecording(r io.Reader) (model string, turns []recordedTurn, err error) {
	limited := &limitedReader{r: r, left: maxRecording}
	scanner := bufio.NewScanner(limited)
	scanner.Buffer(nil, maxRecordedLine)
	line, headed := 0, false
	for scanner.Scan() {
		line++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		if !headed {
			var header recordedHeader
			if err := decodeLine(text, &header); err != nil {
				return "", nil, fmt.Errorf("reading recording, line %d (header): %w", line, err)
			}
			if header.Version != recordingVersion {
				return "", nil, fmt.Errorf("reading recording, line %d (header): version %d, known is %d", line, header.Version, recordingVersion)
			}
			model, headed = header.Model, true
			continue
		}
		var turn recordedTurn
		if err := decodeLine(text, &turn); err != nil {
			return "", nil, fmt.Errorf("reading recording, line %d: %w", line, err)
		}
		if turn.Turn != len(turns)+1 {
			return "", nil, fmt.Errorf("reading recording, line %d: turn %d stands where turn %d belongs", line, turn.Turn, len(turns)+1)
		}
		turns = append(turns, turn)
	}
	switch err := scanner.Err(); {
	case errors.Is(err, errTooLarge):
		return "", nil, fmt.Errorf("reading recording: it is larger than %d bytes", maxRecording)
	case errors.Is(err, bufio.ErrTooLong):
		return "", nil, fmt.Errorf("reading recording, line %d: it is longer than %d bytes", line+1, maxRecordedLine)
	case err != nil:
		return "", nil, fmt.Errorf("reading recording, line %d: %w", line+1, err)
	case len(turns) == 0:
		return "", nil, errors.New("reading recording: it holds no turns")
	}
	return model, turns, nil
}

// IsRecording reports whether what r holds begins as a recording does, of this
// or another version. It says nothing of the turns.
func IsRecording(r io.Reader) bool {
	scanner := bufio.NewScanner(r) // a header is a short line
	for scanner.Scan() {
		if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
			var header recordedHeader
			return decodeLine(text, &header) == nil && header.Version > 0
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
		return errors.New("there is more after the line's object")
	}
	return nil
}
