package rules

import (
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/spec"
)

// FieldInfo describes a top-level field to people who write it.
type FieldInfo struct {
	Name     string
	Meaning  string
	Required bool
	Max      int              // characters, 0 for no limit
	Values   []string         // with a meaning; nil for any
	Samples  []string         // usual words of the value
	Kinds    []spec.Kind      // of its value; nil for text
	Clients  []clients.Client // that read it; nil for the fields of the specification
}

// FieldInfos returns the fields of the specification, and those that known clients read.
func FieldInfos() (out []FieldInfo) {
	out = []FieldInfo{
		{Name: "name", Required: true, Max: spec.MaxName, Meaning: "The skill's name, which is also the name of its folder: lowercase letters, digits and single hyphens."},
		{Name: "description", Required: true, Max: spec.MaxDescription, Meaning: "What the skill does, and when to use it. A model sees this text in every request, and decides by it whether to load the skill."},
		{Name: "license", Samples: []string{"Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "MIT", "MPL-2.0"}, Meaning: "The license: its name, or the file in the skill that has it."},
		{Name: "compatibility", Max: spec.MaxCompatibility, Meaning: "What the skill needs to work: programs, network access, a certain client."},
		{Name: "allowed-tools", Samples: []string{"Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "WebSearch", "Write"}, Meaning: "Tools that the skill may use without asking, with spaces between them: Read Bash(git:*). Clients may ignore it."},
		{Name: "metadata", Kinds: []spec.Kind{spec.Mapping}, Meaning: "Further keys with text as their values, such as author or version."},
	}
	for _, c := range clients.All() {
		for _, key := range c.Fields {
			if slices.ContainsFunc(out, func(f FieldInfo) bool { return f.Name == key }) {
				continue
			}
			out = append(out, clientField(key))
		}
	}
	return out
}

// clientField describes a field that only clients read.
func clientField(key string) FieldInfo {
	f := FieldInfo{Name: key, Meaning: clientMeanings[key], Clients: readers(key)}
	for _, form := range fieldForms() {
		if slices.Contains(strings.Fields(form.fields), key) {
			f.Kinds, f.Values = form.kinds, strings.Fields(form.values)
		}
	}
	if slices.Contains(f.Kinds, spec.Bool) {
		f.Values = []string{"true", "false"}
	}
	return f
}

// clientMeanings explains the fields of clients whose name does not.
var clientMeanings = map[string]string{
	"when_to_use":              "When to use the skill; shown to the model after the description.",
	"argument-hint":            "What to write after /name, shown while the user types it.",
	"arguments":                "Names of the arguments that follow /name.",
	"disable-model-invocation": "With true, only the user can load the skill: the model does not see it.",
	"user-invocable":           "With false, only the model can load the skill: it is no command of the user.",
	"disallowed-tools":         "Tools that the skill must not use.",
	"model":                    "The model that is used while the skill is active.",
	"effort":                   "How much the model thinks while the skill is active.",
	"context":                  "With fork, the skill runs in an agent of its own.",
	"agent":                    "The kind of agent, with context: fork.",
	"background":               "With true, the agent of context: fork runs in the background.",
	"hooks":                    "Commands that run at events while the skill is active.",
	"paths":                    "Files for which the model sees the skill.",
	"globs":                    "Files for which the model sees the skill.",
	"shell":                    "The shell of commands in the skill.",
	"triggers":                 "Words that load the skill.",
	"homepage":                 "A page about the skill.",
	"platforms":                "Systems on which the skill works.",
}

// Explain returns the page of a rule with its facts, as Markdown.
func Explain(r *spec.Rule) string {
	fix := r.Fix
	if fix == "" {
		fix = "none (needs a human decision)"
	}
	return strings.TrimSpace(Page(r.ID)) + "\n\n- Level: " + r.Level.String() + "\n- Source: " + r.Source + "\n- Fix: " + fix + "\n"
}
