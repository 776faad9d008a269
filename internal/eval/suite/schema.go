package suite

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/suggest"
)

//go:embed schemas
var schemas embed.FS

// SchemaNames returns the names of the files that have a JSON Schema.
func SchemaNames() []string { return []string{"checks", "evals", "labels", "triggers"} }

// Schema returns the JSON Schema of a file, one of SchemaNames.
func Schema(name string) []byte {
	text, _ := schemas.ReadFile("schemas/" + name + ".json") // embedded, so it exists
	return text
}

// schema is the part of JSON Schema that the embedded schemas use. It is applied here,
// because a library reports neither positions nor what was probably meant.
type schema struct {
	Type       []string           `json:"type"`
	Enum       []any              `json:"enum"` // of single words
	Pattern    string             `json:"pattern"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinItems   int                `json:"minItems"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	AnyKey     map[string]*schema `json:"patternProperties"`    // the pattern is "", for all keys
	Closed     *bool              `json:"additionalProperties"` // false, or nil
	Items      *schema            `json:"items"`
	AllOf      []*schema          `json:"allOf"`
	If         *schema            `json:"if"`
	Then       *schema            `json:"then"`
}

// readSchema parses an embedded schema. A mistake in one is found by every test.
func readSchema(name string) (s *schema) {
	if err := json.Unmarshal(Schema(name), &s); err != nil {
		panic(err)
	}
	return s
}

// typeOf returns the type of a value as JSON Schema calls it.
func typeOf(n *jsonpos.Node) string {
	switch value := n.Value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []*jsonpos.Node:
		return "array"
	}
	return "object"
}

// validate reports what in a value, called name in messages, does not match a schema, and
// whether all of it does.
func (r *reader) validate(f *file, n *jsonpos.Node, name string, s *schema) bool {
	before := len(r.problems)
	fail := func(at *jsonpos.Node, help, format string, args ...any) {
		r.report(f, at.Start, Error, help, format, args...)
	}
	value, fields, kind := text(n), n.Fields(), typeOf(n)
	shown := printable.Quote(printable.Truncate(value, 80))
	number, _ := strconv.ParseFloat(value, 64) // the type is checked first
	switch {
	case s.Type != nil && !slices.Contains(s.Type, kind):
		fail(n, "write a value of that type", "%s must be of type %s, not %s", name, strings.Join(s.Type, " or "), kind)
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(v any) bool { return fmt.Sprint(v) == value }):
		choices := strings.Fields(strings.Trim(fmt.Sprint(s.Enum), "[]"))
		help := suggest.Hint(value, choices, "use one of "+strings.Join(choices, ", "))
		fail(n, help, "unsupported %s %s", name, shown)
	case s.Pattern != "" && kind == "string" && !regexp.MustCompile(s.Pattern).MatchString(value):
		fail(n, "write another value", "%s cannot be %s", name, shown)
	case s.Minimum != nil && number < *s.Minimum:
		fail(n, "write a greater number", "%s must be at least %v", name, *s.Minimum)
	case s.Maximum != nil && number > *s.Maximum:
		fail(n, "write a smaller number", "%s must be at most %.0f", name, *s.Maximum)
	case kind == "array" && len(n.Items()) < s.MinItems:
		fail(n, "add one", "%s has no entry", name)
	}
	for _, key := range s.Required {
		if fields != nil && fields[key] == nil {
			fail(n, "add it", "%s has no %s", name, key)
		}
	}
	for key, field := range fields {
		if property := cmp.Or(s.Properties[key], s.AnyKey[""]); property != nil {
			r.validate(f, field, printable.Line(key), property)
		} else if s.Closed != nil {
			known := slices.Collect(maps.Keys(s.Properties))
			help := suggest.Hint(key, known, "remove it; see the supported keys with: skills eval lint --schema NAME")
			fail(field, help, "unsupported key %s", printable.Quote(printable.Truncate(key, 80)))
		}
	}
	for _, item := range n.Items() {
		if s.Items != nil {
			r.validate(f, item, "an entry of "+name, s.Items)
		}
	}
	for _, part := range s.AllOf {
		r.validate(f, n, name, part)
	}
	if s.If != nil && (&reader{}).validate(f, n, name, s.If) {
		r.validate(f, n, name, s.Then)
	}
	return len(r.problems) == before
}
