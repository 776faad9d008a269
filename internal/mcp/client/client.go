// Package client offers the tools of MCP servers to the model: it connects to servers,
// names their tools, decides on calls and turns results into text.
//
// A server is a program that the user chose, or a URL. What it sends is not trusted:
// the time and the bytes of each answer are limited, and text is stripped of control
// characters. A server that fails is a warning or the error of a call, never the end of
// the run.
package client

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

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
}

// Programs runs the program of a server; [script.Runner] implements it.
type Programs interface {
	// Serve runs command until it ends or ctx is cancelled. The error is the reason why
	// it was not started.
	Serve(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer) (script.Result, error)
}

// Options configures a client.
type Options struct {
	Servers  []Server
	Programs Programs
	Version  string                    // of this program, for servers
	Timeout  time.Duration             // for the start of a server, and for each call
	Stderr   func(server, line string) // receives the standard error of servers, concurrently; may be nil
	Reserved []string                  // names that no tool may have

	// Offer reports whether a tool of a server is offered; nil offers all.
	Offer func(server, tool string) bool
}

// Client is the context provider of the servers' tools. It must be closed.
type Client struct {
	opt     Options
	servers []*connection // in the order of the options; those without a session failed
}

// tool is a tool of a server, with the schema that the model gets.
type tool struct {
	*connection
	def    *mcp.Tool
	schema map[string]any
	nulls  []string // parameters that the server requires, and that the model may omit: they are null then
}

// Connect starts the servers concurrently and asks for their tools. The warnings name
// the servers that cannot be used, and tools that are not offered.
func Connect(ctx context.Context, opt Options) (c *Client, warnings []string) {
	c = &Client{opt: opt, servers: make([]*connection, len(opt.Servers))}
	var wait sync.WaitGroup
	for i, s := range opt.Servers {
		wait.Go(func() {
			c.servers[i] = &connection{Server: s, opt: &c.opt}
			c.servers[i].open(ctx)
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
	for _, s := range c.servers {
		if s.session != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// Name is "mcp".
func (*Client) Name() string { return Name }

// Invoking adds the tools. The provider must be the last, because tools of others keep
// their names.
func (c *Client) Invoking(_ context.Context, run *agent.Invoking) (agent.Context, error) {
	var all []*tool
	names := map[string]int{} // how many want a name
	for _, name := range c.opt.Reserved {
		names[name] = 1
	}
	for _, t := range run.Context.Tools {
		names[t.Name] = 1
	}
	taken := maps.Clone(names)
	for _, s := range c.servers {
		for _, t := range s.tools {
			if c.opt.Offer == nil || c.opt.Offer(s.Name, t.def.Name) {
				all = append(all, t)
				names[clean(t.def.Name)]++
			}
		}
	}
	var out agent.Context
	for _, t := range all {
		name := clean(t.def.Name)
		if names[name] > 1 {
			name = clean(t.Server.Name + "_" + t.def.Name)
		}
		for n, plain := 2, name; taken[name] > 0; n++ {
			end := fmt.Sprintf("_%d", n)
			name = plain[:min(len(plain), maxName-len(end))] + end
		}
		taken[name] = 1
		out.Tools = append(out.Tools, agent.Tool{Name: name, Description: stripped(t.def.Description), Schema: t.schema, Prepare: t.prepare})
	}
	return out, nil
}

// Invoked does nothing.
func (*Client) Invoked(context.Context, *agent.Invoked) error { return nil }

const maxName = 64 // characters of a function's name in the chat-completions protocol

// clean returns a name as the chat-completions protocol allows it.
func clean(name string) string {
	name = regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(name, "_")
	return name[:min(len(name), maxName)]
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
