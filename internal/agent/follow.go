package agent

import (
	"context"
	"slices"
)

// Messages that a middleware adds to a call follow the results of its turn, so that no
// result is parted from its call. Requests have them at the end of the last result, in
// tags, because chat templates refuse a message of the user there. While a call of the turn
// waits for an approval, they wait in the session.

// followState is the key of the messages that wait in a session.
const followState = "follow"

// following is the state in a session.
type following struct {
	Messages []Message `json:"messages"`
}

// follow adds the messages that follow the results of a turn, or keeps them in the session
// until the turn has all of its results.
func follow(ctx context.Context, r *run, got executed) error {
	messages, state := got.added, NewState(followState, func() following { return following{Messages: []Message{}} })
	if r.session.Has(followState) || got.waits != nil && len(messages) > 0 {
		err := state.Update(r.session, func(f *following) error {
			messages = slices.Concat(f.Messages, messages)
			f.Messages = []Message{}
			if got.waits != nil {
				f.Messages, messages = messages, nil
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, m := range messages {
		m.Role, m.Source = User, FromContext
		r.show(m)
		if err := r.add(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
