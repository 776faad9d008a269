package replay

// A recording answers in place of a server, as long as the conversation is the recorded
// one. The first request that differs ends the run with the difference, because later
// replies would make no sense.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// Playback is a transport that answers from a recording, without a server or a
// key. Every request must match the recording at its turn; the first that does
// not fails with a [*MismatchError], which ends the run.
type Playback struct {
	Model string // model of the recording

	mu     sync.Mutex
	turns  []turn
	next   int
	follow follower
}

// NewPlayback reads a complete recording from r. The placeholders are this
// machine's values; their names should be those of the recording. Errors name
// the damaged line.
func NewPlayback(r io.Reader, list []Placeholder) (*Playback, error) {
	name, turns, err := read(r)
	if err != nil {
		return nil, err
	}
	return &Playback{Model: name, turns: turns, follow: follower{list: list}}, nil
}

// Mask sets the function that removes keys from texts before they are compared,
// as in the recording. It must be called before the first request.
func (p *Playback) Mask(mask func(string) string) { p.follow.mask = mask }

// Rest returns the number of turns not played yet.
func (p *Playback) Rest() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns) - p.next
}

// MismatchError is returned when a conversation differs from its recording.
type MismatchError struct {
	Turn    int    // from 1
	Message int    // index of the new message within the turn, from 1; 0 if a turn or a message is missing
	Reason  string // what differs
}

// Error returns where and how the conversation differs.
func (e *MismatchError) Error() string {
	where := fmt.Sprintf("turn %d", e.Turn)
	if e.Message > 0 {
		where += fmt.Sprintf(", message %d", e.Message)
	}
	return fmt.Sprintf("the recording does not fit at %s: %s", where, e.Reason)
}

// Final implements [model.Final]: a retry would fail too.
func (e *MismatchError) Final() {}

// RoundTrip implements [http.RoundTripper].
func (p *Playback) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	_, asked, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	answer, err := p.take(asked)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(answer.encode())), Request: req}, nil
}

// take returns the next reply, if the request matches the recording.
func (p *Playback) take(asked request) (reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	added := p.follow.newMessages(asked.Messages)
	if p.next >= len(p.turns) {
		reason := fmt.Sprintf("the recording ends after turn %d, but the conversation continues", len(p.turns))
		if len(added) > 0 {
			last := added[len(added)-1]
			reason += fmt.Sprintf(" with %s %q", last.describe(), excerpt(last.Text, 0))
		}
		return reply{}, &MismatchError{Turn: p.next + 1, Reason: reason}
	}
	due := p.turns[p.next]
	if err := compare(p.next+1, due.Expect, added, p.follow.hidden); err != nil {
		return reply{}, err
	}
	p.next++
	show := p.follow.placeholders()
	out := due.Reply
	out.Text, out.Reasoning, out.Calls = show.show(out.Text), show.show(out.Reasoning), nil
	for _, c := range due.Reply.Calls {
		arguments := string(c.Arguments)
		var text string
		if json.Unmarshal(c.Arguments, &text) == nil {
			arguments = text // the model did not write JSON
		}
		c.Arguments = json.RawMessage(printable.JSONText(show.showJSON(arguments)))
		out.Calls = append(out.Calls, c)
	}
	out.Items = withReasoning(due.Reply.Items, show.showJSON)
	if out.Finish == "" {
		out.Finish = "stop"
	}
	return out, nil
}

// encode returns the reply as a stream with one chunk, so that a run reads it
// through the same code as a server's. It is also accepted for requests without
// streaming.
func (r reply) encode() string {
	if len(r.Items) > 0 {
		return model.EncodeItems(r.reply())
	}
	var calls []any
	for i, c := range r.Calls {
		sent := map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
		if c.Extra != "" {
			sent["extra_content"] = c.Extra
		}
		calls = append(calls, sent)
	}
	m := model.Message{Text: r.Text, Reasoning: r.Reasoning, ReasoningField: r.ReasoningField, Fields: r.Fields}
	delta := m.Sent()
	delta["tool_calls"] = calls
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": r.Finish}}}
	if r.Usage != nil {
		chunk["usage"] = map[string]any{
			"prompt_tokens": r.Usage.InputTokens, "completion_tokens": r.Usage.OutputTokens,
			"prompt_tokens_details":     map[string]any{"cached_tokens": r.Usage.CachedTokens},
			"completion_tokens_details": map[string]any{"reasoning_tokens": r.Usage.ReasoningTokens},
		}
	}
	return "data: " + printable.JSONText(chunk) + "\n\ndata: [DONE]\n\n"
}

// reply returns the reply in the form of the conversation. Its calls have their arguments as
// text, see [Playback.take].
func (r reply) reply() model.Reply {
	out := model.Reply{Text: r.Text, Reasoning: r.Reasoning, Items: r.Items, Usage: r.Usage, Finish: r.Finish}
	for _, c := range r.Calls {
		var arguments string
		_ = json.Unmarshal(c.Arguments, &arguments)
		out.Calls = append(out.Calls, model.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
	}
	return out
}

// compare returns the first difference; hidden is applied to the expected
// texts.
func compare(number int, expect, got []message, hidden func(string) string) error {
	differs := func(at int, format string, args ...any) error {
		return &MismatchError{Turn: number, Message: at, Reason: fmt.Sprintf(format, args...)}
	}
	const count = "the recording expects %d new messages, but there are %d; "
	for i, want := range expect {
		if i >= len(got) {
			return differs(0, count+"%s %q is missing", len(expect), len(got), want.describe(), excerpt(want.Text, 0))
		}
		have := got[i]
		want.Text = hidden(want.Text)
		if have == want {
			continue
		}
		if have.Role != want.Role || have.Name != want.Name {
			return differs(i+1, "the recording expects %s, but received %s", want.describe(), have.describe())
		}
		subject := have.Name + " answered"
		if have.Role == model.User {
			subject = "the user message says"
		}
		at := firstDifference(want.Text, have.Text)
		return differs(i+1, "from character %d on the recording expects %q, but %s %q", at+1, excerpt(want.Text, at), subject, excerpt(have.Text, at))
	}
	if len(got) > len(expect) {
		extra := got[len(expect)]
		return differs(0, count+"%s %q is not in the recording", len(expect), len(got), extra.describe(), excerpt(extra.Text, 0))
	}
	return nil
}

func firstDifference(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// excerpt returns a part of a text that starts just before at.
func excerpt(text string, at int) string {
	const before, after = 12, 60
	runes := []rune(text)
	piece := printable.Truncate(string(runes[max(0, at-before):]), min(at, before)+after)
	if at > before {
		piece = "…" + piece
	}
	return piece
}
