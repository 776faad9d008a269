package skills

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/search"
)

// Limits for an unknown name, and for the suggestions, in a result.
const (
	maxShownName  = 100 // characters
	maxShownNames = 50
)

// catalogue holds the skills of one run, with unique names.
type catalogue struct {
	skills []*loader.Skill      // in the order of the source: most important first
	names  []string             // sorted
	index  func() *search.Index // of all of them; nil unless it is needed

	scripts bool // whether one of them had a script when it was offered
}

// newCatalogue omits skills without a name and duplicates.
func newCatalogue(skills []*loader.Skill) *catalogue {
	c := &catalogue{}
	seen := map[string]bool{}
	for _, s := range skills {
		if s != nil && strings.TrimSpace(s.Name) != "" && !seen[s.Name] {
			seen[s.Name] = true
			c.skills, c.names = append(c.skills, s), append(c.names, s.Name)
		}
	}
	slices.Sort(c.names)
	return c
}

// forModel omits the skills that only the user invokes, except those already invoked,
// because the model works with them.
func (c *catalogue) forModel(called []string) *catalogue {
	return newCatalogue(slices.DeleteFunc(slices.Clone(c.skills), func(s *loader.Skill) bool {
		return s.Hidden && !slices.Contains(called, s.Name)
	}))
}

// entries returns the catalogue within the budget, the small one of a catalogue that is
// searched if small is true, and how many skills it leaves out, which the model finds by
// searching; notify receives what was shortened.
func (c *catalogue) entries(small bool, notify loader.Notify) (entries []prompt.Entry, left int) {
	for _, s := range c.skills {
		entries = append(entries, prompt.Entry{Name: s.Name, Description: s.Description, Location: s.Location})
	}
	budget := prompt.Budget
	listed, fit := prompt.FitCatalogue(entries)
	if small {
		budget = prompt.SearchBudget
		listed, fit = prompt.FitBudget(entries, budget)
	}
	if fit.Shortened == 0 && len(fit.Dropped) == 0 {
		return listed, 0
	}
	text := fmt.Sprintf("the catalogue exceeds %s tokens: %d of %d skills are listed", printable.Grouped(int64(budget)), len(listed), len(entries))
	if fit.Shortened > 0 {
		text += fmt.Sprintf(", with at most %d characters of their descriptions", fit.Length)
	}
	if len(fit.Dropped) > 0 {
		text += fmt.Sprintf("; %s and later are only found by search", shown(fit.Dropped[0]))
	}
	notify(loader.Notice{Message: text, Hint: "offer fewer skills, or shorter descriptions: skills list shows what each costs"})
	return listed, len(fit.Dropped)
}

// changes describes what has changed from one catalogue to the next.
func (c *catalogue) changes(next *catalogue) string {
	before := map[string]*loader.Skill{}
	for _, s := range c.skills {
		before[s.Name] = s
	}
	named := map[string][]string{}
	for _, s := range next.skills {
		switch old := before[s.Name]; {
		case old == nil:
			named["new"] = append(named["new"], s.Name)
		case old != s:
			named["changed"] = append(named["changed"], s.Name)
		}
		delete(before, s.Name)
	}
	named["removed"] = slices.Collect(maps.Keys(before))
	var parts []string
	for _, kind := range []string{"new", "changed", "removed"} {
		if names := named[kind]; len(names) > 0 {
			slices.Sort(names)
			parts = append(parts, kind+": "+shown(strings.Join(names, ", ")))
		}
	}
	return "the skills have changed (" + strings.Join(parts, "; ") + ")"
}

// find returns the skill with a name, or the only one that differs only in case. If
// there is none, missing is the result with the known names.
func (c *catalogue) find(name string) (skill *loader.Skill, missing string) {
	match, similar := loader.Lookup(c.names, name)
	if match == "" {
		return nil, fmt.Sprintf("Skill '%s' not found.\n%s", shown(name), offer("skills", c.names, similar))
	}
	return c.named(match)
}

// named returns the skill with exactly this name.
func (c *catalogue) named(name string) (skill *loader.Skill, missing string) {
	i := slices.IndexFunc(c.skills, func(s *loader.Skill) bool { return s.Name == name })
	if i < 0 {
		return nil, ""
	}
	return c.skills[i], ""
}

// offer lists the known names; kind is their plural.
func offer(kind string, names, similar []string) string {
	if len(names) == 0 {
		return "There are no " + kind + "."
	}
	var listed []string
	for _, name := range names {
		listed = append(listed, shown(name))
	}
	text := "Available " + kind + ": " + printable.List(listed, maxShownNames) + "."
	if len(similar) > 0 && len(names) > 1 {
		text += fmt.Sprintf(" Did you mean '%s'?", shown(similar[0]))
	}
	return text
}

// shown shortens a name for a sentence, on one line.
func shown(name string) string {
	return printable.Line(printable.Truncate(name, maxShownName))
}

// contentsOf reads a skill, whose code may panic.
func contentsOf(ctx context.Context, s *loader.Skill) (loader.Contents, error) {
	return agent.RecoverPanic(func() (loader.Contents, error) { return s.Contents(ctx) })
}
