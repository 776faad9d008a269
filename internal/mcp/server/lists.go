package server

// The lists of tools, prompts and resources follow the skills on disk: before each request
// that reads one, and while clients are connected, they are compared with what the library
// has. A difference replaces single entries, and the library notifies the clients.

import (
	"context"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/discovery"
	"skills/internal/loader"
	"skills/internal/printable"
)

const (
	pollTime     = 2 * time.Second
	pollShare    = 50   // a look takes at most this fraction of the time
	maxResources = 5000 // of all skills; others can be read, but are not listed
	maxShown     = 1024 // characters of a description
)

// Hints say what programs that tools run are kept from.
type Hints struct {
	Sandboxed bool // they run in a sandbox
	Network   bool // they may use the network
}

// known holds the entries of a list as JSON, by name.
type known map[string]string

// entry is an entry of a list, and what adds it.
type entry struct {
	name  string
	value any
	add   func()
}

// update makes a list hold these entries.
func (k known) update(entries []entry, remove func(names ...string)) {
	now := map[string]bool{}
	for _, e := range entries {
		now[e.name] = true
		text := printable.JSONText(e.value)
		if k[e.name] != text {
			k[e.name] = text
			e.add()
		}
	}
	var gone []string
	for name := range k {
		if !now[name] {
			gone = append(gone, name)
			delete(k, name)
		}
	}
	if len(gone) > 0 {
		remove(gone...)
	}
}

// Watch notices changes of the skills, so that clients are notified, until the context
// ends.
func (s *Server) Watch(ctx context.Context) {
	pause := s.opt.Poll
	if pause <= 0 {
		pause = pollTime
	}
	for wait := pause; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		connected := false
		for range s.sdk.Sessions() {
			connected = true
		}
		if !connected {
			continue
		}
		started := time.Now()
		_ = s.refresh(ctx) // the next request reports its error
		wait = max(pause, pollShare*time.Since(started))
	}
}

// refresh updates all lists.
func (s *Server) refresh(ctx context.Context) error {
	err := s.refreshTools(ctx)
	if err != nil {
		return err
	}
	all, err := s.opt.Source.Skills(ctx)
	if err != nil {
		return err
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	s.refreshPrompts(all)
	return s.refreshResources(ctx, all)
}

// refreshTools updates the list of tools, and the skills.
func (s *Server) refreshTools(ctx context.Context) error {
	_, err := library{s.opt.Source}.skills(ctx)
	if err != nil {
		return err
	}
	tools, _, err := s.offered(ctx)
	if err != nil {
		return err
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	var entries []entry
	for _, t := range tools {
		tool := &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema, Annotations: s.annotations(t)}
		entries = append(entries, entry{t.Name, tool, func() { s.sdk.AddTool(tool, s.call) }})
	}
	s.tools.update(entries, s.sdk.RemoveTools)
	return nil
}

// annotations says what a tool may do. The server itself approves scripts, changes and
// commands, and confines programs; the hints are for clients that would rather not ask.
func (s *Server) annotations(t agent.Tool) *mcp.ToolAnnotations {
	confined := s.opt.Hints.Sandboxed
	destructive := t.Effects.Changes || t.Effects.Programs && !confined
	open := t.Effects.Programs && (s.opt.Hints.Network || !confined)
	readOnly := !t.Effects.Changes && !t.Effects.Programs
	return &mcp.ToolAnnotations{
		Title:           strings.ToUpper(t.Name[:1]) + strings.ReplaceAll(t.Name[1:], "_", " "),
		ReadOnlyHint:    readOnly,
		IdempotentHint:  readOnly || t.Effects.Repeatable,
		DestructiveHint: &destructive, OpenWorldHint: &open,
	}
}

// refreshPrompts updates the prompts: one for each skill that a user may invoke.
func (s *Server) refreshPrompts(all []*loader.Skill) {
	var entries []entry
	for _, one := range all {
		if one.NotUser {
			continue
		}
		p := &mcp.Prompt{
			Name: one.Name, Description: printable.Truncate(printable.Line(s.opt.Mask(one.Description)), maxShown),
			Arguments: []*mcp.PromptArgument{{Name: "request", Description: "What to do with the skill."}},
		}
		entries = append(entries, entry{p.Name, p, func() { s.sdk.AddPrompt(p, s.prompt) }})
	}
	s.prompts.update(entries, s.sdk.RemovePrompts)
}

// prompt returns the text of a skill, followed by the user's request.
func (s *Server) prompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text, err := skills.Invoke(ctx, s.opt.Provider, s.session, req.Params.Name)
	if err != nil {
		return nil, err
	}
	if request := strings.TrimSpace(req.Params.Arguments["request"]); request != "" {
		text += "\n\n" + request
	}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

// refreshResources updates the resources: the index, and the files of the skills.
func (s *Server) refreshResources(ctx context.Context, all []*loader.Skill) error {
	read := library{s.opt.Source}.read
	var entries []entry
	add := func(r *mcp.Resource) {
		if len(entries) < maxResources {
			entries = append(entries, entry{r.URI, r, func() { s.sdk.AddResource(r, read) }})
		}
	}
	add(&mcp.Resource{
		URI: discovery.Address, Name: "index.json", MIMEType: discovery.MIMEType, Description: "The index of the skills, as Agent Skills Discovery has it.",
	})
	for _, one := range all {
		if !served(one) {
			continue
		}
		names, err := listed(ctx, one)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // reading it returns the error
		}
		for _, name := range names {
			r := &mcp.Resource{URI: address(one.Name, name), Name: one.Name + "/" + name, MIMEType: typeOf(name)}
			if name == mainFile {
				r.Description = printable.Truncate(printable.Line(s.opt.Mask(one.Description)), maxShown)
			}
			add(r)
		}
	}
	s.resources.update(entries, s.sdk.RemoveResources)
	return nil
}

// served reports whether the files of a skill are resources.
func served(s *loader.Skill) bool {
	_, err := url.Parse(address(s.Name, mainFile))
	return s.Dir != "" && !s.Hidden && err == nil
}

// typeOf guesses the type of a file from its name; "" if that takes its content.
func typeOf(name string) string {
	return map[string]string{".md": "text/markdown", ".txt": "text/plain", ".json": "application/json", ".csv": "text/csv"}[path.Ext(name)]
}
