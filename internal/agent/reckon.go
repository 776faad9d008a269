package agent

import "encoding/json"

// bytesPerToken is what a token is reckoned to hold, where the server does not
// count them: about that for English and for code, and too much for most else,
// so that a limit is reached rather too early.
const bytesPerToken = 4

// reckoning is what a run has spent by our own count, because the server does
// not say.
type reckoning struct {
	tokens int64
	tools  int64 // bytes of the tools' schemas, once they were asked for
}

// spend counts a turn whose usage the server did not tell, if a limit depends
// on it.
func (r *run) spend(request Request, rep reply) {
	if rep.usage != nil || r.agent.config.Limits.Tokens == 0 {
		return
	}
	if r.reckoned.tokens == 0 {
		r.warn("the server does not say how many tokens it uses: for the limit they are reckoned, at %d bytes each", bytesPerToken)
	}
	bytes := int64(len(request.Instructions)) + messageBytes(Message{Text: rep.text, Calls: rep.calls})
	for _, m := range request.Messages {
		bytes += messageBytes(m)
	}
	if len(request.Tools) > 0 {
		bytes += r.toolBytes(request.Tools)
	}
	r.reckoned.tokens += bytes/bytesPerToken + 1
}

func messageBytes(m Message) int64 {
	n := len(m.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return int64(n)
}

// toolBytes is the size of the tools, which are the same in a whole run.
func (r *run) toolBytes(tools []Tool) int64 {
	if r.reckoned.tools == 0 {
		for _, tool := range tools {
			schema, _ := json.Marshal(tool.Schema) // one that cannot be sent has failed the request
			r.reckoned.tools += int64(len(tool.Name) + len(tool.Description) + len(schema))
		}
	}
	return r.reckoned.tools
}

// overTokens is the limit of tokens, if it is reached.
func (r *run) overTokens() *LimitError {
	most, spent := r.agent.config.Limits.Tokens, r.reckoned.tokens
	if u := r.result.Usage; u != nil {
		spent += u.InputTokens + u.OutputTokens
	}
	if most > 0 && spent >= most {
		return &LimitError{Limit: LimitTokens, Max: most, Used: spent, Estimated: r.reckoned.tokens > 0}
	}
	return nil
}
