package agent

import "context"

// historyKey is the name of the history's provider and of its state.
const historyKey = "messages"

// History returns a context provider that keeps the conversation in the
// session and puts that of earlier runs in front of the prompt (the
// framework's chat history provider). What a run added is kept whatever its
// end: its messages are complete, so that the next run can go on from them.
func History() ContextProvider {
	return &history{NewState(historyKey, func() []Message { return nil })}
}

type history struct{ state *State[[]Message] }

func (h *history) Name() string { return historyKey }

// LoadsHistory makes it the one whose messages are FromHistory.
func (h *history) LoadsHistory() {}

func (h *history) Invoking(_ context.Context, run *Invoking) (Context, error) {
	var out Context
	err := h.state.View(run.Session, func(messages []Message) {
		for _, m := range messages {
			m.Source = FromHistory
			out.Messages = append(out.Messages, m)
		}
	})
	return out, err
}

func (h *history) Invoked(_ context.Context, run *Invoked) error {
	return h.state.Update(run.Session, func(messages *[]Message) error {
		*messages = append(append(*messages, run.Request...), run.Response...)
		return nil
	})
}
