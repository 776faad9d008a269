package usage

// The schema as text for a model that loads a skill: on one line, in the order of the
// script, and within a number of bytes. Texts are cut first, then left out: a name and a
// type are worth more than an explanation.

import (
	"encoding/json"
	"slices"
	"strings"

	"skills/internal/printable"
)

// maxDescription is how many characters a text of [Usage.Compact] has.
const maxDescription = 120

// Compact returns [Usage.Schema] as JSON on one line of at most limit bytes. What tells a
// model nothing is left out. It returns "" if the names alone do not fit.
func (u Usage) Compact(limit int) string {
	if u.Partial {
		text := object("type", "array", "items", json.RawMessage(`{"type":"string"}`), "description", "Words of the command line: "+u.Line("")+".")
		if len(text) > limit {
			return ""
		}
		return text
	}
	for _, length := range []int{maxDescription, maxDescription / 3, 0} {
		if text := u.compact(length); len(text) <= limit {
			return text
		}
	}
	return ""
}

// compact returns the schema with descriptions of at most length characters.
func (u Usage) compact(length int) string {
	var set propertySet
	required := u.properties(&set, nil)
	var properties []any
	for _, key := range set.keys {
		properties = append(properties, key, json.RawMessage(compactProperty(set.of[key], length)))
	}
	parts := []any{"type", "object", "properties", json.RawMessage(object(properties...))}
	if len(required) > 0 {
		parts = append(parts, "required", required)
	}
	if len(u.Exclusive) > 0 && length > 0 {
		parts = append(parts, "description", u.exclusions())
	}
	return object(parts...)
}

// exclusions says which parameters exclude each other.
func (u Usage) exclusions() string {
	var out []string
	for _, g := range u.Exclusive {
		amount := "At most one of "
		if g.Required {
			amount = "Exactly one of "
		}
		out = append(out, amount+strings.Join(g.Keys, ", ")+".")
	}
	return strings.Join(out, " ")
}

// compactProperty returns the schema of a property.
func compactProperty(p map[string]any, length int) string {
	var parts []any
	for _, key := range []string{"type", "enum", "items"} {
		if p[key] != nil {
			parts = append(parts, key, p[key])
		}
	}
	about, _ := p["description"].(string)
	for _, empty := range []string{"Option ", "Positional argument "} { // the name says as much
		if strings.HasPrefix(about, empty) && !strings.Contains(about, "(") {
			about = ""
		}
	}
	about = shorten(about, length)
	if about != "" {
		parts = append(parts, "description", about)
	}
	return object(parts...)
}

// shorten cuts a description, but not the default at its end.
func shorten(about string, length int) string {
	about = printable.Line(strings.Join(strings.Fields(about), " "))
	rest := ""
	if i := strings.LastIndex(about, " (default: "); i >= 0 && length > 0 {
		about, rest = about[:i], about[i:]
	}
	if length == 0 {
		return ""
	}
	return printable.Truncate(about, length) + rest
}

// object returns a JSON object with these names and values, in this order.
func object(pairs ...any) string {
	var members []string
	for pair := range slices.Chunk(pairs, 2) {
		members = append(members, printable.JSONText(pair[0])+":"+printable.JSONText(pair[1]))
	}
	return "{" + strings.Join(members, ",") + "}"
}
