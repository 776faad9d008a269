package agent

import (
	"encoding/json"

	"skills/internal/agent/model"
)

// bytesPerToken is the estimated size of a token, where the server does not
// count them: about that for English and for code, and too much for most else,
// so that a limit is reached rather too early.
const bytesPerToken = 4

// addEstimate estimates a turn whose usage the server did not report, if a limit
// depends on it.
func (r *run) addEstimate(request Request, reply model.Reply) {
	if reply.Usage != nil || r.agent.config.Limits.Tokens == 0 {
		return
	}
	if r.estimated == 0 {
		r.warn("the server reports no token usage; estimating %d bytes per token", bytesPerToken)
	}
	bytes := len(request.Instructions) + messageBytes(Message{Text: reply.Text, Calls: reply.Calls})
	for _, m := range request.Messages {
		bytes += messageBytes(m)
	}
	for _, tool := range request.Tools {
		schema, _ := json.Marshal(tool.Schema) // one that cannot be sent has failed the request
		bytes += len(tool.Name) + len(tool.Description) + len(schema)
	}
	r.estimated += int64(bytes/bytesPerToken + 1)
}

func messageBytes(m Message) int {
	n := len(m.Text) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// tokenLimit is the limit of tokens, if it is reached.
func (r *run) tokenLimit() *LimitError {
	most, used := r.agent.config.Limits.Tokens, r.estimated
	if u := r.result.Usage; u != nil {
		used += u.InputTokens + u.OutputTokens
	}
	if most > 0 && used >= most {
		return &LimitError{Limit: LimitTokens, Max: most, Used: used, Estimated: r.estimated > 0}
	}
	return nil
}
