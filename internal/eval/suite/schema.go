package suite

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

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

// schema compiles an embedded schema, or the definition of that name in it, once.
func (r *reader) schema(name, definition string) *jsonschema.Schema {
	if r.compiled[name+definition] == nil {
		text, err := schemas.ReadFile("schemas/" + name + ".json")
		if definition != "" {
			var whole map[string]any
			err = errors.Join(err, json.Unmarshal(text, &whole))
			text = []byte(printable.JSONText(map[string]any{"$ref": "#/$defs/" + definition, "$defs": whole["$defs"]}))
		}
		document, jsonErr := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		compiler := jsonschema.NewCompiler()
		if err = errors.Join(err, jsonErr, compiler.AddResource("file:///schema.json", document)); err != nil {
			panic(err) // the schemas are part of the program, and held by tests
		}
		if r.compiled == nil {
			r.compiled = map[string]*jsonschema.Schema{}
		}
		r.compiled[name+definition] = compiler.MustCompile("file:///schema.json")
	}
	return r.compiled[name+definition]
}

// validate reports what in a value does not match a schema, and whether all does.
func (r *reader) validate(f *file, n *jsonpos.Node, schema *jsonschema.Schema) bool {
	var e *jsonschema.ValidationError
	if errors.As(schema.Validate(n.Plain()), &e) {
		r.invalid(f, n, e)
	}
	return e == nil
}

func (r *reader) invalid(f *file, n *jsonpos.Node, e *jsonschema.ValidationError) {
	at, name := n.At(e.InstanceLocation), valueName(e.InstanceLocation)
	unsupported := func(n *jsonpos.Node, what, got string, choices []string, help string) {
		r.report(f, n.Start, Error, suggest.Hint(got, choices, help), "unsupported %s %s", what, printable.Quote(printable.Truncate(got, 80)))
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, key := range k.Properties {
			unsupported(at.Field(key), "key", key, slices.DeleteFunc(append(settingKeys, checkKeys...), func(known string) bool { return known == key }), "remove it; skills eval lint --schema prints what is supported")
		}
	case *kind.Enum:
		var choices []string
		for _, choice := range k.Want {
			choices = append(choices, fmt.Sprint(choice))
		}
		unsupported(at, name, fmt.Sprint(k.Got), choices, "use one of "+strings.Join(choices, ", "))
	case *kind.Required:
		r.report(f, at.Start, Error, "add it", "%s has no %s", name, strings.Join(k.Missing, " and no "))
	case *kind.Type:
		want := strings.Join(slices.DeleteFunc(k.Want, func(name string) bool { return name == "null" }), " or ")
		want = strings.ReplaceAll(want, "array", "list")
		r.report(f, at.Start, Error, "write a value of that type", "%s must be of type %s, not %s", name, want, at.Kind())
	case *kind.Pattern, *kind.MinLength:
		r.report(f, at.Start, Error, "write a text", "%s is empty", name)
	default:
		if len(e.Causes) == 0 {
			text := k.LocalizedString(message.NewPrinter(language.English))
			r.report(f, at.Start, Error, "run skills eval lint --schema to see what is allowed", "%s: %s", name, printable.Line(printable.Truncate(text, 200)))
		}
		for _, cause := range e.Causes {
			r.invalid(f, n, cause)
		}
	}
}

// valueName names a value by its path: a key, "one of the KEY", or "this value".
func valueName(path []string) string {
	if len(path) == 0 {
		return "this value"
	}
	last := path[len(path)-1]
	if _, err := strconv.Atoi(last); err != nil {
		return printable.Line(last)
	} else if len(path) > 1 {
		return "one of the " + printable.Line(path[len(path)-2])
	}
	return "this value"
}
