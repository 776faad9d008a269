package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"skills/internal/agent/model"
)

// Budget limits an eval; zero values are no limit.
type Budget struct {
	Calls  int // requests to models
	Tokens int64
	Cost   float64
	Price  [2]float64 // of a million input and output tokens
}

// cost returns the price of tokens.
func (b Budget) cost(input, output int64) float64 {
	return (float64(input)*b.Price[0] + float64(output)*b.Price[1]) / 1e6
}

// errBudget ends a run that would exceed the budget.
var errBudget = errors.New("the budget is used up")

// meter counts what an eval uses. It is safe for concurrent use.
type meter struct {
	Budget
	mu      sync.Mutex
	calls   int
	usage   model.Usage
	stopped string // the budget that prevented something, or ""
}

// request counts a request before it is sent; errBudget means that it must not be.
func (m *meter) request() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch u := m.usage; {
	case m.Calls > 0 && m.calls >= m.Calls:
		m.stopped = fmt.Sprintf("budget reached (--max-calls %d)", m.Calls)
	case m.Tokens > 0 && u.InputTokens+u.OutputTokens >= m.Tokens:
		m.stopped = fmt.Sprintf("budget reached (--max-tokens %d)", m.Tokens)
	case m.Cost > 0 && m.cost(u.InputTokens, u.OutputTokens) >= m.Cost:
		m.stopped = fmt.Sprintf("budget reached (--max-cost %g)", m.Cost)
	default:
		m.calls++
		return nil
	}
	return errBudget
}

// used adds the usage of a request, nil if it is unknown.
func (m *meter) used(u *model.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = *m.usage.Add(u)
}

func (m *meter) read() (tokens int64, cost float64, stopped string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.usage
	return u.InputTokens + u.OutputTokens, m.cost(u.InputTokens, u.OutputTokens), m.stopped
}

// watcher is the standard output of a run: it passes the transcript on and counts
// requests before they are sent. Its error ends the run.
type watcher struct {
	io.Writer
	meter *meter // nil for a run that is played back
	turn  func(n int)
	rest  []byte // an incomplete line
}

// Write implements [io.Writer].
func (w *watcher) Write(p []byte) (int, error) {
	if n, err := w.Writer.Write(p); err != nil {
		return n, err
	}
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte{'\n'})
		if !ok {
			return len(p), nil
		}
		if w.rest = rest; !bytes.HasPrefix(line, []byte(`{"type":"re`)) && !bytes.HasPrefix(line, []byte(`{"type":"usage"`)) {
			continue // large ones are not decoded
		}
		var e struct {
			Type string `json:"type"`
			Turn int    `json:"turn"`
			model.Usage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		if e.Type == "request" {
			w.turn(e.Turn)
		}
		switch {
		case w.meter == nil:
		case e.Type == "usage":
			w.meter.used(&e.Usage)
		case e.Type == "request" || e.Type == "retry":
			if err := w.meter.request(); err != nil {
				return 0, err
			}
		}
	}
}
