package suite

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/suggest"
)

//go:embed schemas
var schemas embed.FS

// SchemaNames returns the names of the files that have a JSON Schema.
func SchemaNames() []string { return []string{"checks", "evals", "triggers"} }

// Schema returns the JSON Schema of a file. An unknown name is an error.
func Schema(name string) ([]byte, error) {
	if !slices.Contains(SchemaNames(), name) {
		return nil, fmt.Errorf("unknown schema %q", name)
	}
	return schemas.ReadFile("schemas/" + name + ".json")
}

// schema is the part of JSON Schema that the embedded schemas use. It is applied here,
// because a library reports neither positions nor what was probably meant.
type schema struct {
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	Type       any                `json:"type"` // a string or a list
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Pattern    string             `json:"pattern"`
	MinLength  int                `json:"minLength"`
	MinItems   int                `json:"minItems"`
	MaxItems   int                `json:"maxItems"`
	Minimum    *float64           `json:"minimum"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Additional json.RawMessage    `json:"additionalProperties"` // false or a schema
	Items      *schema            `json:"items"`
	AllOf      []*schema          `json:"allOf"`
	If         *schema            `json:"if"`
	Then       *schema            `json:"then"`
	Else       *schema            `json:"else"`
}

// schema reads an embedded schema, or the definition of that name in it, once.
func (r *reader) schema(name, definition string) *schema {
	if r.schemas == nil {
		r.schemas = map[string]*schema{}
	}
	if r.schemas[name] == nil {
		text, err := schemas.ReadFile("schemas/" + name + ".json")
		s := &schema{}
		if err == nil {
			err = json.Unmarshal(text, s)
		}
		if err != nil {
			panic(err) // the schemas are part of the program
		}
		r.schemas[name] = s
	}
	if definition != "" {
		s := *r.schemas[name].Defs[definition]
		s.Defs = r.schemas[name].Defs
		return &s
	}
	return r.schemas[name]
}

// validate reports what in a value does not match a schema, and whether all does.
func (r *reader) validate(f *file, n *jsonpos.Node, s *schema) bool {
	v := validator{s.Defs, func(at *jsonpos.Node, help, format string, args ...any) {
		r.report(f, at.Start, Error, help, format, args...)
	}, 0}
	v.visit(n, s, "this value")
	return v.count == 0
}

// validator applies a schema. report may be nil.
type validator struct {
	defs   map[string]*schema
	report func(at *jsonpos.Node, help, format string, args ...any)
	count  int // of mistakes
}

func (v *validator) fail(at *jsonpos.Node, help, format string, args ...any) {
	if v.count++; v.report != nil {
		v.report(at, help, format, args...)
	}
}

// visit checks a value, called name in messages.
func (v *validator) visit(n *jsonpos.Node, s *schema, name string) {
	if s.Ref != "" {
		s = v.defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	types, _ := s.Type.([]any)
	if one, ok := s.Type.(string); ok {
		types = []any{one}
	}
	_, kind, _ := strings.Cut(strings.Replace(n.Kind(), "a list", "an array", 1), " ")
	number, _ := n.Value.(json.Number)
	if kind == "" {
		kind = "null"
	}
	if whole := strings.Trim(number.String(), "-0123456789") == ""; types != nil && !slices.Contains(types, any(kind)) && !(slices.Contains(types, "integer") && kind == "number" && whole) {
		want := strings.ReplaceAll(strings.ReplaceAll(strings.Trim(fmt.Sprint(types), "[]"), " ", " or "), "array", "list")
		v.fail(n, "write a value of that type", "%s must be of type %s, not %s", name, want, n.Kind())
		return
	}
	str := text(n)
	isText := kind == "string"
	value, err := number.Float64()
	switch {
	case s.Enum != nil && !slices.Contains(s.Enum, any(str)):
		choices := strings.Fields(strings.Trim(fmt.Sprint(s.Enum), "[]")) // single words
		v.fail(n, suggest.Hint(str, choices, "use one of "+strings.Join(choices, ", ")), "unsupported %s %s", name, printable.Quote(printable.Truncate(str, 80)))
	case s.Const != nil && str != fmt.Sprint(s.Const):
		v.fail(n, "write it", "%s must be %v", name, s.Const)
	case isText && (len(str) < s.MinLength || s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(str)):
		v.fail(n, "write a text", "%s is empty or not valid", name)
	case s.Minimum != nil && kind == "number" && (err != nil || value < *s.Minimum):
		v.fail(n, "write a greater number", "%s must be at least %v", name, *s.Minimum)
	case kind == "array" && (len(n.Items()) < s.MinItems || s.MaxItems > 0 && len(n.Items()) > s.MaxItems):
		v.fail(n, "add or remove some", "%s has %s", name, printable.Plural(len(n.Items()), "value"))
		return
	}
	v.nested(n, s, name)
}

func (v *validator) nested(n *jsonpos.Node, s *schema, name string) {
	for _, item := range n.Items() {
		if s.Items != nil {
			v.visit(item, s.Items, "one of the "+strings.Replace(name, "this value", "values", 1))
		}
	}
	if fields := n.Fields(); fields != nil {
		for _, key := range s.Required {
			if fields[key] == nil {
				v.fail(n, "add it", "%s has no %s", name, key)
			}
		}
		var other *schema
		closed := string(s.Additional) == "false"
		if s.Additional != nil && !closed {
			_ = json.Unmarshal(s.Additional, &other) // a schema
		}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			switch {
			case s.Properties[key] != nil:
				v.visit(fields[key], s.Properties[key], key)
			case closed:
				v.fail(fields[key], suggest.Hint(key, slices.Sorted(maps.Keys(s.Properties)), "remove it; skills eval lint --schema prints what is supported"), "unsupported key %s", printable.Quote(printable.Truncate(key, 80)))
			case other != nil:
				v.visit(fields[key], other, printable.Line(key))
			}
		}
	}
	for _, part := range s.AllOf {
		v.visit(n, part, name)
	}
	if s.If != nil {
		try := validator{defs: v.defs}
		if try.visit(n, s.If, name); try.count == 0 && s.Then != nil {
			v.visit(n, s.Then, name)
		} else if try.count > 0 && s.Else != nil {
			v.visit(n, s.Else, name)
		}
	}
}
