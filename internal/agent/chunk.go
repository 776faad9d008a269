package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The forms of a reply, whole and in chunks. They are read with more patience
// than the library has, and in one pass: a field of a wrong type counts as
// absent, text may come in parts, arguments as an object.
type wireReply struct {
	Error   json.RawMessage `json:"error"`
	Choices []*wireChoice   `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
}

type wireChoice struct {
	Index   float64   `json:"index"`
	Message wireText  `json:"message"` // of a whole reply
	Delta   wireText  `json:"delta"`   // of a chunk
	Finish  looseText `json:"finish_reason"`
}

type wireText struct {
	Content looseText   `json:"content"`
	Refusal looseText   `json:"refusal"`
	Calls   []*wireCall `json:"tool_calls"`
}

type wireCall struct {
	Index    *float64  `json:"index"`
	ID       looseText `json:"id"`
	Function struct {
		Name      looseText `json:"name"`
		Arguments looseText `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name  looseText `json:"name"`
		Input looseText `json:"input"`
	} `json:"custom"`
}

// called returns the name and the arguments of a call.
func (c *wireCall) called() (name, arguments string) {
	if c.Function.Name == "" && c.Custom.Name != "" {
		return string(c.Custom.Name), string(c.Custom.Input)
	}
	return string(c.Function.Name), string(c.Function.Arguments)
}

// readWire reads a reply or a chunk. An error in its place is a *toldError;
// every other error is that of JSON.
func readWire(kind string, data []byte) (wireReply, error) {
	var w wireReply
	err := json.Unmarshal(data, &w)
	switch {
	case err != nil && !isMistyped(err):
		return w, err
	case kind == "error" || data[0] == '[' || w.isError():
		return w, &toldError{body: bytes.Clone(data)}
	case data[0] != '{':
		return w, err
	}
	return w, nil
}

// isError reports whether there is an error in place of a reply. An error
// without words beside a reply is none.
func (w wireReply) isError() bool {
	switch string(w.Error) {
	case "", "null", "{}", `""`, "false":
		return false
	}
	if len(w.Choices) == 0 {
		return true
	}
	var v any
	return json.Unmarshal(w.Error, &v) == nil && message(v, 0) != ""
}

// usage is what the server counted, nil where it says nothing.
func (w wireReply) usage() *Usage {
	var u struct {
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
	}
	if len(w.Usage) == 0 || w.Usage[0] != '{' || json.Unmarshal(w.Usage, &u) != nil {
		return nil
	}
	return &Usage{int64(u.Prompt), int64(u.Completion)}
}

// looseText is a JSON string with its bytes as they came, also where they are
// no UTF-8: a character may be cut in two by the chunks of a stream. A list of
// parts is the text of all of them; any other value is its JSON.
type looseText string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *looseText) UnmarshalJSON(data []byte) error {
	var parts []struct {
		Text looseText `json:"text"`
	}
	switch {
	case string(data) == "null":
		*t = ""
	case data[0] == '"':
		*t = looseText(unquote(data[1 : len(data)-1]))
	case data[0] == '[' && json.Unmarshal(data, &parts) == nil:
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(string(part.Text))
		}
		*t = looseText(b.String())
	default:
		*t = looseText(data)
	}
	return nil
}

// unquote returns the text of a JSON string, given without its quotes.
func unquote(data []byte) string {
	if bytes.IndexByte(data, '\\') < 0 {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		n := validPrefix(data)
		var text string
		quoted := append(append([]byte{'"'}, data[:n]...), '"')
		if json.Unmarshal(quoted, &text) != nil {
			text = string(data[:n]) // cannot be: the whole was JSON
		}
		b.WriteString(text)
		if data = data[n:]; len(data) > 0 {
			b.WriteByte(data[0])
			data = data[1:]
		}
	}
	return b.String()
}

// validPrefix is how many bytes there are before the first that is no UTF-8.
func validPrefix(data []byte) int {
	if utf8.Valid(data) {
		return len(data)
	}
	n := 0
	for {
		r, size := utf8.DecodeRune(data[n:])
		if r == utf8.RuneError && size == 1 {
			return n
		}
		n += size
	}
}
