package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"skills/internal/printable"
)

// Recorder is a transport that passes requests on and writes each turn of the
// model to a recording. Replies that failed or broke off, and are asked for
// again, are not in it. It writes what was said, never headers or keys.
type Recorder struct {
	next http.RoundTripper

	mu     sync.Mutex
	out    io.Writer
	follow follower
	turns  int
	size   int // bytes of the recording so far
	err    error
}

// ErrUnreplayable says that a recording is larger than a playback reads.
var ErrUnreplayable = errors.New("it is larger than a replay reads")

// NewRecorder returns a recorder in front of next (nil is
// [http.DefaultTransport]) that writes to out, one Write a line. The
// placeholders replace what belongs to this machine.
func NewRecorder(next http.RoundTripper, out io.Writer, list []Placeholder) *Recorder {
	if next == nil {
		next = http.DefaultTransport
	}
	return &Recorder{next: next, out: out, follow: follower{places: newPlaceholders(list)}}
}

// Err returns the first error of writing the recording; what was recorded
// after it is lost, the run itself goes on.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return r.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("reading request: %w", err)
	}
	clone := req.Clone(req.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	response, err := r.next.RoundTrip(clone)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	var asked heard
	if json.Unmarshal(body, &asked) != nil {
		return response, nil
	}
	tails := tailsOf(req.Context())
	response.Body = &copied{ReadCloser: response.Body, whole: func(data []byte) { r.keep(asked, tails, data) }}
	return response, nil
}

// keep writes one turn, if the reply is a good one.
func (r *Recorder) keep(asked heard, tails int, data []byte) {
	rep, err := readReply(bytes.NewReader(data), aside{})
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turns == 0 {
		r.write(recordedHeader{Version: recordingVersion, Model: asked.Model})
	}
	r.turns++
	turn := recordedTurn{
		Turn:   r.turns,
		Expect: r.follow.gained(asked.Messages, tails),
		Reply:  recordedReply{Text: r.follow.places.hide(rep.text), Reasoning: r.follow.places.hide(rep.reasoning), Usage: rep.usage, Finish: rep.finish},
	}
	for _, call := range rep.calls {
		turn.Reply.Calls = append(turn.Reply.Calls, recordedCall{
			ID: call.ID, Name: call.Name, Extra: call.Extra,
			Arguments: shown(r.follow.places.hideJSON(call.Arguments)),
		})
	}
	r.follow.commit(asked.Messages, tails)
	r.write(turn)
}

func (r *Recorder) write(v any) {
	line, err := printable.JSON(v)
	line = append(line, '\n')
	r.size += len(line)
	if err == nil && (len(line) > maxRecordedLine || r.size > maxRecording) {
		err = fmt.Errorf("turn %d: %w", r.turns, ErrUnreplayable)
	}
	if err == nil && r.err == nil {
		_, err = r.out.Write(line)
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("writing recording: %w", err)
	}
}

// copied keeps what is read through it and hands it over once, at the end or
// when the reader has enough. A body may be closed while it is being read.
type copied struct {
	io.ReadCloser
	whole func([]byte)

	mu   sync.Mutex
	data bytes.Buffer
	done bool
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.data.Write(p[:n])
	}
	return n, err
}

func (c *copied) Close() error {
	c.mu.Lock()
	done := c.done
	c.done = true
	c.mu.Unlock()
	if !done {
		c.whole(c.data.Bytes())
	}
	return c.ReadCloser.Close()
}
