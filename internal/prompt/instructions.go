package prompt

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"strings"
)

// Placeholder is where a template of the skills instructions takes the
// catalogue.
const Placeholder = "{skills}"

// ErrNoPlaceholder is the error for a template without [Placeholder].
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

// DefaultTemplate returns the template of the skills instructions. With scripts
// it describes run_skill_script too; without, the tool is not mentioned, because
// a model calls what it has read of.
func DefaultTemplate(scripts bool) string {
	paragraph := ""
	if scripts {
		paragraph = scriptsText
	}
	return strings.Replace(skillsText, "{scripts}\n", paragraph+"\n", 1)
}

// Instructions returns the system text about the skills: the
// template with every [Placeholder] replaced by the entries, sorted by name in
// code point order, one XML element each, escaped. Other braces stay as they
// are. An empty template means the default one with scripts. The result has no
// white space at its end.
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
		elements[i] = EntryText(e) // a location would invite reading past the tools
	}
	text := strings.ReplaceAll(template, Placeholder, strings.Join(elements, "\n"))
	return strings.TrimRight(text, " \t\r\n"), nil
}

// Todo returns the system text about the todo list.
func Todo() string { return strings.TrimSpace(todoText) }

// ToolDescription returns the description of the tool with this name for the
// model, or "" if there is none.
func ToolDescription(name string) string {
	text, err := toolTexts.ReadFile("text/tool/" + name + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
