package params

// Servers of models and chat templates understand a part of JSON Schema, and many refuse a
// whole request for one schema that uses more. A schema of others is therefore rewritten in
// that part, if each value that it accepts still has a place. Restrictions that are lost
// are those of the tool itself, which checks its arguments.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// plainKeys are the keywords of a plain schema; all others are removed.
var plainKeys = []string{
	"type", "title", "description", "enum", "default", "examples", "format", "pattern",
	"properties", "required", "additionalProperties", "minProperties", "maxProperties",
	"items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// maxParts is the maximum number of schemas in a plain one: references to references can
// grow without end.
const maxParts = 2000

// Plain rewrites the schema of a function's arguments: each part has one type or none, there
// are no alternatives and no references, and each parameter has a description. A parameter
// that may be null is not required; nulls lists those that were. The error names the
// parameter that has no such form.
func Plain(schema map[string]any) (plain map[string]any, nulls []string, err error) {
	p := plainer{root: schema, left: maxParts}
	plain, _, err = p.visit(schema, "", nil)
	if err != nil {
		return nil, nil, err
	}
	switch plain["type"] {
	case nil, "object":
	default:
		return nil, nil, fmt.Errorf("its arguments are not an object but of the type %v", plain["type"])
	}
	plain["type"] = "object"
	if plain["properties"] == nil {
		plain["properties"] = map[string]any{}
	}
	before, err := p.resolve(schema, "", nil)
	if err != nil {
		return nil, nil, err
	}
	now := Texts(plain["required"])
	for _, name := range Texts(before.schema["required"]) {
		if !slices.Contains(now, name) {
			nulls = append(nulls, name)
		}
	}
	return plain, nulls, nil
}

// plainer rewrites a schema.
type plainer struct {
	root map[string]any
	left int // parts that may still be visited
}

// part is a schema without references and alternatives. open are the references that led
// to it.
type part struct {
	schema   map[string]any
	open     []string
	nullable bool
}

// visit returns the plain form of a schema, and whether it accepts null; path is its name in
// errors.
func (p *plainer) visit(value any, path string, open []string) (plain map[string]any, nullable bool, err error) {
	p.left--
	if p.left < 0 {
		return nil, false, errors.New("it is too large without references")
	}
	if value == nil || value == true {
		return map[string]any{}, false, nil
	}
	schema, ok := value.(map[string]any)
	if !ok {
		return nil, false, unplain(path, "has a schema that is not an object")
	}
	found, err := p.resolve(schema, path, open)
	if err != nil {
		return nil, false, err
	}
	out := map[string]any{}
	for _, key := range plainKeys {
		if value, ok := found.schema[key]; ok && value != nil {
			out[key] = value
		}
	}
	if values, ok := out["enum"].([]any); ok {
		found.nullable = found.nullable || slices.Contains(values, nil)
		out["enum"] = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
		if len(values) == 1 && values[0] == nil {
			delete(out, "enum")
			out["type"] = "null"
		}
	}
	nullType, err := setType(out, path)
	if err != nil {
		return nil, false, err
	}
	err = p.members(out, path, found.open)
	return out, found.nullable || nullType, err
}

// members rewrites the schemas in a schema.
func (p *plainer) members(out map[string]any, path string, open []string) error {
	if properties, ok := out["properties"].(map[string]any); ok {
		required, all := Texts(out["required"]), map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			member, nullable, err := p.visit(properties[name], join(path, name), open)
			if err != nil {
				return err
			}
			if nullable {
				required = slices.DeleteFunc(required, func(s string) bool { return s == name })
			}
			describe(member, name)
			all[name] = member
		}
		delete(out, "required")
		if len(required) > 0 {
			out["required"] = required
		}
		out["properties"] = all
	}
	for _, key := range []string{"items", "additionalProperties"} {
		value, ok := out[key]
		if _, isBool := value.(bool); !ok || isBool {
			continue
		}
		member, _, err := p.visit(value, path+"[]", open)
		if err != nil {
			return err
		}
		out[key] = member
	}
	if out["type"] == "array" && (out["items"] == nil || out["items"] == true) {
		out["items"] = map[string]any{} // servers refuse an array without
	}
	return nil
}

// describe gives a parameter a description, if it has none.
func describe(schema map[string]any, name string) {
	text, _ := schema["description"].(string)
	title, _ := schema["title"].(string)
	delete(schema, "title")
	for _, other := range []string{title, strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' }), " "), "value"} {
		if strings.TrimSpace(text) == "" {
			text = other
		}
	}
	schema["description"] = text
}

// resolve follows references, and replaces alternatives of which one is left.
func (p *plainer) resolve(schema map[string]any, path string, open []string) (part, error) {
	out := part{schema: maps.Clone(schema), open: open}
	if value, ok := out.schema["const"]; ok {
		out.schema["enum"] = []any{value}
	}
	for {
		reference, isReference := out.schema["$ref"].(string)
		all, _ := out.schema["allOf"].([]any)
		var inner any
		switch {
		case isReference && slices.Contains(out.open, reference):
			return out.cut(p.root, reference), nil
		case isReference:
			target, found := At(p.root, strings.TrimPrefix(reference, "#"))
			if !isLocal(reference) || !found {
				return out, unplain(path, "refers to another document")
			}
			out.open = append(slices.Clip(out.open), reference)
			delete(out.schema, "$ref")
			inner = target
		case len(all) == 1:
			delete(out.schema, "allOf")
			inner = all[0]
		case len(all) > 1:
			return out, unplain(path, "has several schemas (allOf)")
		default:
			return p.choose(out, path)
		}
		if err := out.merge(inner, path); err != nil {
			return out, err
		}
	}
}

