package skills

import (
	"context"
	"errors"
	"maps"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/loader"
)

// With [Options.AskToRead], a skill is loaded and its files are read only after an
// approval, because a text that nobody has read yet instructs the model. What the model has
// already, or the user loads, needs none.

// reading is an action that reads a skill or one of its files, and needs approval.
type reading struct {
	agent.Action
	provider *Provider
	skill    *loader.Skill
	covers   func(name string) bool
	files    files.Snapshot // nil for a skill without a folder
	err      error          // why they cannot be compared
	source   func() (string, error)
}

// asking has an action that reads of a skill approved.
func asking(ctx context.Context, p *Provider, action agent.Action, s *loader.Skill, c loader.Contents, source func() (string, error)) agent.Action {
	if !p.opt.AskToRead {
		return action
	}
	r := &reading{Action: action, provider: p, skill: s, covers: p.covers(s, c), source: source}
	r.read(ctx)
	if r.err == nil && s.Dir != "" {
		p.files.pin(s.Dir, r.files)
	}
	return r
}

func (r *reading) read(ctx context.Context) {
	if r.skill.Dir != "" {
		r.files, r.err = files.TakeSnapshot(ctx, r.skill.Dir)
	}
}

// Approval asks for the files of the skill as they are.
func (r *reading) Approval() *agent.Approval {
	a := &agent.Approval{Action: r.Summary(), Dir: r.skill.Dir, Note: allowedTools(r.skill), Source: r.source}
	if r.err != nil {
		a.Blocked = errors.New(detail(r.err))
	}
	if r.files != nil {
		a.Content, a.Read = r.content(), func(ctx context.Context) (agent.Content, error) {
			r.read(ctx)
			return r.content(), r.err
		}
	}
	return a
}

// readContent is the content of a skill whose text or file is read.
type readContent struct {
	of    *reading
	files files.Snapshot
}

func (r *reading) content() readContent { return readContent{r, r.files} }

// Digest returns that of all files of the skill, like that of its scripts.
func (c readContent) Digest() string {
	covered := maps.Clone(c.files)
	maps.DeleteFunc(covered, func(name, _ string) bool { return c.of.covers != nil && !c.of.covers(name) })
	return covered.Digest()
}

// Action names the skill, and the file.
func (c readContent) Action() agent.Summary {
	s := c.of.Summary()
	s.Files = c.Digest()
	return s
}

// Unlisted returns the files that changed since they were first seen.
func (c readContent) Unlisted() (names []string, changed bool) {
	names = c.of.provider.files.changedSinceSeen(c.of.skill.Dir, c.files)
	return names, len(names) > 0
}

// Changed returns the files that differ from earlier content.
func (c readContent) Changed(earlier agent.Content) (names []string, changed bool) {
	before, ok := earlier.(readContent)
	if !ok {
		return nil, earlier == nil || earlier.Digest() != c.Digest()
	}
	names = c.of.provider.files.changed(c.of.skill.Dir, c.files, before.files)
	return names, len(names) > 0
}
