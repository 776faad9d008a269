package skills

// What can be called at present: skills that are not loaded, and the resources and scripts
// of those that are. Constrained calls are held to it, so that a model cannot invent names.

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/lazyregexp"
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
		owner := oneOf("skillName", []string{skill.Name})
		var names []string
		for _, r := range contents.Resources {
			switch offset, found := read[r.Name]; {
			case !found:
				names = append(names, r.Name)
			case offset > 0:
				rest := map[string]any{"type": "integer", "enum": []int64{offset}}
				choices = append(choices, agent.Choice{owner, oneOf("resourceName", []string{r.Name}), {Name: "offset", Schema: rest, Required: true}})
			}
		}
		if len(names) > 0 {
			choices = append(choices, agent.Choice{owner, oneOf("resourceName", names)})
		}
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

// alreadyRead returns the resources of a skill that the conversation has, with where the
// last piece that was read continues, 0 if it is the end.
func alreadyRead(skill string, sent []agent.Message) map[string]int64 {
	read, asked := map[string]int64{}, map[string]string{}
	for _, m := range sent {
		for _, call := range m.Calls {
			in, fault := agent.DecodeArguments[readInput](readTool, call.Arguments)
			if fault == "" && call.Name == readTool && in.SkillName == skill {
				asked[call.ID] = in.ResourceName
			}
		}
		name := asked[m.CallID]
		isText := m.Role == agent.ToolRole && !strings.HasPrefix(m.Text, "Error: ") && !strings.HasPrefix(m.Text, removedResource)
		if name != "" && isText {
			read[name] = continuesAt(m.Text)
		}
	}
	return read
}

// continuation matches what follows a piece of a resource that is not its end.
var continuation = lazyregexp.New(`\[This is a part[^\]]* with offset (\d+)\.\]`)

// continuesAt returns where the rest of a resource begins, after the result of reading a
// piece, or 0.
func continuesAt(result string) int64 {
	found := continuation().FindAllStringSubmatch(result, -1)
	if len(found) == 0 {
		return 0
	}
	offset, _ := strconv.ParseInt(found[len(found)-1][1], 10, 64) // 0 for a number in a text that has no sense
	return offset
}

// maxUnfitting is how many skills can be loaded for a request whose words fit none.
const maxUnfitting = 2

// stillFitting returns the skills that can be loaded after one that fits the request: others
// that fit, and those that the conversation names. Small models load one after the other,
// also where none fits.
func (k toolSet) stillFitting(session *agent.Session, sent []agent.Message, names []string) []string {
	request, texts, loads := "", []string{}, 0
	for _, m := range sent {
		if m.Role == agent.User && !m.Added() {
			request, loads = m.Text, 0
		}
		if m.Role == agent.ToolRole && m.Name == loadTool {
			loads++
		}
		texts = append(texts, m.Text)
	}
	fitting := k.fitting(request)
	isLoaded := func(name string) bool {
		return slices.ContainsFunc(k.loadedSkills(session), func(s *loader.Skill) bool { return s.Name == name })
	}
	isEnough := slices.ContainsFunc(fitting, isLoaded) || len(fitting) == 0 && loads >= maxUnfitting
	if !isEnough {
		return names
	}
	said := strings.Join(texts, "\n")
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(fitting, name) && !mentions(said, name) })
}

// mentions reports whether a text has the name of a skill, not as a part of another word.
func mentions(text, name string) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }
	for before, rest, found := strings.Cut(text, name); found; before, rest, found = strings.Cut(rest, name) {
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(rest)
		if !inWord(last) && !inWord(next) {
			return true
		}
	}
	return false
}
