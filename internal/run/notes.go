package run

import (
	"skills/internal/agent"
	"skills/internal/loader"
)

// maxLate is how many notes and warnings wait for the next event; more are dropped.
const maxLate = 200

// notes holds what is printed for people besides the events of the conversation. What is known
// before the run is announced after its first event; what arises during the run comes with
// the next event, because events are never concurrent.
type notes struct {
	announced []agent.Event
	late      chan agent.Event
	notify    loader.Notify // receives notices before the run
	running   bool          // run.started was emitted
}

func newNotes(notify loader.Notify) *notes {
	return &notes{late: make(chan agent.Event, maxLate), notify: notify}
}

// announce adds a note or a warning to those before the conversation.
func (n *notes) announce(e agent.Event) { n.announced = append(n.announced, e) }

// note announces a note.
func (n *notes) note(text string) { n.announce(agent.NoteEvent{Message: text}) }

// queue queues a note or a warning for the next event of the run.
func (n *notes) queue(e agent.Event) {
	select {
	case n.late <- e:
	default: // more than anybody reads
	}
}

// notice passes on a notice about skills: once the run emits events, as one of them.
func (n *notes) notice(notice loader.Notice) {
	if !n.running {
		n.notify(notice)
		return
	}
	text := notice.Text()
	if notice.Hint != "" {
		text += " (" + notice.Hint + ")"
	}
	n.queue(agent.WarningEvent{Message: text})
}
