package agent

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// reply is what the model answered, in whatever way it was sent.
type reply struct {
	text      string
	reasoning string
	calls     []ToolCall
	usage     *Usage
	finish    string // the server's reason, "" where a whole reply names none
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
	return readBuffered(bufio.NewReaderSize(body, replyBuffer), tell)
}

// replyBuffer is how much of a reply is read at once.
const replyBuffer = 16 << 10

// readBuffered is readReply with a buffer of the caller's.
func readBuffered(b *bufio.Reader, tell aside) (reply, error) {
	tell = tell.complete()
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
	completion, err := readWire("", data)
	var told *toldError
	switch {
	case errors.As(err, &told):
		return reply{}, told
	case err != nil:
		return reply{}, &brokenError{what: "the reply is no whole JSON"}
	case len(completion.choices) == 0 || completion.choices[0] == nil:
		return reply{}, &brokenError{what: "the reply holds no choices"}
	}
	choice := completion.choices[0]
	said := choice.message
	if err := bounded(len(said.content)+len(said.reasoning), len(said.calls)); err != nil {
		return reply{}, err
	}
	out := reply{finish: choice.finish, text: said.content, reasoning: validText(said.reasoning), usage: completion.usage()}
	if out.text == "" {
		out.text = said.refusal
	}
	out.text = validText(out.text)
	for _, call := range said.calls {
		if call == nil {
			continue
		}
		name, arguments := call.called()
		arguments = takeArguments(arguments, len(arguments))
		out.calls = append(out.calls, ToolCall{ID: call.id, Name: validText(name), Arguments: validText(arguments), Extra: call.extra})
	}
	return out.sound()
}
