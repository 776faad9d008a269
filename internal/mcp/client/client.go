// Package client offers what MCP servers have to a run: their tools, instructions, resources,
// prompts and skills. It connects to servers, names their tools, decides on calls and turns
// results into text.
//
// A server is a program that the user chose, or a URL. What it sends is not trusted: the
// time and the bytes of each answer are limited, and text is stripped of control characters.
// A server that fails is a warning or the error of a call, never the end of the run.
package client

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// Name is the name of the context provider.
const Name = "mcp"

// Limits of what one server may offer.
const (
	maxTools      = 128
	maxDefinition = 32 << 10 // bytes of a tool's name, description and schema
)

// Server is an MCP server: a URL, or else a program with its arguments.
type Server struct {
	Name    string // letters, digits, - and _
	URL     string
	Command []string

	Env []string // variables of the program, as KEY=VALUE, in addition to those of scripts
	Dir string   // folder in which the program starts; "" for that of the run

	Headers []Header // of every request to the URL
	SSE     bool     // the URL has the older transport, HTTP with SSE
	// Login authorizes requests to the URL; nil sends them as they are.
	Login auth.OAuthHandler
}

// Header is a header of HTTP requests.
type Header struct{ Name, Value string }

// Programs runs the program of a server; [script.Runner] implements it.
type Programs interface {
	// Serve runs a program until it ends or ctx is cancelled. The error is the reason why
	// it was not started.
	Serve(ctx context.Context, program script.Service) (script.Result, error)
}

// Options configures a client.
type Options struct {
	Servers  []Server
	Programs Programs
	Version  string                    // of this program, for servers
	Timeout  time.Duration             // for the start of a server, and for each call without progress
	Stderr   func(server, line string) // receives the standard error of servers, concurrently; may be nil
	Reserved []string                  // names that no tool may have

	// Offer reports whether a tool of a server is offered; nil offers all.
	Offer func(server, tool string) bool
	// Mask masks keys in the text of servers; nil masks nothing.
	Mask func(text string) string
}

// Client is the context provider of the servers' tools. It must be closed.
type Client struct {
	opt     Options
	servers []*connection // in the order of the options; those without a session failed
	names   toolNames
}

// Connect starts the servers concurrently and asks for their tools. The warnings name
// the servers that cannot be used, and tools that are not offered.
func Connect(ctx context.Context, opt Options) (c *Client, warnings []string) {
	if opt.Mask == nil {
		opt.Mask = func(text string) string { return text }
	}
	if opt.Offer == nil {
		opt.Offer = func(string, string) bool { return true }
	}
	c = &Client{opt: opt, servers: make([]*connection, len(opt.Servers))}
	var wait sync.WaitGroup
	for i, s := range opt.Servers {
		wait.Go(func() {
			c.servers[i] = newConnection(s, &c.opt).open(ctx)
		})
	}
	wait.Wait()
	for _, s := range c.servers {
		warnings = append(warnings, slices.Compact(s.warnings)...)
	}
	return c, warnings
}

// Close ends the servers.
func (c *Client) Close() error {
	var wait sync.WaitGroup
	for _, s := range c.servers {
		wait.Go(s.close)
	}
	wait.Wait()
	return nil
}

// Servers are the names of the servers that can be used.
func (c *Client) Servers() (names []string) {
	for s := range c.live {
		names = append(names, s.Name)
	}
	return names
}

// live calls yield for the servers that can be used.
func (c *Client) live(yield func(*connection) bool) {
	for _, s := range c.servers {
		if s.session != nil && !yield(s) {
			return
		}
	}
}

// Name is "mcp".
func (*Client) Name() string { return Name }

// Invoking adds the instructions and tools. The provider must be the last, because tools of
// others keep their names.
func (c *Client) Invoking(_ context.Context, run *agent.Invoking) (agent.Context, error) {
	taken := slices.Clone(c.opt.Reserved)
	for _, t := range run.Context.Tools {
		taken = append(taken, t.Name)
	}
	c.names = newToolNames(taken)
	return agent.Context{Instructions: c.instructions(), Tools: c.tools(), Refresh: c.refresh}, nil
}

// Invoked does nothing.
func (*Client) Invoked(context.Context, *agent.Invoked) error { return nil }

// tools returns the tools of the servers, and the one that reads resources.
func (c *Client) tools() (out []agent.Tool) {
	var all []*tool
	for s := range c.live {
		all = append(all, slices.DeleteFunc(slices.Clone(s.tools), func(t *tool) bool { return !c.opt.Offer(s.Name, t.def.Name) })...)
	}
	names := c.names.assign(all)
	for i, t := range all {
		out = append(out, agent.Tool{Name: names[i], Description: c.opt.Mask(stripped(t.def.Description)), Schema: t.schema, Prepare: t.prepare})
	}
	return append(out, c.resourceTools()...)
}

// refresh lists the tools of servers whose list has changed, and returns nil if none has.
func (c *Client) refresh(ctx context.Context) (*agent.Update, error) {
	var notes []string
	for s := range c.live {
		if !s.changed.Swap(false) {
			continue
		}
		before, known := s.tools, s.warnings
		err := s.within(ctx, func(ctx context.Context) error { return s.list(ctx) })
		if err != nil {
			s.tools, s.warnings = before, known
			notes = append(notes, fmt.Sprintf("the MCP server %s announced other tools, but could not list them: %v", s.Name, err))
			continue
		}
		isKnown := func(text string) bool { return slices.Contains(known, text) }
		notes = append(notes, slices.DeleteFunc(slices.Clone(s.warnings), isKnown)...)
		if change := changes(before, s.tools); change != "" {
			notes = append(notes, fmt.Sprintf("the tools of the MCP server %s changed: %s", s.Name, change))
		}
	}
	if len(notes) == 0 {
		return nil, nil
	}
	return &agent.Update{Instructions: c.instructions(), Tools: c.tools(), Note: strings.Join(notes, "; ")}, nil
}

// changes describes the difference of two lists of tools, or returns "".
func changes(before, now []*tool) string {
	names := func(list, other []*tool) (names []string) {
		for _, t := range list {
			if !slices.ContainsFunc(other, func(o *tool) bool { return o.def.Name == t.def.Name }) {
				names = append(names, oneLine(t.def.Name))
			}
		}
		return names
	}
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"new: ", names(now, before)}, {"gone: ", names(before, now)}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+printable.TruncateMiddle(strings.Join(p.names, ", "), maxText))
		}
	}
	same := func(a, b *tool) bool { return printable.JSONText(a.def) == printable.JSONText(b.def) }
	if len(parts) == 0 && !slices.EqualFunc(before, now, same) {
		return "other definitions"
	}
	return strings.Join(parts, ", ")
}

// stripped returns text without escape sequences and control characters.
func stripped(text string) string {
	text, _ = bounded(text, maxDefinition)
	return text
}

// bounded returns at most limit bytes of text without control characters, and whether a
// part is missing.
func bounded(text string, limit int) (string, bool) {
	e := printable.NewExcerpt(limit)
	s := printable.NewStripper(e)
	io.WriteString(s, text) // an excerpt never fails
	s.Close()
	return e.Text()
}

// oneLine returns the start of a server's text on one line.
func oneLine(text string) string { return printable.Truncate(printable.Line(stripped(text)), maxText) }

// capabilities returns what the server declared.
func (c *connection) capabilities() mcp.ServerCapabilities {
	if r := c.session.InitializeResult(); r != nil && r.Capabilities != nil {
		return *r.Capabilities
	}
	return mcp.ServerCapabilities{}
}
