package config

import (
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/programs"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Schema returns the JSON Schema of a configuration, for editors.
func Schema() string {
	type object = map[string]any
	list := func(items object) object { return object{"type": []string{"array", "null"}, "items": items} }
	levels := object{}
	for _, r := range rules.All() {
		levels[r.ID] = object{"description": r.Title, "enum": []string{"off", "info", "warning", "error"}}
	}
	scripts := programs.ScriptExtensions()
	for _, ext := range programs.ScriptExtensions() {
		scripts = append(scripts, ext[1:])
	}
	var b strings.Builder
	_ = printable.WriteJSON(&b, object{ // cannot fail: strings and lists
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Configuration of skills (" + FileName + ")",
		"type": []string{"object", "null"}, "additionalProperties": false,
		"properties": object{
			"profile": object{"description": "the set of rules", "enum": []any{spec.ProfileSpec, spec.ProfileReference, nil}},
			"client": object{"description": "accept what this client reads too, or each of a list", "anyOf": []object{
				{"enum": clients.IDs()}, list(object{"enum": clients.IDs()})}},
			"strict": object{"description": "treat warnings as errors", "type": []string{"boolean", "null"}},
			"rules":  object{"description": "levels of rules", "type": []string{"object", "null"}, "additionalProperties": false, "properties": levels},
			"run": object{"description": "what a run offers of the skills; the file can only exclude", "type": []string{"object", "null"}, "additionalProperties": false,
				"properties": object{
					"only":                list(object{"description": "a pattern of names (*, ?), or metadata.KEY=PATTERN: these skills alone", "type": "string"}),
					"without":             list(object{"description": "a pattern of names (*, ?), or metadata.KEY=PATTERN: not these skills", "type": "string"}),
					"hide":                list(object{"description": "a pattern of files in a skill's folder (*, **) that are not offered, such as tests/**", "type": "string"}),
					"resource-extensions": list(object{"description": "files with these extensions alone are offered for reading", "type": "string"}),
					"script-extensions":   list(object{"description": "files with these extensions alone are offered as scripts", "enum": scripts}),
				}},
			"per-file-ignores": object{"description": "rules that are off for the files of a pattern, which is as in exclude", "type": []string{"object", "null"},
				"additionalProperties": list(object{"enum": ruleIDs()})},
			"banned": object{"description": "words, names or phrases that the rule banned-word reports, each with the reason", "type": []string{"object", "null"},
				"maxProperties": maxBanned, "propertyNames": object{"pattern": `\S`}, "additionalProperties": object{"type": []string{"string", "number", "boolean", "null"}}},
			"exclude": list(object{"description": "a pattern as in .gitignore, relative to the file's folder", "type": "string"}),
		},
	})
	return b.String()
}
