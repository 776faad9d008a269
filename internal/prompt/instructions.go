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
var ErrNoPlaceholder = errors.New("the template must contain " + Placeholder)

//go:embed text
var texts embed.FS

// text returns one of the fixed texts, or "".
func text(name string) string {
	data, _ := texts.ReadFile("text/" + name + ".md")
	return string(data)
}

// DefaultTemplate returns the template of the skills instructions. It mentions
// run_skill_script only if scripts is true, because a model calls tools that it
// has read about.
func DefaultTemplate(scripts bool) string {
	paragraph := ""
	if scripts {
		paragraph = text("skills_scripts")
	}
	return strings.Replace(text("skills"), "{scripts}\n", paragraph+"\n", 1)
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
	whole := strings.ReplaceAll(template, Placeholder, strings.Join(elements, "\n"))
	return strings.TrimRight(whole, " \t\r\n"), nil
}

// MoreSkills returns what the system text says if the catalogue does not list all skills.
func MoreSkills() string { return strings.TrimSpace(text("skills_more")) }

// maxNames is how many characters of names the first line of [Listed] has.
const maxNames = 100

// Listed returns the description of load_skill with the catalogue; more means that this does
// not list all skills. Some clients show only the first line, which has names.
func Listed(description string, entries []Entry, more bool) string {
	var b strings.Builder
	names := ""
	for i, e := range entries {
		name := oneLine(e.Name)
		if i > 0 {
			name = ", " + name
		}
		if len(names)+len(name) > maxNames {
			names += ", …"
			break
		}
		names += name
	}
	b.WriteString("Loads a skill, before a task that it fits: " + names + "\n\n" + description + "\n\n" + text("skills_listed"))
	for _, e := range entries {
		b.WriteString("- " + oneLine(e.Name) + ": " + oneLine(e.Description) + "\n")
	}
	if more {
		b.WriteString("\n" + MoreSkills())
	}
	return strings.TrimSpace(b.String())
}

// Todo returns the system text about the todo list.
func Todo() string { return strings.TrimSpace(text("todo")) }

// Workspace returns the instructions on a group of workspace tools, files or shell.
func Workspace(group string) string { return strings.TrimSpace(text("workspace/" + group)) }

// ToolDescription returns a tool's description for the model, or "".
func ToolDescription(name string) string { return strings.TrimSpace(text("tool/" + name)) }
