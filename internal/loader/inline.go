package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Frontmatter is the frontmatter of a skill without a SKILL.md.
type Frontmatter struct {
	Name, Description                    string
	License, Compatibility, AllowedTools string
}

// Part is a resource or script of a skill defined in Go, returned by [Value]
// and [Function].
type Part struct {
	resource *Resource
	script   *Script
	err      error
}

// Inline defines a skill in Go: its frontmatter, the instructions that a model
// gets when it loads the skill, and resources and scripts.
//
// A frontmatter that violates the specification, duplicate names, empty parts
// and parameter types that a model cannot fill in are errors, all joined.
func Inline(f Frontmatter, instructions string, parts ...Part) (*Skill, error) {
	errs := []error{f.Check()}
	if strings.TrimSpace(instructions) == "" {
		errs = append(errs, errors.New("it has no instructions"))
	}
	contents := Contents{Instructions: instructions}
	taken := map[string]bool{}
	for i, part := range parts {
		switch {
		case part.err != nil:
			errs = append(errs, part.err)
		case part.resource != nil:
			errs = append(errs, partName(taken, part.resource.Name))
			contents.Resources = append(contents.Resources, *part.resource)
		case part.script != nil:
			errs = append(errs, partName(taken, part.script.Name))
			contents.Scripts = append(contents.Scripts, *part.script)
		default:
			errs = append(errs, fmt.Errorf("part %d is empty; make it with Value or Function", i+1))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("making skill %q: %w", f.Name, err)
	}
	slices.SortFunc(contents.Resources, func(a, b Resource) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(contents.Scripts, func(a, b Script) int { return strings.Compare(a.Name, b.Name) })
	return &Skill{
		Name: strings.TrimSpace(f.Name), Description: strings.TrimSpace(f.Description),
		License: f.License, Compatibility: f.Compatibility, AllowedTools: f.AllowedTools,
		Origin: "Go code",
		Load:   func(context.Context) (Contents, error) { return contents, nil },
	}, nil
}

// partName returns an error for names that cannot be printed or are already
// used. Names that differ only in case are equal to a model.
func partName(taken map[string]bool, name string) error {
	key := strings.ToLower(name)
	switch {
	case name == "" || name != strings.TrimSpace(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("a part has the name %q; write visible text without blanks around it", name)
	case taken[key]:
		return fmt.Errorf("two parts have the name %q", name)
	}
	taken[key] = true
	return nil
}

// Check returns all violations of the specification in the frontmatter, or nil.
func (f Frontmatter) Check() error {
	doc := ParseDocument("SKILL.md", "", []byte(f.Text()))
	var errs []error
	for _, found := range rules.Check(doc, spec.Options{Least: spec.Error}) {
		if found.Level == spec.Error {
			errs = append(errs, errors.New(oneLine(found.Message)))
		}
	}
	return errors.Join(errs...)
}

// Text returns the frontmatter as in a file, including its fences.
func (f Frontmatter) Text() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, field := range []struct{ key, value string }{
		{"name", f.Name}, {"description", f.Description}, {"license", f.License},
		{"compatibility", f.Compatibility}, {"allowed-tools", f.AllowedTools},
	} {
		if field.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", field.key, yamlText(field.value))
		}
	}
	b.WriteString("---\n")
	return b.String()
}

// yamlText returns text as a YAML string: plain words unquoted, anything else
// as a JSON string.
func yamlText(s string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	plain := len(s) > 3 && strings.ContainsRune(letters, rune(s[0])) && strings.Trim(s, letters+"0123456789 .,/()-") == "" && !strings.HasSuffix(s, " ")
	if plain && !slices.Contains([]string{"null", "true", "false"}, strings.ToLower(s)) {
		return s
	}
	return printable.JSONText(s)
}
