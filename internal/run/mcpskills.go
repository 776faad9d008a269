package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/mcp/client"
)

// serverSkills are the skills of MCP servers, none before these are connected.
type serverSkills struct{ skills []*loader.Skill }

// Skills implements [loader.Source].
func (s *serverSkills) Skills(context.Context) ([]*loader.Skill, error) {
	return slices.Clone(s.skills), nil
}

// addServerSkills adds the skills of the connected servers to those of the run. A skill of
// a folder keeps its name.
func addServerSkills(ctx context.Context, p *Parts) error {
	source, ok := p.Skills.Source.(interface {
		Refresh(ctx context.Context) ([]*loader.Skill, error)
	})
	if p.Skills.servers == nil || !ok {
		return nil
	}
	for _, s := range p.mcp.Skills() {
		if _, use := p.Skills.Chooser.Use("", s.Name, nil); use {
			p.Skills.servers.skills = append(p.Skills.servers.skills, serverSkill(s))
		}
	}
	if len(p.Skills.servers.skills) == 0 {
		return nil
	}
	_, err := source.Refresh(ctx)
	return err
}

// serverSkill returns a skill of a server. Its files are resources, and none is a script: a
// server cannot make a program run here. Its allowed-tools count for nothing, either.
func serverSkill(s client.Skill) *loader.Skill {
	return &loader.Skill{
		Name: s.Name, Description: s.Description, Hidden: s.Hidden, NotUser: s.NotUser, Origin: "the MCP server " + s.Server,
		Load: func(ctx context.Context) (loader.Contents, error) {
			text, files, err := s.Load(ctx)
			if err != nil {
				return loader.Contents{}, err
			}
			contents := loader.Contents{Text: text}
			for _, f := range files {
				contents.Resources = append(contents.Resources, loader.Resource{
					Name: f.Name,
					Read: func(ctx context.Context, offset, limit int64) ([]byte, int64, error) {
						data, err := f.Read(ctx)
						size := int64(len(data))
						from := min(max(offset, 0), size)
						return data[from:min(from+max(limit, 0), size)], size, err
					},
				})
			}
			slices.SortFunc(contents.Resources, func(a, b loader.Resource) int { return strings.Compare(a.Name, b.Name) })
			return contents, nil
		},
	}
}

// serverPrompt replaces a prompt that begins with /SERVER:PROMPT by the server's, and
// reports whether it did.
func serverPrompt(ctx context.Context, p *Parts) (bool, error) {
	if p.mcp == nil || p.Options.Prompt.NoSlash {
		return false, nil
	}
	server, name, rest, ok := p.mcp.IsPrompt(p.Prompt)
	if !ok {
		return false, nil
	}
	text, err := p.mcp.Prompt(ctx, server, name, rest)
	switch {
	case errors.Is(err, context.Cause(ctx)) && ctx.Err() != nil:
		return false, err
	case err != nil:
		return false, fault.Usage("pass --no-slash to send the prompt as text", "%s", p.Mask.Text(fmt.Sprintf("/%s:%s: %v", server, name, err)))
	}
	p.Prompt = text
	return true, nil
}
