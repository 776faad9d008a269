package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/openai/openai-go/v3"
)

// reply is what the model answered, in whatever way it was sent.
type reply struct {
	text   string
	calls  []ToolCall
	usage  *Usage
	finish string // the server's reason, "" where a whole reply names none
}

// brokenError says that a reply ended or went wrong before it was whole; the
// same request may be answered well the next time.
type brokenError struct {
	what string
	err  error
}

func (e *brokenError) Error() string {
	if e.err == nil {
		return e.what
	}
	return e.what + ": " + e.err.Error()
}

func (e *brokenError) Unwrap() error { return e.err }

// formatError says that what was received is no reply at all.
type formatError struct {
	what string
	html bool
}

func (e *formatError) Error() string { return e.what }

// toldError is an error that the server sent in place of a reply, or of its
// rest, under a status that says all is well.
type toldError struct{ body []byte }

func (e *toldError) Error() string { return "the server sent an error: " + serverText(e.body) }

// readReply reads a reply in the form it has, told by its first character, not
// by what the request asked for or the type says: servers are wrong about
// both.
func readReply(body io.Reader, tell aside) (reply, error) {
	tell = tell.complete()
	b := bufio.NewReaderSize(body, 16<<10)
	first, err := skipSpace(b)
	switch {
	case errors.Is(err, io.EOF):
		return reply{}, &brokenError{what: "the reply is empty"}
	case err != nil:
		return reply{}, readError(err)
	}
	switch first {
	case '{', '[':
		data, err := io.ReadAll(b)
		if err != nil {
			return reply{}, readError(err)
		}
		return readJSON(data)
	case '<':
		return reply{}, &formatError{what: "the reply is a web page", html: true}
	}
	start, err := b.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return reply{}, readError(err)
	}
	for _, field := range []string{"data", "event", ":", "id", "retry"} {
		if strings.HasPrefix(string(start), field) {
			return readStream(b, tell)
		}
		if errors.Is(err, io.EOF) && strings.HasPrefix(field, string(start)) {
			return reply{}, &brokenError{what: "the stream broke off"}
		}
	}
	rest, err := io.ReadAll(io.LimitReader(b, 200))
	if err != nil {
		return reply{}, readError(err)
	}
	return reply{}, &formatError{what: "the reply is no JSON: " + clean(string(rest))}
}

// readError keeps the errors of a limit as they are and calls all others a
// reply that broke off.
func readError(err error) error {
	if errors.Is(err, errTooLarge) {
		return err
	}
	return &brokenError{what: "the reply broke off", err: err}
}

// skipSpace skips a byte order mark and white space, and returns the first
// byte after it without taking it.
func skipSpace(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
		default:
			return c, b.UnreadByte()
		}
	}
}

// readJSON reads a reply that is not streamed.
func readJSON(data []byte) (reply, error) {
	if !json.Valid(data) {
		return reply{}, &brokenError{what: "the reply is no whole JSON"}
	}
	if serverError(data) {
		return reply{}, &toldError{body: data}
	}
	var completion openai.ChatCompletion
	if err := json.Unmarshal(data, &completion); err != nil {
		return reply{}, &formatError{what: "the reply is no chat completion: " + clean(err.Error())}
	}
	if len(completion.Choices) == 0 {
		return reply{}, &brokenError{what: "the reply holds no choices"}
	}
	choice := completion.Choices[0]
	out := reply{finish: choice.FinishReason, text: content(choice.Message.Content, choice.Message.JSON.Content.Raw())}
	if out.text == "" {
		out.text = choice.Message.Refusal
	}
	out.text = validText(out.text)
	for _, call := range choice.Message.ToolCalls {
		name, arguments := call.Function.Name, call.Function.Arguments
		if name == "" && call.Custom.Name != "" {
			name, arguments = call.Custom.Name, call.Custom.Input
		}
		out.calls = append(out.calls, ToolCall{ID: call.ID, Name: validText(name), Arguments: validText(arguments)})
	}
	if completion.JSON.Usage.Valid() {
		out.usage = &Usage{completion.Usage.PromptTokens, completion.Usage.CompletionTokens}
	}
	return out, nil
}

// content returns a message's text, also where the server sent it in parts.
func content(text, raw string) string {
	if !strings.HasPrefix(raw, "[") {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal([]byte(raw), &parts) != nil {
		return text
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// serverError reports whether a JSON value is an error in place of a reply.
// An error without words beside a reply is none.
func serverError(data []byte) bool {
	var object struct {
		Error   json.RawMessage   `json:"error"`
		Choices []json.RawMessage `json:"choices"`
	}
	if json.Unmarshal(data, &object) != nil {
		return data[0] == '['
	}
	switch string(object.Error) {
	case "", "null", "{}", `""`, "false":
		return false
	}
	if len(object.Choices) == 0 {
		return true
	}
	var v any
	return json.Unmarshal(object.Error, &v) == nil && message(v, 0) != ""
}
