package agent

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"skills/internal/agent/model"
)

// Agent runs prompts with one configuration. It is safe for concurrent use;
// runs share the sink of events, which still sees one event at a time.
type Agent struct {
	config Config
	client *model.Client

	events sync.Mutex
}

// New returns an agent, or an error that says what the configuration lacks: a
// model, a base URL with scheme and host, providers with names of their own.
func New(c Config) (*Agent, error) {
	if c.Model == "" {
		return nil, errors.New("no model is named")
	}
	client, err := model.New(model.Options{
		Server: c.Server, Model: c.Model, Stream: c.Stream, MaxReply: c.Limits.Reply, Idle: c.Limits.Idle, Wait: c.Wait, Now: c.Now,
	})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, p := range c.Providers {
		if names[p.Name()] {
			return nil, fmt.Errorf("two context providers are named %q: their state would collide", p.Name())
		}
		names[p.Name()] = true
	}
	if c.Limits.Turns <= 0 {
		c.Limits.Turns = DefaultTurns
	}
	c.Limits.Failures = max(0, cmp.Or(c.Limits.Failures, DefaultFailures))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Grace <= 0 {
		c.Grace = Grace
	}
	return &Agent{config: c, client: client}, nil
}
