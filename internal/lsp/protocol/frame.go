package protocol

// The frames of messages: a header with the length, then JSON. The framing of jrpc2 takes
// the length of a message on trust, and allocates twice as much before it reads; here both
// are bounded, and a message that is too large is skipped.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Limits of what a client sends.
const (
	MaxMessage = 64 << 20 // bytes; JSON can need six for one of a text
	maxHeader  = 8 << 10  // bytes of all headers of a message
	headLength = 4 << 10  // bytes of a skipped message that Skipped gets
)

// Frames is a connection that sends and receives messages. It implements the Channel of
// jrpc2.
type Frames struct {
	// Skipped, if set, is called for a message that is too large, with its size and its
	// beginning. Its error ends the connection.
	Skipped func(size int64, head []byte) error

	in  *bufio.Reader
	out io.Writer

	messages chan received
	closed   chan struct{}
	close    sync.Once
	start    sync.Once
}

// received is a message, or the error that ends the connection.
type received struct {
	data []byte
	err  error
}

// NewFrames returns the connection over two streams.
func NewFrames(in io.Reader, out io.Writer) *Frames {
	return &Frames{in: bufio.NewReader(in), out: out, messages: make(chan received), closed: make(chan struct{})}
}

// Send writes one message.
func (f *Frames) Send(message []byte) error {
	frame := fmt.Appendf(make([]byte, 0, len(message)+32), "Content-Length: %d\r\n\r\n", len(message))
	_, err := f.out.Write(append(frame, message...))
	return err
}

// Recv returns the next message. It returns when the connection is closed, even if the
// stream cannot be interrupted.
func (f *Frames) Recv() ([]byte, error) {
	f.start.Do(func() { go f.receive() })
	select {
	case m := <-f.messages:
		return m.data, m.err
	case <-f.closed:
		return nil, io.EOF
	}
}

// receive reads messages until the stream ends. Its end is the message exit, which is
// handled after those before it.
func (f *Frames) receive() {
	for {
		data, err := f.next()
		ended := errors.Is(err, io.EOF)
		if ended {
			data, err = endOfInput, nil
		}
		select {
		case f.messages <- received{data, err}:
		case <-f.closed:
			return
		}
		if err != nil || ended {
			return
		}
	}
}

// next reads one message.
func (f *Frames) next() ([]byte, error) {
	for {
		size, err := f.header()
		if err != nil {
			return nil, err
		}
		if size <= MaxMessage {
			var data bytes.Buffer // grows with what arrives, whatever the header says
			_, err = io.CopyN(&data, f.in, size)
			return data.Bytes(), unexpected(err)
		}
		head := make([]byte, headLength)
		if _, err := io.ReadFull(f.in, head); err != nil {
			return nil, unexpected(err)
		}
		if _, err := io.CopyN(io.Discard, f.in, size-headLength); err != nil {
			return nil, unexpected(err)
		}
		if f.Skipped == nil {
			return nil, fmt.Errorf("a message of %d bytes is too large", size)
		}
		if err := f.Skipped(size, head); err != nil {
			return nil, err
		}
	}
}

// unexpected returns the error for a stream that ends within a message.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads the headers of a message and returns its length. io.EOF is the end of the
// stream between two messages.
func (f *Frames) header() (size int64, err error) {
	size = -1
	for read := 0; ; {
		line, err := f.in.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, io.EOF) && read == 0:
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull), read > maxHeader:
			return 0, errors.New("the header of a message is too long: it begins with Content-Length")
		case err != nil:
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && size >= 0 {
			return size, nil
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, errors.New("a message does not begin with the header Content-Length")
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || size < 0 {
			return 0, errors.New("the header Content-Length is not a number")
		}
	}
}

// Close ends the connection: Recv returns io.EOF, and jrpc2 stops. Its own Stop must not
// be called, because a message that has just arrived would be a panic then. The streams
// stay open.
func (f *Frames) Close() error {
	f.close.Do(func() { close(f.closed) })
	return nil
}

// IsMethod reports whether the beginning of a message names the method.
func IsMethod(head []byte, method string) bool {
	name, _ := json.Marshal(method)
	compact := bytes.Join(bytes.Fields(head), nil)
	return bytes.Contains(compact, append([]byte(`"method":`), name...))
}

// endOfInput is what a client that closes its stream means.
var endOfInput = []byte(`{"jsonrpc":"2.0","method":"exit"}`)
