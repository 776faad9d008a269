package agent

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// readStream puts a reply together from server-sent events. The library's own
// accumulator drops chunks whose id differs, merges calls without an index and
// takes a stream that was cut for a whole one; this one does not.
//
// A stream is whole when a reason for its end was seen, or [DONE]. Everything
// else is an error, never an answer.
func readStream(body io.Reader, tell aside) (reply, error) {
	// A last event without its empty line counts: where the text was cut in
	// its middle, it is no JSON.
	body = io.MultiReader(body, strings.NewReader("\n\n"))
	decoder := ssestream.NewDecoder(&http.Response{Header: http.Header{}, Body: io.NopCloser(body)})
	a := accumulator{delta: tell.delta}
	for decoder.Next() {
		event := decoder.Event()
		data := strings.TrimSpace(string(event.Data))
		if strings.HasPrefix(data, "[DONE]") {
			return a.reply(), nil
		}
		if data == "" {
			continue
		}
		whole := a.finish != ""
		err := a.event(event.Type, []byte(data))
		switch {
		case err != nil || whole:
		case a.finish != "":
			tell.whole()
		default:
			tell.part()
		}
		if err != nil {
			if a.finish != "" {
				break // the answer was whole before
			}
			return reply{}, err
		}
	}
	if a.finish != "" {
		return a.reply(), nil
	}
	if err := decoder.Err(); err != nil {
		return reply{}, readError(err)
	}
	return reply{}, &brokenError{what: "the stream broke off"}
}

// accumulator collects the chunks of one reply.
type accumulator struct {
	delta   func(string)
	text    strings.Builder
	refusal strings.Builder
	shown   int // bytes of text that delta was given
	calls   []*draft
	byIndex map[int64]*draft
	byID    map[string]*draft
	usage   *Usage
	finish  string
}

// draft is a call that may still grow.
type draft struct {
	id, name  string
	arguments strings.Builder
}

// event takes one event's data.
func (a *accumulator) event(kind string, data []byte) error {
	if !json.Valid(data) {
		return &brokenError{what: "the stream holds an event that is no JSON"}
	}
	if kind == "error" || serverError(data) {
		return &toldError{body: data}
	}
	var chunk openai.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return &formatError{what: "the stream holds no chat completion chunk: " + clean(err.Error())}
	}
	if chunk.JSON.Usage.Valid() {
		a.usage = &Usage{chunk.Usage.PromptTokens, chunk.Usage.CompletionTokens}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		a.text.WriteString(content(choice.Delta.Content, choice.Delta.JSON.Content.Raw()))
		a.refusal.WriteString(choice.Delta.Refusal)
		for _, fragment := range choice.Delta.ToolCalls {
			a.add(fragment)
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	a.show(false)
	return nil
}

// add puts a fragment of a call where it belongs: to the call of its index,
// unless it brings a new id and a name; without an index to the call of its
// id; without both to the last call, unless that is visibly complete.
func (a *accumulator) add(fragment openai.ChatCompletionChunkChoiceDeltaToolCall) {
	id, name, arguments := fragment.ID, fragment.Function.Name, fragment.Function.Arguments
	indexed := fragment.JSON.Index.Valid()
	var d *draft
	if indexed {
		if d = a.byIndex[fragment.Index]; d != nil && id != "" && d.id != "" && id != d.id && name != "" {
			d = nil
		}
	} else {
		d = a.unindexed(id, name, arguments)
	}
	if d == nil {
		d = &draft{}
		a.calls = append(a.calls, d)
	}
	if indexed {
		if a.byIndex == nil {
			a.byIndex = map[int64]*draft{}
		}
		a.byIndex[fragment.Index] = d
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
	if d.name == "" {
		d.name = name
	}
	d.arguments.WriteString(arguments)
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
	whole := strings.TrimSpace(arguments) != "" && json.Valid([]byte(last.arguments.String()))
	if name != last.name || whole {
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
	out := reply{text: validText(a.text.String()), usage: a.usage, finish: a.finish}
	for _, d := range a.calls {
		out.calls = append(out.calls, ToolCall{ID: d.id, Name: validText(d.name), Arguments: validText(d.arguments.String())})
	}
	return out
}
