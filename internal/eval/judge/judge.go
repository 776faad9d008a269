// Package judge asks a model whether sentences are true of a run.
package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"skills/internal/agent/model"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

// Judge grades runs. It is safe for concurrent use.
type Judge struct {
	Used    func(*model.Usage) // called after each request; may be nil
	Loading func(text string)  // called if the server is loading the model; may be nil

	model  string
	votes  int
	client *model.Client
	params atomic.Pointer[model.Params] // those that the server has not rejected
}

// New returns a judge that takes the majority of an odd number of votes for each run. The
// error describes what is wrong with the address.
func New(server model.Server, name string, votes int) (*Judge, error) {
	client, err := model.New(model.Options{Server: server, Model: name, Idle: model.DefaultIdle})
	j := &Judge{model: name, votes: votes, client: client}
	j.params.Store(&model.Params{"response_format": json.RawMessage(format), "temperature": json.RawMessage("0")})
	return j, err
}

// Model returns the name of the judge's model.
func (j *Judge) Model() string { return j.model }

// verdict is the judge's answer about one sentence.
type verdict struct {
	Index    int    `json:"index"`
	Passed   bool   `json:"passed"`
	Evidence string `json:"evidence"`
	found    bool   // whether the evidence is a quotation from the run
}

// Grade decides the sentences of a run, in their order. Errors are those of the server
// and of answers that are not in the form that the judge was asked for.
func (j *Judge) Grade(ctx context.Context, r Request) ([]store.Outcome, error) {
	text, data, cut := r.text()
	votes := make([][]verdict, j.votes)
	for i := range votes {
		vote, err := j.vote(ctx, text, data, r)
		if err != nil {
			return nil, err
		}
		votes[i] = vote
	}
	out := make([]store.Outcome, len(r.Sentences))
	for i, sentence := range r.Sentences {
		passes := 0
		for _, list := range votes {
			if list[i].Passed {
				passes++
			}
		}
		o := store.Outcome{Text: sentence, Judge: j.model, Passed: 2*passes > len(votes), Cut: cut}
		if o.Passed {
			o.Score = 1
		}
		if len(votes) > 1 {
			o.Votes = &[2]int{passes, len(votes) - passes}
		}
		first := slices.IndexFunc(votes, func(list []verdict) bool { return list[i].Passed == o.Passed })
		o.Evidence, o.Found = printable.Text(printable.Truncate(votes[first][i].Evidence, 2000)), &votes[first][i].found
		out[i] = o
	}
	return out, nil
}

// vote returns one verdict for each sentence. The judge is asked again, once, if its
// answer has another form, or a sentence passes without a quotation. Then that sentence
// fails.
func (j *Judge) vote(ctx context.Context, text, data string, r Request) ([]verdict, error) {
	sentences := len(r.Sentences)
	messages := []model.Message{{Role: model.User, Source: model.FromUser, Text: text}}
	for again := false; ; again = true {
		reply, err := j.send(ctx, form{instructions, format}, messages, r.Used)
		if err != nil {
			return nil, err
		}
		list, fault := parse(reply, sentences)
		if again && fault != nil {
			return nil, fmt.Errorf("its answer cannot be used: %w", fault)
		}
		for i, v := range list {
			list[i].found = quoted(data, v.Evidence)
			if v.Passed && !list[i].found {
				list[i].Passed, list[i].Evidence = false, "passed without a quotation from the run: "+v.Evidence
				fault = fmt.Errorf("the evidence of sentence %d is not a quotation from the run", v.Index)
			}
		}
		if again || fault == nil {
			return list, nil
		}
		messages = append(messages, model.Message{Role: model.Assistant, Source: model.FromModel, Text: reply},
			model.Message{Role: model.User, Source: model.FromUser, Text: "Your answer cannot be used: " + fault.Error() +
				". Answer again, for all sentences, in the same form. Quote word for word, or let the sentence fail."})
	}
}

// form is what the judge is asked to do, and the response_format of its answer.
type form struct{ instructions, format string }

// send sends a request, and again without a parameter that the server refuses.
func (j *Judge) send(ctx context.Context, f form, messages []model.Message, used func(*model.Usage)) (string, error) {
	silent := model.Observer{
		OnSend: func(string, bool, bool) {}, OnRetry: func(model.Retry) {}, OnWarn: func(string) {}, OnLoading: j.Loading,
	}
	for {
		params := j.params.Load()
		sent := maps.Clone(*params)
		if sent["response_format"] != nil {
			sent["response_format"] = json.RawMessage(f.format)
		}
		request := model.Request{Model: j.model, Instructions: f.instructions, Messages: messages, Params: sent}
		reply, err := j.client.Complete(ctx, request, silent)
		if j.Used != nil {
			j.Used(reply.Usage)
		}
		if used != nil {
			used(reply.Usage)
		}
		if err == nil && reply.Truncated() {
			err = errors.New("its answer was cut off" + reply.FinishReason())
		}
		apiErr, ok := errors.AsType[*model.Error](err)
		if !ok || len(*params) == 0 || !slices.Contains([]int{400, 422, 501}, apiErr.Status) {
			return reply.Text, err
		}
		fewer := maps.Clone(*params)
		if fewer["temperature"] != nil && strings.Contains(apiErr.Message, "temperature") || fewer["response_format"] == nil {
			delete(fewer, "temperature")
		} else {
			delete(fewer, "response_format")
		}
		j.params.CompareAndSwap(params, &fewer) // else another request has removed one
	}
}

// parse reads the judge's answer: one JSON object, alone or between words.
func parse(reply string, sentences int) ([]verdict, error) {
	var answer struct {
		Results []verdict `json:"results"`
	}
	start, end := strings.Index(reply, "{"), strings.LastIndex(reply, "}")
	if start < 0 || end < start || json.Unmarshal([]byte(reply[start:end+1]), &answer) != nil {
		return nil, errors.New(`write exactly one JSON object with "results"`)
	}
	slices.SortFunc(answer.Results, func(a, b verdict) int { return a.Index - b.Index })
	for i, v := range answer.Results {
		if v.Index != i+1 {
			return nil, errors.New("every sentence needs one result")
		}
	}
	if len(answer.Results) != sentences {
		return nil, fmt.Errorf("it has %s for %s; write one for each", printable.Plural(len(answer.Results), "result"), printable.Plural(sentences, "sentence"))
	}
	return answer.Results, nil
}

// quoted reports whether evidence is a quotation of three letters or more from the run,
// white space aside. data is the run as the judge saw it, without white space.
func quoted(data, evidence string) bool {
	evidence = squeeze(strings.Trim(strings.TrimSpace(inert(evidence)), "\"“”'`…"))
	return len(evidence) >= min(3, len(data)) && evidence != "" && strings.Contains(data, evidence)
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }
