package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Playback is a transport that answers from a recording: no server, no key.
// Every request must say what the recording expects at its turn; the first
// that does not gets a [*ReplayError], which ends the run.
type Playback struct {
	model string

	mu     sync.Mutex
	turns  []recordedTurn
	next   int
	follow follower
}

// NewPlayback reads a whole recording from r. The placeholders name this
// machine's texts; they should have the names that the recording was made
// with. Errors name the line that is damaged.
func NewPlayback(r io.Reader, list []Placeholder) (*Playback, error) {
	model, turns, err := readRecording(r)
	if err != nil {
		return nil, err
	}
	return &Playback{model: model, turns: turns, follow: follower{places: newPlaceholders(list)}}, nil
}

// Mask makes the playback compare texts as mask leaves them: it takes out what
// was taken out of the recording. It has to be called before the first request.
func (p *Playback) Mask(mask func(string) string) { p.follow.mask = mask }

// Model returns the model that the recording was made with.
func (p *Playback) Model() string { return p.model }

// Turns returns how many turns the recording has.
func (p *Playback) Turns() int { return len(p.turns) }

// Rest returns how many turns were not played.
func (p *Playback) Rest() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) - p.next
}

// ReplayError says that a conversation does not go the way its recording went.
type ReplayError struct {
	Turn    int    // from 1
	Message int    // which of the turn's new messages, from 1; 0 where a turn or a message is missing
	Reason  string // what differs
}

func (e *ReplayError) Error() string {
	where := fmt.Sprintf("turn %d", e.Turn)
	if e.Message > 0 {
		where += fmt.Sprintf(", message %d", e.Message)
	}
	return fmt.Sprintf("the recording does not fit at %s: %s", where, e.Reason)
}

// RoundTrip implements [http.RoundTripper].
func (p *Playback) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading request: %w", err)
		}
	}
	var asked heard
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, fmt.Errorf("reading request: %w", err)
	}
	rep, err := p.take(asked, tailsOf(req.Context()))
	if err != nil {
		return nil, err
	}
	kind, text := "application/json", rep.completion(asked.Model)
	if asked.Stream {
		kind, text = "text/event-stream", rep.events(asked.Model)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {kind}},
		Body:          io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)),
		Request:       req,
	}, nil
}

// take returns the reply that is due, if the request says what it should.
func (p *Playback) take(asked heard, tails int) (reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gained := p.follow.gained(asked.Messages, tails)
	if p.next >= len(p.turns) {
		reason := fmt.Sprintf("the recording ends after turn %d, but the conversation goes on", len(p.turns))
		if len(gained) > 0 {
			last := gained[len(gained)-1]
			reason += fmt.Sprintf(" with %s %q", last.who(), short(last.Text, 0))
		}
		return reply{}, &ReplayError{Turn: p.next + 1, Reason: reason}
	}
	turn := p.turns[p.next]
	if err := compare(p.next+1, turn.Expect, gained, p.follow.hidden); err != nil {
		return reply{}, err
	}
	p.next++
	p.follow.commit(asked.Messages, tails)
	out := reply{text: p.follow.places.show(turn.Reply.Text), reasoning: p.follow.places.show(turn.Reply.Reasoning), usage: turn.Reply.Usage, finish: turn.Reply.Finish}
	for _, call := range turn.Reply.Calls {
		arguments := string(call.Arguments)
		var text string
		if json.Unmarshal(call.Arguments, &text) == nil {
			arguments = text // what the model wrote is no JSON
		}
		out.calls = append(out.calls, ToolCall{ID: call.ID, Name: call.Name, Arguments: p.follow.places.showJSON(arguments), Extra: call.Extra})
	}
	if out.finish == "" {
		out.finish = "stop"
	}
	return out, nil
}

// compare returns the first difference as an error. hidden is applied to what
// the recording expects, as it was to what came.
func compare(turn int, expect, got []recordedMessage, hidden func(string) string) error {
	for i, want := range expect {
		if i >= len(got) {
			return &ReplayError{Turn: turn, Reason: fmt.Sprintf("the recording expects %d new messages, but there are %d; missing is %s %q",
				len(expect), len(got), want.who(), short(want.Text, 0))}
		}
		have := got[i]
		want.Text = hidden(want.Text)
		if have == want {
			continue
		}
		if have.Role != want.Role || have.Name != want.Name {
			return &ReplayError{Turn: turn, Message: i + 1, Reason: fmt.Sprintf("the recording expects %s, but %s came", want.who(), have.who())}
		}
		at := differ(want.Text, have.Text)
		said := have.Name + " answered"
		if have.Role == User {
			said = "the user message says"
		}
		return &ReplayError{Turn: turn, Message: i + 1, Reason: fmt.Sprintf("from character %d on the recording expects %q, but %s %q",
			at+1, short(want.Text, at), said, short(have.Text, at))}
	}
	if len(got) > len(expect) {
		extra := got[len(expect)]
		return &ReplayError{Turn: turn, Reason: fmt.Sprintf("the recording expects %d new messages, but there are %d; one more is %s %q",
			len(expect), len(got), extra.who(), short(extra.Text, 0))}
	}
	return nil
}

func (m recordedMessage) who() string {
	if m.Role == User {
		return "the user message"
	}
	return "the result of " + m.Name
}

// differ returns the first character in which two texts differ.
func differ(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// short returns a piece of a text from just before a character on.
func short(text string, at int) string {
	const before, after = 12, 60
	runes := []rune(text)
	start, end := max(0, at-before), min(len(runes), at+after)
	var b strings.Builder
	if start > 0 {
		b.WriteString("…")
	}
	b.WriteString(string(runes[start:end]))
	if end < len(runes) {
		b.WriteString("…")
	}
	return b.String()
}
