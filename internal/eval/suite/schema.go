package suite

import (
	"bytes"
	"cmp"
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

// compile compiles an embedded schema, or the definition of that name in it.
func compile(name, definition string) *jsonschema.Schema {
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
	return compiler.MustCompile("file:///schema.json")
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
	choose := func(what, got string, choices []any) {
		names := make([]string, len(choices))
		for i, choice := range choices {
			names[i] = fmt.Sprint(choice)
		}
		r.report(f, at.Start, Error, suggest.Hint(got, names, "use one of "+strings.Join(names, ", ")), "unknown %s %s", what, printable.Quote(printable.Truncate(got, 80)))
	}
	switch k := e.ErrorKind.(type) {
	case *kind.PropertyNames:
		at = cmp.Or(at.Field(k.Property), at)
		choose("key", k.Property, e.Causes[0].ErrorKind.(*kind.Enum).Want) // the only use in our schemas
	case *kind.Enum:
		choose(name, fmt.Sprint(k.Got), k.Want)
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

// valueName names a value by its path: a key, "one of the KEY", or "the file".
func valueName(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	last := path[len(path)-1]
	if _, err := strconv.Atoi(last); err == nil && len(path) > 1 {
		return "one of the " + printable.Line(path[len(path)-2])
	}
	return printable.Line(last)
}
