package replay

// A recorder stands between a run and its server. It keeps complete replies only, with what
// was added to the conversation before each, and replaces what belongs to this machine.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"skills/internal/agent/model"
	"skills/internal/httpclient"
	"skills/internal/printable"
)

// Recorder is a transport that forwards requests and writes each turn of the
// model to a recording. It omits failed and incomplete replies that are
// retried. It writes messages only, never headers or keys.
type Recorder struct {
	next http.RoundTripper

	mu     sync.Mutex
	out    io.Writer
	follow follower
	turns  int
	size   int // size of the recording so far, in bytes
	err    error
}

// NewRecorder returns a recorder in front of next (nil is
// [httpclient.Shared]) that writes to out, one Write per line. The
// placeholders replace values of this machine.
func NewRecorder(next http.RoundTripper, out io.Writer, list []Placeholder) *Recorder {
	if next == nil {
		next = httpclient.Shared()
	}
	return &Recorder{next: next, out: out, follow: follower{list: list}}
}

// Err returns the first error of writing the recording, which is then
// incomplete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// RoundTrip implements [http.RoundTripper].
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if model.IsAside(req.Context()) {
		return r.next.RoundTrip(req)
	}
	body, asked, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	clone := req.Clone(req.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	response, err := r.next.RoundTrip(clone)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	var data bytes.Buffer
	response.Body = &copiedBody{io.TeeReader(response.Body, &data), response.Body, func() {
		r.keep(req.Context(), asked, &data)
	}}
	return response, nil
}

// keep writes one turn, if the reply is complete.
func (r *Recorder) keep(ctx context.Context, asked request, data io.Reader) {
	got, err := model.ReadReply(data)
	if err != nil {
		return
	}
	got = model.Decoded(ctx, got)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turns == 0 {
		r.write(header{Version: version, Model: asked.Model})
	}
	r.turns++
	hide := r.follow.placeholders()
	t := turn{
		Turn:   r.turns,
		Expect: r.follow.newMessages(asked.Messages),
		Reply: reply{
			Text: hide.hide(got.Text), Reasoning: hide.hide(got.Reasoning), ReasoningField: got.ReasoningField, Fields: got.Fields,
			Usage: got.Usage, Finish: got.Finish,
		},
	}
	for _, c := range got.Calls {
		t.Reply.Calls = append(t.Reply.Calls, call{ID: c.ID, Name: c.Name, Extra: c.Extra, Arguments: model.JSONArguments(hide.hide(c.Arguments))})
	}
	t.Reply.Items = withReasoning(got.Items, hide.hide)
	r.write(t)
}

// withReasoning returns items with a changed text of their reasoning.
func withReasoning(items []model.Item, change func(string) string) []model.Item {
	items = slices.Clone(items)
	for i := range items {
		items[i].Reasoning = model.RawJSON(change(string(items[i].Reasoning)))
	}
	return items
}

func (r *Recorder) write(v any) {
	line, err := printable.JSON(v)
	line = append(line, '\n')
	r.size += len(line)
	if err == nil && (len(line) > maxLine || r.size > maxRecording) {
		err = fmt.Errorf("turn %d: %w", r.turns, ErrTooLarge)
	}
	if err == nil && r.err == nil {
		_, err = r.out.Write(line)
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("writing recording: %w", err)
	}
}

func readRequest(req *http.Request) (body []byte, asked request, err error) {
	if req.Body != nil {
		defer req.Body.Close()
		body, err = io.ReadAll(req.Body)
	}
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if sent := model.Sent(req.Context()); err == nil && sent != nil {
		asked.Messages = make([]requestMessage, len(sent))
		for i, raw := range sent {
			err = errors.Join(err, json.Unmarshal(raw, &asked.Messages[i]))
		}
	}
	if err != nil {
		return nil, request{}, fmt.Errorf("reading request: %w", err)
	}
	return body, asked, nil
}

// copiedBody is a body that calls done before it is closed.
type copiedBody struct {
	io.Reader
	io.Closer
	done func()
}

func (c *copiedBody) Close() error {
	c.done()
	return c.Closer.Close()
}
