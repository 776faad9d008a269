package eval

import (
	"fmt"
	"sync"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/fault"
)

// Budget limits an eval; zero values are no limit.
type Budget struct {
	Calls  int // requests to models
	Tokens int64
	Cost   float64
	Price  agent.Price // of a million input and output tokens
}

// check returns a usage error if the price of tokens is missing.
func (b Budget) check() error {
	return fault.UsageIf(b.Cost > 0 && b.Price == (agent.Price{}), "add --price IN,OUT, per million tokens, or the price of the model to your own configuration",
		"--max-cost needs the price of tokens")
}

// budgetError ends a run that would exceed the budget.
type budgetError struct{}

func (budgetError) Error() string { return "the budget is used up" }

// Final implements [model.Final]: no request is sent again.
func (budgetError) Final() {}

// meter counts what an eval uses. It is safe for concurrent use.
type meter struct {
	Budget
	mu      sync.Mutex
	calls   int
	usage   model.Usage
	cost    float64 // of usage, if there is a price
	stopped string  // the budget that prevented something, or ""
}

// request counts a request before it is sent; a budgetError means that it must not be.
func (m *meter) request() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch u := m.usage; {
	case m.Calls > 0 && m.calls >= m.Calls:
		m.stopped = fmt.Sprintf("budget reached (--max-calls %d)", m.Calls)
	case m.Tokens > 0 && u.InputTokens+u.OutputTokens >= m.Tokens:
		m.stopped = fmt.Sprintf("budget reached (--max-tokens %d)", m.Tokens)
	case m.Cost > 0 && m.cost >= m.Cost:
		m.stopped = fmt.Sprintf("budget reached (--max-cost %g)", m.Cost)
	default:
		m.calls++
		return nil
	}
	return budgetError{}
}

// used adds the usage of a request, nil if it is unknown.
func (m *meter) used(u *model.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = *m.usage.Add(u)
	if u != nil {
		m.cost += m.Price.Cost(*u)
	}
}

// usedAt is used with a price of its own.
func (m *meter) usedAt(price agent.Price, u *model.Usage) {
	m.used(u)
	m.mu.Lock()
	defer m.mu.Unlock()
	if u != nil {
		m.cost += price.Cost(*u) - m.Price.Cost(*u)
	}
}

// setPrice sets the price of what is used from now on.
func (m *meter) setPrice(price agent.Price) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Price = price
}

// spent returns the cost of what was used, 0 without a price.
func (m *meter) spent() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}

func (m *meter) read() (usage model.Usage, stopped string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage, m.stopped
}

// event counts the requests and tokens of an event of a run.
func (m *meter) event(e agent.Event) error {
	switch e := e.(type) {
	case agent.RequestEvent, agent.RetryEvent:
		return m.request()
	case agent.UsageEvent:
		m.used(&e.Usage)
	}
	return nil
}
