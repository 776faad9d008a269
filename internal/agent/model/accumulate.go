package model

import (
	"strings"

	"github.com/tidwall/gjson"
)

// accumulator collects the chunks of a reply; a whole reply is one chunk. A
// field of a wrong type counts as absent.
type accumulator struct {
	delta     func(string)
	text      strings.Builder
	refusal   strings.Builder
	reasoning strings.Builder
	shown     int  // bytes of text that delta was given
	size      int  // how much has come, to see whether an event brought something
	chosen    bool // whether there was a choice
	calls     []*callBuilder
	byIndex   map[int64]*callBuilder
	byID      map[string]*callBuilder
	usage     *Usage
	finish    string
}

func newAccumulator(delta func(string)) accumulator {
	return accumulator{delta: delta, byIndex: map[int64]*callBuilder{}, byID: map[string]*callBuilder{}}
}

// add takes a chunk, or a whole reply.
func (a *accumulator) add(v gjson.Result) {
	if usage := usageOf(v.Get("usage")); usage != nil {
		a.usage = usage
	}
	n := 0
	v.Get("choices").ForEach(func(_, choice gjson.Result) bool {
		if choice.IsObject() && choice.Get("index").Num == 0 {
			a.addChoice(choice)
		}
		n++
		return n < maxChoices
	})
}

func (a *accumulator) addChoice(choice gjson.Result) {
	a.chosen = true
	said := choice.Get("delta")
	whole := !said.IsObject()
	if whole {
		said = choice.Get("message")
	}
	a.write(&a.text, said.Get("content"))
	a.write(&a.refusal, said.Get("refusal"))
	a.write(&a.reasoning, said.Get("reasoning_content"))
	if calls := said.Get("tool_calls"); calls.IsArray() {
		calls.ForEach(func(_, call gjson.Result) bool {
			a.addCall(call, whole)
			a.size++
			return len(a.calls) <= maxCalls
		})
	}
	// Some servers send a word for nothing with every chunk.
	if reason := clean(choice.Get("finish_reason").Str); reason != "" && !strings.EqualFold(reason, "null") && !strings.EqualFold(reason, "none") {
		a.finish = reason
	}
}

func (a *accumulator) write(to *strings.Builder, v gjson.Result) {
	text := lenientText(v)
	to.WriteString(text)
	a.size += len(text)
}

// show passes on the text that is new. A character of which only the first
// bytes have come waits for its rest, unless this is the end.
func (a *accumulator) show(last bool) {
	text := a.text.String()[a.shown:]
	if !last {
		text = wholeRunes(text)
	}
	if text == "" {
		return
	}
	a.shown += len(text)
	a.delta(ValidText(text))
}

// reply returns what was collected.
func (a *accumulator) reply() Reply {
	if a.text.Len() == 0 {
		a.text.WriteString(a.refusal.String())
	}
	a.show(true)
	out := Reply{Text: ValidText(a.text.String()), Reasoning: ValidText(a.reasoning.String()), Usage: a.usage, Finish: a.finish}
	for _, b := range a.calls {
		out.Calls = append(out.Calls, b.call())
	}
	return out
}

// usageOf is what the server counted, nil where that is not plausible: many
// servers send the fields empty, or only their sum, which counts as input.
func usageOf(v gjson.Result) *Usage {
	count := func(name string) (int64, bool) {
		n := v.Get(name)
		if n.Type != gjson.Number || n.Num < 0 || n.Num >= maxTokens {
			return 0, false
		}
		return int64(n.Num), true
	}
	in, sent := count("prompt_tokens")
	out, made := count("completion_tokens")
	if v.Get("prompt_tokens").Type != gjson.Number && v.Get("completion_tokens").Type != gjson.Number {
		in, sent = count("total_tokens")
		made = sent
	}
	if !v.IsObject() || !sent || !made || in+out == 0 {
		return nil
	}
	return &Usage{InputTokens: in, OutputTokens: out}
}
