package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// DefaultRetries is the default of Server.Retries.
const DefaultRetries = 2

// Agent runs prompts with one configuration. It is safe for concurrent use;
// runs share the sink of events, which still sees one event at a time.
type Agent struct {
	config Config
	client *client
	close  func() // ends idle connections of the agent's own transport

	events sync.Mutex
}

// New returns an agent, or an error that says what the configuration lacks: a
// model, a base URL with scheme and host, providers with names and state of
// their own.
func New(c Config) (*Agent, error) {
	if c.Model == "" {
		return nil, errors.New("no model is named")
	}
	base, err := baseURL(c.Server.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkProviders(c.Providers); err != nil {
		return nil, err
	}
	if c.Limits.Turns <= 0 {
		c.Limits.Turns = DefaultTurns
	}
	if c.Limits.Reply <= 0 {
		c.Limits.Reply = DefaultReply
	}
	if c.Limits.Idle == 0 {
		c.Limits.Idle = DefaultIdle
	}
	if c.Limits.ReplyTime == 0 {
		c.Limits.ReplyTime = DefaultReplyTime
	}
	switch {
	case c.Limits.Failures == 0:
		c.Limits.Failures = DefaultFailures
	case c.Limits.Failures < 0:
		c.Limits.Failures = 0
	}
	switch {
	case c.Server.Retries == 0:
		c.Server.Retries = DefaultRetries
	case c.Server.Retries < 0:
		c.Server.Retries = 0
	}
	if c.Wait == nil {
		c.Wait = sleep
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Grace <= 0 {
		c.Grace = Grace
	}
	if c.Server.Proxy == nil {
		c.Server.Proxy = http.ProxyFromEnvironment
	}
	a := &Agent{config: c, close: func() {}}
	transport := c.Server.Transport
	if transport == nil {
		own := &http.Transport{
			Proxy: c.Server.Proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 30 * time.Second,
			DialContext: dial,
		}
		transport, a.close = own, own.CloseIdleConnections
	}
	a.client = newClient(c, base, transport)
	return a, nil
}

// baseURL checks and parses the address of a server.
func baseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("no base URL is given")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// The text of a parse error repeats the whole address, and with it
		// what somebody may have put in as user and password.
		return nil, errors.New("the base URL cannot be read; it looks like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the base URL %q has no http:// or https://", u.Redacted())
	case u.Host == "":
		return nil, fmt.Errorf("the base URL %q names no host", u.Redacted())
	}
	return u, nil
}

// emit hands an event to the sink, alone.
func (a *Agent) emit(e Event) {
	if a.config.Events == nil {
		return
	}
	a.events.Lock()
	defer a.events.Unlock()
	a.config.Events(e)
}

func (a *Agent) warn(format string, args ...any) {
	a.emit(WarningEvent{Message: fmt.Sprintf(format, args...)})
}

// sleep waits on the real clock.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
