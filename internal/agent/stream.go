package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// deltaBytes is how much text is held back while more keeps coming: a piece is
// passed on when the reader would have to wait, or has so much. Many small
// chunks that come at once are few events.
const deltaBytes = 4 << 10

// readStream puts a reply together from server-sent events. The library's own
// accumulator drops chunks whose id differs, merges calls without an index and
// takes a stream that was cut for a whole one; this one does not.
//
// A stream is whole when a reason for its end was seen, or [DONE]. Everything
// else is an error, never an answer.
func readStream(body *bufio.Reader, tell aside) (reply, error) {
	events := sseReader{b: body}
	a := accumulator{delta: tell.delta}
	for {
		kind, data, err := events.next()
		whole := a.finish != ""
		switch {
		case err != nil && whole, err == nil && bytes.HasPrefix(data, []byte("[DONE]")):
			return a.reply().sound()
		case errors.Is(err, io.EOF):
			a.show(true)
			return reply{}, &brokenError{what: "the stream broke off"}
		case err != nil:
			a.show(true)
			return reply{}, readError(err)
		}
		before := a.grown
		if err := a.event(kind, data); err != nil {
			if whole {
				return a.reply().sound() // the answer was whole before
			}
			return reply{}, err
		}
		switch {
		case whole && a.grown > before:
			tell.more()
		case whole:
		case a.finish != "":
			tell.whole()
		default:
			tell.part()
		}
		if a.text.Len()-a.shown >= deltaBytes || events.waits() {
			a.show(false)
		}
	}
}

// accumulator collects the chunks of one reply.
type accumulator struct {
	delta   func(string)
	text    strings.Builder
	refusal strings.Builder
	reasons strings.Builder
	shown   int // bytes of text that delta was given
	grown   int // how much has come, to tell whether an event brought something
	calls   []*draft
	byIndex map[int64]*draft
	byID    map[string]*draft
	usage   *Usage
	finish  string
}

// event takes one event's data.
func (a *accumulator) event(kind string, data []byte) error {
	chunk, err := readWire(kind, data)
	if err != nil {
		return inStream(err)
	}
	if usage := chunk.usage(); usage != nil {
		a.usage = usage
	}
	for _, choice := range chunk.choices {
		if choice == nil || choice.index != 0 {
			continue
		}
		a.grown += len(choice.delta.content) + len(choice.delta.refusal) + len(choice.delta.reasoning) + len(choice.delta.calls)
		a.text.WriteString(choice.delta.content)
		a.refusal.WriteString(choice.delta.refusal)
		a.reasons.WriteString(choice.delta.reasoning)
		for _, fragment := range choice.delta.calls {
			if fragment != nil {
				a.add(fragment)
			}
		}
		if choice.finish != "" {
			a.finish = choice.finish
		}
	}
	return bounded(a.text.Len()+a.refusal.Len()+a.reasons.Len(), len(a.calls))
}

// inStream explains an error of readWire.
func inStream(err error) error {
	var told *toldError
	if errors.As(err, &told) {
		return told
	}
	if errors.Is(err, errNoObject) {
		return &formatError{what: "the stream holds something that is no chat completion chunk"}
	}
	return &brokenError{what: "the stream holds an event that is no JSON"}
}

// add puts a fragment of a call where it belongs: to the call of its index,
// unless it brings a new id and a name; without an index to the call of its
// id; without both to the last call, unless that is visibly complete.
func (a *accumulator) add(fragment *wireCall) {
	id := fragment.id
	name, arguments := fragment.called()
	var d *draft
	if fragment.index != nil {
		if d = a.byIndex[int64(*fragment.index)]; d != nil && id != "" && d.id != "" && id != d.id && name != "" {
			d = nil
		}
	} else {
		d = a.unindexed(id, name, arguments)
	}
	if d == nil {
		d = &draft{}
		a.calls = append(a.calls, d)
	}
	if fragment.index != nil {
		if a.byIndex == nil {
			a.byIndex = map[int64]*draft{}
		}
		a.byIndex[int64(*fragment.index)] = d
	}
	if d.id == "" && id != "" {
		d.id = id
		if a.byID == nil {
			a.byID = map[string]*draft{}
		}
		if a.byID[id] == nil {
			a.byID[id] = d
		}
	}
	if fragment.extra != "" {
		d.extra = fragment.extra
	}
	d.call(name, fragment.index != nil)
	d.write(arguments)
}

// unindexed finds the call of a fragment without an index, nil for a new one.
func (a *accumulator) unindexed(id, name, arguments string) *draft {
	if id != "" {
		return a.byID[id]
	}
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if name == "" || last.name == "" {
		return last
	}
	if name != last.name || strings.TrimSpace(arguments) != "" && last.whole() {
		return nil
	}
	return last
}

// show passes on the text that is new. A character of which only the first
// bytes have come waits for its rest, unless there is none.
func (a *accumulator) show(last bool) {
	text := a.text.String()[a.shown:]
	if !last {
		text = wholeRunes(text)
	}
	if text == "" {
		return
	}
	a.shown += len(text)
	a.delta(validText(text))
}

// reply returns what was collected.
func (a *accumulator) reply() reply {
	if a.text.Len() == 0 {
		a.text.WriteString(a.refusal.String())
	}
	a.show(true)
	out := reply{text: validText(a.text.String()), reasoning: validText(a.reasons.String()), usage: a.usage, finish: a.finish}
	for _, d := range a.calls {
		out.calls = append(out.calls, ToolCall{ID: d.id, Name: validText(d.name), Arguments: validText(d.taken()), Extra: d.extra})
	}
	return out
}
