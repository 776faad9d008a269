package transcript

import (
	"skills/internal/agent"
	"skills/internal/redact"
)

// Masked wraps a printer that writes through masking writers, which it closes at the end.
// It joins the pieces of streamed text first, so that no key is split, because each piece
// is a line in JSON Lines.
func Masked(p Printer, mask *redact.Masker, writers ...*redact.Writer) Printer {
	return &masked{Printer: p, deltas: mask.Stream(), writers: writers}
}

type masked struct {
	Printer
	deltas  *redact.Stream
	writers []*redact.Writer
}

// Event implements [Printer].
func (p *masked) Event(e agent.Event) error {
	switch e := e.(type) {
	case agent.MessageDelta:
		return p.delta(p.deltas.Next(e.Text))
	case agent.ProgressEvent, agent.HeldEvent: // between the pieces
		return p.Printer.Event(e)
	}
	err := p.delta(p.deltas.Rest())
	if err != nil {
		return err
	}
	return p.Printer.Event(e)
}

func (p *masked) delta(text string) error {
	if text == "" {
		return nil
	}
	return p.Printer.Event(agent.MessageDelta{Text: text})
}

// Finish implements [Printer].
func (p *masked) Finish(r Result) error {
	err := p.delta(p.deltas.Rest())
	if err == nil {
		err = p.Printer.Finish(r)
	}
	for _, w := range p.writers {
		failure := w.Close()
		if err == nil {
			err = failure
		}
	}
	return err
}
