package agent

import (
	"bytes"
	"encoding/json"
	"strings"
)

// What a playback answers has the form that servers use, so that a run reads
// it through the very code that reads a server.

type playedCompletion struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Model   string         `json:"model"`
	Choices []playedChoice `json:"choices"`
	Usage   *playedUsage   `json:"usage,omitempty"`
}

type playedChoice struct {
	Index   int            `json:"index"`
	Message *playedMessage `json:"message,omitempty"`
	Delta   *playedMessage `json:"delta,omitempty"`
	Finish  *string        `json:"finish_reason"`
}

type playedMessage struct {
	Role      string       `json:"role,omitempty"`
	Content   *string      `json:"content"`
	Reasoning string       `json:"reasoning_content,omitempty"`
	Calls     []playedCall `json:"tool_calls,omitempty"`
}

type playedCall struct {
	Index    int     `json:"index"`
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Extra    RawJSON `json:"extra_content,omitempty"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type playedUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

func (r reply) playedCalls() []playedCall {
	var out []playedCall
	for i, call := range r.calls {
		c := playedCall{Index: i, ID: call.ID, Type: "function", Extra: call.Extra}
		c.Function.Name, c.Function.Arguments = call.Name, call.Arguments
		out = append(out, c)
	}
	return out
}

func (r reply) playedUsage() *playedUsage {
	if r.usage == nil {
		return nil
	}
	return &playedUsage{r.usage.InputTokens, r.usage.OutputTokens, r.usage.InputTokens + r.usage.OutputTokens}
}

// completion returns the reply as one JSON object.
func (r reply) completion(model string) []byte {
	return line(playedCompletion{
		ID: "chatcmpl-replay", Object: "chat.completion", Model: model,
		Choices: []playedChoice{{
			Message: &playedMessage{Role: "assistant", Content: &r.text, Reasoning: r.reasoning, Calls: r.playedCalls()},
			Finish:  &r.finish,
		}},
		Usage: r.playedUsage(),
	})
}

// events returns the reply as server-sent events, its text word by word.
func (r reply) events(model string) []byte {
	var out bytes.Buffer
	send := func(choices []playedChoice, usage *playedUsage) {
		out.WriteString("data: ")
		out.Write(line(playedCompletion{
			ID: "chatcmpl-replay", Object: "chat.completion.chunk", Model: model, Choices: choices, Usage: usage,
		}))
		out.WriteString("\n\n")
	}
	delta := func(m playedMessage, finish *string) { send([]playedChoice{{Delta: &m, Finish: finish}}, nil) }
	delta(playedMessage{Role: "assistant"}, nil)
	if r.reasoning != "" {
		delta(playedMessage{Reasoning: r.reasoning}, nil)
	}
	for _, word := range strings.SplitAfter(r.text, " ") {
		if word != "" {
			delta(playedMessage{Content: &word}, nil)
		}
	}
	for _, call := range r.playedCalls() {
		delta(playedMessage{Calls: []playedCall{call}}, nil)
	}
	delta(playedMessage{}, &r.finish)
	if usage := r.playedUsage(); usage != nil {
		send([]playedChoice{}, usage)
	}
	out.WriteString("data: [DONE]\n\n")
	return out.Bytes()
}

// line returns v as JSON on one line; v is made of texts and numbers, which
// always encode.
func line(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}
