// Package judge asks a model whether sentences are true of a run.
package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"skills/internal/agent/model"
	"skills/internal/eval/check"
	"skills/internal/eval/store"
	"skills/internal/params"
	"skills/internal/printable"
)

// Options select the judge.
type Options struct {
	Server model.Server // its Transport may record or play back requests
	Model  string
	Votes  int // an odd number of verdicts a run, whose majority decides; 0 is 1
}

// Judge grades runs. It is safe for concurrent use.
type Judge struct {
	o      Options
	client *model.Client
	// plain and warm are set once the server refused response_format and temperature.
	plain, warm atomic.Bool
}

// New returns a judge. The error describes what is wrong with the address.
func New(o Options) (*Judge, error) {
	client, err := model.New(model.Options{Server: o.Server, Model: o.Model})
	return &Judge{o: o, client: client}, err
}

// Request is a run with the sentences to decide.
type Request struct {
	Prompt    string // what the agent was asked
	Expected  string // expected output in words, or ""
	Answer    string
	Files     []File
	Trace     []check.Event
	Sentences []string
}

// Usage is what grading cost.
type Usage struct {
	Requests int
	Tokens   *model.Usage // nil if the server reported none
	Cut      bool         // whether the judge saw only parts of the run
}

// verdict is the judge's answer about one sentence.
type verdict struct {
	Index    int    `json:"index"`
	Passed   bool   `json:"passed"`
	Evidence string `json:"evidence"`
}

// Grade decides the sentences of a run, in their order. Errors are those of the server
// and of answers that are not in the form that the judge was asked for.
func (j *Judge) Grade(ctx context.Context, r Request) ([]store.Outcome, Usage, error) {
	text, data, cut := r.text()
	usage := Usage{Cut: cut}
	out := make([]store.Outcome, len(r.Sentences))
	for i, sentence := range r.Sentences {
		out[i] = store.Outcome{Text: sentence, Type: "judge", Weight: 1, Judge: j.o.Model}
	}
	votes := max(j.o.Votes, 1)
	ballots := make([][2][]store.Outcome, len(out)) // failures and passes
	for range votes {
		list, err := j.vote(ctx, text, data, len(out), &usage)
		if err != nil {
			return nil, usage, fmt.Errorf("judging: %w", err)
		}
		for i, v := range list {
			o := out[i]
			found := quoted(data, v.Evidence)
			o.Passed, o.Evidence, o.Found = v.Passed && found, printable.Text(printable.Truncate(v.Evidence, 2000)), &found
			side := 0
			if o.Passed {
				o.Score, side = 1, 1
			}
			ballots[i][side] = append(ballots[i][side], o)
		}
	}
	for i, b := range ballots {
		side := 0
		if len(b[1]) > len(b[0]) {
			side = 1
		}
		if out[i] = b[side][0]; votes > 1 {
			out[i].Votes = &[2]int{len(b[1]), len(b[0])}
		}
	}
	return out, usage, nil
}

// vote returns one verdict for each sentence. The judge is asked again, once, if its
// answer has another form, or a sentence passes without a quotation.
func (j *Judge) vote(ctx context.Context, text, data string, sentences int, usage *Usage) ([]verdict, error) {
	messages := []model.Message{{Role: model.User, Source: model.FromUser, Text: text}}
	for again := false; ; again = true {
		reply, err := j.send(ctx, messages, usage)
		if err != nil {
			return nil, err
		}
		list, fault := parse(reply, sentences)
		missing := slices.IndexFunc(list, func(v verdict) bool { return v.Passed && !quoted(data, v.Evidence) })
		switch {
		case fault != "" && again:
			return nil, errors.New("the judge's answer cannot be used: " + fault)
		case fault == "" && (missing < 0 || again):
			return list, nil
		case fault == "":
			fault = fmt.Sprintf("the evidence of sentence %d is not a quotation from the run", list[missing].Index)
		}
		messages = append(messages, model.Message{Role: model.Assistant, Source: model.FromModel, Text: reply},
			model.Message{Role: model.User, Source: model.FromUser, Text: "Your answer cannot be used: " + fault + ". Answer again, for all sentences, in the same form. Quote word for word, or let the sentence fail."})
	}
}

// silent observes nothing: a judge does not stream.
var silent = model.Observer{OnSend: func(bool, bool) {}, OnDelta: func(string) {}, OnRetry: func(model.Retry) {}, OnWarn: func(string) {}}

const format = `{"type":"json_schema","json_schema":{"name":"verdicts","schema":{"type":"object","required":["results"],"additionalProperties":false,"properties":{"results":{"type":"array","items":{"type":"object","required":["index","passed","evidence"],"additionalProperties":false,"properties":{"index":{"type":"integer"},"passed":{"type":"boolean"},"evidence":{"type":"string"}}}}}}}}`

// send sends a request, and again without a parameter that the server refuses.
func (j *Judge) send(ctx context.Context, messages []model.Message, usage *Usage) (string, error) {
	for {
		fields := model.Params{}
		if !j.plain.Load() {
			fields["response_format"] = json.RawMessage(format)
		}
		if !j.warm.Load() {
			fields["temperature"] = json.RawMessage("0")
		}
		reply, err := j.client.Complete(ctx, model.Request{Model: j.o.Model, Instructions: instructions, Messages: messages, Params: fields}, silent)
		usage.Requests++
		usage.Tokens = usage.Tokens.Add(reply.Usage)
		var refused *model.Error
		if !errors.As(err, &refused) || !slices.Contains([]int{400, 422, 501}, refused.Status) {
			if err == nil && reply.Truncated() {
				err = errors.New("the judge's answer was cut off" + reply.FinishReason())
			}
			return reply.Text, err
		}
		switch {
		case fields["temperature"] != nil && (strings.Contains(refused.Message, "temperature") || fields["response_format"] == nil):
			j.warm.Store(true)
		case fields["response_format"] != nil:
			j.plain.Store(true)
		default:
			return "", err
		}
	}
}

// parse reads the judge's answer: one object, alone or in a code block or between words.
func parse(reply string, sentences int) ([]verdict, string) {
	var found []json.RawMessage
	for rest := reply; len(found) < 2; {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			break
		}
		dec := json.NewDecoder(strings.NewReader(rest[at:]))
		var object map[string]json.RawMessage
		if dec.Decode(&object) != nil {
			rest = rest[at+1:]
			continue
		}
		if object["results"] != nil {
			found = append(found, object["results"])
		}
		rest = rest[at+int(dec.InputOffset()):]
	}
	if len(found) != 1 {
		return nil, `write exactly one JSON object with "results"`
	}
	var list []verdict
	if err := params.Decode(found[0], &list); err != nil {
		return nil, printable.Line(err.Error())
	}
	slices.SortFunc(list, func(a, b verdict) int { return a.Index - b.Index })
	for i, v := range list {
		if v.Index != i+1 {
			return nil, "every sentence needs one result"
		}
	}
	if len(list) != sentences {
		return nil, fmt.Sprintf("%d sentences need %d results", sentences, sentences)
	}
	return list, ""
}

// minQuote is how many letters a quotation has at least, so that it is one.
const minQuote = 3

// quoted reports whether evidence is a quotation from the run, white space aside. data is
// the run as the judge saw it, without white space.
func quoted(data, evidence string) bool {
	evidence = squeeze(strings.Trim(strings.TrimSpace(evidence), "\"“”'`…"))
	return len(evidence) >= min(minQuote, len(data)) && evidence != "" && strings.Contains(data, evidence)
}

// squeeze removes white space.
func squeeze(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, text)
}
