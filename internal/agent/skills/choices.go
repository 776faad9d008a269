package skills

// What can be called at present: skills that are not loaded, and the resources and scripts
// of those that are. Constrained calls are held to it, so that a model cannot invent names.

import (
	"context"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
)

// maxChoices is the highest number of names that a list holds; beyond it any text is
// allowed.
const maxChoices = 200

// loadChoices returns the skills whose content the conversation does not have.
func (k toolSet) loadChoices(ctx context.Context, session *agent.Session, sent []agent.Message) []agent.Choice {
	names := slices.Clone(k.names)
	for _, skill := range k.loadedSkills(session) {
		contents, err := contentsOf(ctx, skill)
		if err == nil && k.newActivation(skill, contents).isCurrent(sent, k.opt.Mask) {
			names = slices.DeleteFunc(names, func(name string) bool { return name == skill.Name })
		}
	}
	if k.isUnused(ctx, session, sent) {
		return []agent.Choice{}
	}
	names = k.stillFitting(session, sent, names)
	if len(names) == 0 {
		return []agent.Choice{}
	}
	return []agent.Choice{{oneOf("skillName", names)}}
}

// readChoices returns the resources of loaded skills.
func (k toolSet) readChoices(ctx context.Context, session *agent.Session, sent []agent.Message) []agent.Choice {
	choices := []agent.Choice{}
	for _, skill := range k.loadedSkills(session) {
		contents, err := contentsOf(ctx, skill)
		if err != nil {
			continue
		}
		read := alreadyRead(skill.Name, sent)
		var names []string
		for _, r := range contents.Resources {
			if !read[r.Name] {
				names = append(names, r.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		choices = append(choices, agent.Choice{oneOf("skillName", []string{skill.Name}), oneOf("resourceName", names)})
	}
	return choices
}

// runChoices returns the scripts of loaded skills.
func (k toolSet) runChoices(ctx context.Context, session *agent.Session, _ []agent.Message) []agent.Choice {
	choices := []agent.Choice{}
	for _, skill := range k.loadedSkills(session) {
		contents, err := contentsOf(ctx, skill)
		if err != nil {
			continue
		}
		for _, s := range contents.Scripts {
			if len(choices) == maxChoices {
				return nil
			}
			choices = append(choices, agent.Choice{
				oneOf("skillName", []string{skill.Name}), oneOf("scriptName", []string{s.Name}),
				{Name: "arguments", Schema: k.Takes(skill, s).Schema, Required: true},
			})
		}
	}
	return choices
}

// loadedSkills returns the skills that were loaded in the session, in this order.
func (k toolSet) loadedSkills(session *agent.Session) (out []*loader.Skill) {
	names, err := Loaded(session)
	if err != nil {
		return nil
	}
	for _, name := range names {
		skill, _ := k.named(name)
		if skill != nil {
			out = append(out, skill)
		}
	}
	return out
}

// oneOf returns a parameter with one of these values.
func oneOf(name string, values []string) agent.Field {
	schema := map[string]any{"type": "string"}
	if len(values) <= maxChoices {
		schema["enum"] = values
	}
	return agent.Field{Name: name, Schema: schema, Required: true}
}

// isUnused reports whether the skill that was loaded last has files or scripts, and
// nothing was done since: small models load one skill after the other.
func (k toolSet) isUnused(ctx context.Context, session *agent.Session, sent []agent.Message) bool {
	loaded := k.loadedSkills(session)
	if len(loaded) == 0 {
		return false
	}
	last := loaded[len(loaded)-1]
	contents, err := contentsOf(ctx, last)
	if err != nil || len(contents.Resources)+len(contents.Scripts) == 0 {
		return false
	}
	for _, m := range slices.Backward(sent) {
		if m.Role == agent.ToolRole && (m.Name == readTool || m.Name == runTool) {
			return false
		}
		if m.Role == agent.ToolRole && m.Name == loadTool {
			return true
		}
		if m.Role == agent.User && m.Source == agent.FromUser {
			return false
		}
	}
	return false
}

// alreadyRead returns the resources of a skill whose whole text the conversation has.
func alreadyRead(skill string, sent []agent.Message) map[string]bool {
	read, asked := map[string]bool{}, map[string]string{}
	for _, m := range sent {
		for _, call := range m.Calls {
			in, fault := agent.DecodeArguments[readInput](readTool, call.Arguments)
			if fault == "" && call.Name == readTool && in.SkillName == skill {
				asked[call.ID] = in.ResourceName
			}
		}
		name := asked[m.CallID]
		isWhole := m.Role == agent.ToolRole && !strings.HasPrefix(m.Text, "Error: ") && !strings.HasPrefix(m.Text, "[")
		if name != "" && isWhole && !strings.Contains(m.Text, "[This is a part.") {
			read[name] = true
		}
	}
	return read
}

// stillFitting returns the skills that can be loaded after one that fits the request: others
// that fit, and those that the conversation names. Small models load one after the other.
func (k toolSet) stillFitting(session *agent.Session, sent []agent.Message, names []string) []string {
	request, texts := "", []string{}
	for _, m := range sent {
		if m.Role == agent.User && !m.Added() {
			request = m.Text
		}
		texts = append(texts, m.Text)
	}
	fitting := k.fitting(request)
	isLoaded := func(name string) bool {
		return slices.ContainsFunc(k.loadedSkills(session), func(s *loader.Skill) bool { return s.Name == name })
	}
	if !slices.ContainsFunc(fitting, isLoaded) {
		return names
	}
	said := strings.Join(texts, "\n")
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(fitting, name) && !strings.Contains(said, name) })
}
