package prompt

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"strings"
)

// Placeholder is replaced by the catalogue in a template of the skills
// instructions.
const Placeholder = "{skills}"

// ErrNoPlaceholder is returned for a template without [Placeholder].
var ErrNoPlaceholder = errors.New("checking the prompt template: it does not hold " + Placeholder + ", where the list of skills goes")

var (
	//go:embed text/skills.md
	skillsText string
	//go:embed text/skills_scripts.md
	scriptsText string
	//go:embed text/todo.md
	todoText string
	//go:embed text/tool/*.md
	toolTexts embed.FS
)

// DefaultTemplate returns the template of the skills instructions. It mentions
// run_skill_script only if scripts is true, because a model calls tools that it
// has read about.
func DefaultTemplate(scripts bool) string {
	paragraph := ""
	if scripts {
		paragraph = scriptsText
	}
	return strings.Replace(skillsText, "{scripts}\n", paragraph+"\n", 1)
}

// Instructions returns the system text about the skills: the template with
// every [Placeholder] replaced by the entries, sorted by name in code point
// order, as one escaped XML element each. Other braces are kept. An empty
// template means the default one with scripts. Trailing white space is removed.
//
// The error is [ErrNoPlaceholder].
func Instructions(template string, entries []Entry) (string, error) {
	if template == "" {
		template = DefaultTemplate(true)
	}
	if !strings.Contains(template, Placeholder) {
		return "", ErrNoPlaceholder
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	elements := make([]string, len(sorted))
	for i, e := range sorted {
		elements[i] = EntryText(e) // no location, so that the model uses the tools to read the skill
	}
	text := strings.ReplaceAll(template, Placeholder, strings.Join(elements, "\n"))
	return strings.TrimRight(text, " \t\r\n"), nil
}

// Todo returns the system text about the todo list.
func Todo() string { return strings.TrimSpace(todoText) }

// ToolDescription returns a tool's description for the model, or "".
func ToolDescription(name string) string {
	text, err := toolTexts.ReadFile("text/tool/" + name + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
