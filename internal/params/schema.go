// Package params converts between the JSON that models write as function
// arguments and Go values: lenient decoding with errors that help the model
// correct its call, and the JSON Schema of a Go type.
package params

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Schema returns the JSON Schema of a struct type for a model. A field's name
// is that of its json tag, its description that of its tag `desc:"…"`. Fields
// are required unless they are pointers or have the option omitempty or
// omitzero. Structs, slices and maps may be nested.
//
// A type that a model cannot fill in, or that [Decode] would read differently
// than the schema specifies, is an error that names the field.
func Schema(t reflect.Type) (map[string]any, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments are a struct, not %s", t)
	}
	return schemaOf(t, "", nil)
}

// schemaOf returns the schema of the type at path; above holds the enclosing
// structs.
func schemaOf(t reflect.Type, path string, above []reflect.Type) (map[string]any, error) {
	if t == rawMessage {
		return map[string]any{}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}, nil
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return map[string]any{}, nil
		}
	case reflect.Pointer:
		return schemaOf(t.Elem(), path, above)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil, unsupported(path, t, "bytes have no place in JSON; take a string")
		}
		items, err := schemaOf(t.Elem(), path+"[]", above)
		return map[string]any{"type": "array", "items": items}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, unsupported(path, t, "keys are strings in JSON")
		}
		values, err := schemaOf(t.Elem(), join(path, "*"), above)
		return map[string]any{"type": "object", "additionalProperties": values}, err
	case reflect.Struct:
		return structSchema(t, path, above)
	}
	return nil, unsupported(path, t, "a model cannot write one")
}

func structSchema(t reflect.Type, path string, above []reflect.Type) (map[string]any, error) {
	if slices.Contains(above, t) {
		return nil, unsupported(path, t, "it contains itself")
	}
	above = append(slices.Clip(above), t)
	properties, required := map[string]any{}, []string{}
	spellings := map[string]string{}
	for _, p := range fields(t) {
		field := p.field
		at := join(path, p.name)
		if field.Anonymous {
			return nil, unsupported(at, field.Type, "embedded fields are not supported; name it")
		}
		if other, taken := spellings[fold(p.name)]; taken {
			return nil, fmt.Errorf("parameters %q and %q differ only in case and hyphens", join(path, other), at)
		}
		spellings[fold(p.name)] = p.name
		property, err := schemaOf(field.Type, at, above)
		if err != nil {
			return nil, err
		}
		if text := field.Tag.Get("desc"); text != "" {
			property["description"] = text
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema, nil
}

func unsupported(path string, t reflect.Type, why string) error {
	return fmt.Errorf("parameter %q cannot be of type %s: %s", path, t, why)
}

// Names returns the parameter names of a struct type, in field order.
func Names(t reflect.Type) []string {
	var names []string
	for _, p := range fields(t) {
		names = append(names, p.name)
	}
	return names
}

// parameter is a field of a struct as models see it.
type parameter struct {
	field    reflect.StructField
	name     string
	aliases  []string
	guesses  []string
	required bool
}

func fields(t reflect.Type) (out []parameter) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		optional := field.Type.Kind() == reflect.Pointer || strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		out = append(out, parameter{
			field: field, name: cmp.Or(name, field.Name), required: !optional,
			aliases: names(field, "alias"), guesses: names(field, "guess"),
		})
	}
	return out
}

// names returns the names in a tag of a field.
func names(field reflect.StructField, tag string) []string {
	return strings.FieldsFunc(field.Tag.Get(tag), func(r rune) bool { return r == ',' })
}

// is reports whether one of the names is the given one, ignoring case, "_" and "-".
func is(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(name) })
}

// find returns the parameter with the given name, preferring an exact match.
func find(list []parameter, name string) (parameter, bool) {
	i := slices.IndexFunc(list, func(p parameter) bool { return p.name == name })
	if i < 0 {
		i = slices.IndexFunc(list, func(p parameter) bool {
			return fold(p.name) == fold(name) || is(p.aliases, name) || is(p.guesses, name)
		})
	}
	if i < 0 {
		return parameter{}, false
	}
	return list[i], true
}

// fold removes case, hyphens and underscores from a name.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}