// cut ends a reference that leads back to itself with the type alone.
func (t part) cut(root any, reference string) part {
	target, _ := At(root, strings.TrimPrefix(reference, "#"))
	kept := map[string]any{}
	fields, _ := target.(map[string]any)
	for _, from := range []map[string]any{fields, t.schema} {
		for _, key := range []string{"type", "description", "title"} {
			if value, ok := from[key]; ok {
				kept[key] = value
			}
		}
	}
	if kept["type"] == nil && fields["properties"] != nil {
		kept["type"] = "object"
	}
	t.schema = kept
	return t
}

// merge adds the keywords of an inner schema that applies to the same value.
func (t *part) merge(inner any, path string) error {
	if inner == true {
		return nil
	}
	fields, ok := inner.(map[string]any)
	if !ok {
		return unplain(path, "has a schema that is not an object")
	}
	for key, value := range fields {
		own, twice := t.schema[key]
		switch {
		case !twice:
			t.schema[key] = value
		case key == "required":
			var both []any
			for _, name := range slices.Concat(Texts(own), Texts(value)) {
				both = append(both, name)
			}
			t.schema[key] = both
		case slices.Contains([]string{"properties", "anyOf", "oneOf", "allOf", "$ref", "items", "enum"}, key):
			return unplain(path, "has several schemas (allOf)")
		}
	}
	if value, ok := fields["const"]; ok && t.schema["enum"] == nil {
		t.schema["enum"] = []any{value}
	}
	return nil
}

// choose replaces alternatives by the only one that is not null, or by what all have in
// common: a type, or fixed values.
func (p *plainer) choose(t part, path string) (part, error) {
	for _, key := range []string{"anyOf", "oneOf"} {
		alternatives, ok := t.schema[key].([]any)
		if !ok {
			continue
		}
		delete(t.schema, key)
		var left []map[string]any
		for _, alternative := range alternatives {
			if isRestriction(alternative, t.schema["type"]) {
				continue
			}
			one, nullable, err := p.visit(alternative, path, t.open)
			if err != nil {
				return t, err
			}
			t.nullable = t.nullable || nullable
			if one["type"] != "null" {
				left = append(left, one)
			}
		}
		if len(left) > 1 {
			common, err := common(left, path)
			if err != nil {
				return t, err
			}
			left = []map[string]any{common}
		}
		if len(left) == 1 {
			if err := t.merge(left[0], path); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// isRestriction reports whether an alternative says only which properties of a value of a
// known type are required.
func isRestriction(alternative, known any) bool {
	fields, ok := alternative.(map[string]any)
	own, typed := fields["type"]
	for key := range fields {
		ok = ok && (key == "required" || key == "type")
	}
	return ok && fields["required"] != nil && (!typed || own == known)
}

// common returns the plain schema of all values of several plain schemas: fixed values, or
// those of a simple type.
func common(all []map[string]any, path string) (map[string]any, error) {
	kind, fixed := all[0]["type"], true
	var values []any
	for _, one := range all {
		enum, ok := one["enum"].([]any)
		fixed = fixed && ok
		values = append(values, enum...)
		isSimple := kind != nil && kind != "object" && kind != "array"
		if one["type"] != kind || !isSimple {
			return nil, unplain(path, "may have one of several types (anyOf)")
		}
	}
	out := map[string]any{"type": kind}
	if fixed {
		out["enum"] = values
	}
	return out, nil
}

// setType gives a schema its one type, and reports whether null was another.
func setType(out map[string]any, path string) (nullable bool, err error) {
	types := Texts(out["type"])
	if text, ok := out["type"].(string); ok {
		types = []string{text}
	}
	if len(types) > 1 {
		nullable = slices.Contains(types, "null")
		types = slices.DeleteFunc(types, func(s string) bool { return s == "null" })
	}
	if len(types) == 2 && slices.Contains(types, "integer") && slices.Contains(types, "number") {
		types = []string{"number"}
	}
	values, _ := out["enum"].([]any)
	switch {
	case len(types) > 1:
		return false, unplain(path, "may have one of several types ("+strings.Join(types, ", ")+")")
	case len(types) == 1:
		nullable = nullable || types[0] == "null"
	case len(values) > 0:
		types = kinds(values)
		if len(types) > 1 {
			return false, unplain(path, "may have values of several types")
		}
	case out["properties"] != nil:
		types = []string{"object"}
	case out["items"] != nil:
		types = []string{"array"}
	default:
		delete(out, "type")
		return nullable, nil
	}
	out["type"] = types[0]
	return nullable, nil
}

// kinds returns the types of values.
func kinds(values []any) (all []string) {
	for _, v := range values {
		kind := "array"
		switch v.(type) {
		case string:
			kind = "string"
		case bool:
			kind = "boolean"
		case float64, json.Number:
			kind = "number"
		case map[string]any:
			kind = "object"
		}
		if !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	return all
}

// Texts returns the strings of a list in a schema.
func Texts(list any) (out []string) {
	if texts, ok := list.([]string); ok {
		return slices.Clone(texts)
	}
	values, _ := list.([]any)
	for _, v := range values {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

func unplain(path, why string) error {
	if path == "" {
		return errors.New("its schema " + why)
	}
	return fmt.Errorf("parameter %q %s", path, why)
}
