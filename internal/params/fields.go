package params

import (
	"reflect"
	"strings"
)

// Names returns the parameter names of a struct type, in the order of its
// fields.
func Names(t reflect.Type) []string {
	var names []string
	for _, p := range fields(t) {
		names = append(names, p.name)
	}
	return names
}

// parameter is one field of a struct of arguments.
type parameter struct {
	index   int
	name    string
	aliases []string
}

// fields lists the parameters of a struct type.
func fields(t reflect.Type) []parameter {
	var out []parameter
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		p := parameter{index: i, name: name}
		if alias := field.Tag.Get("alias"); alias != "" {
			p.aliases = strings.Split(alias, ",")
		}
		out = append(out, p)
	}
	return out
}

// find returns the parameter of that name: by its exact name first, so that no
// alias can take it away.
func find(list []parameter, name string) (parameter, bool) {
	for _, p := range list {
		if p.name == name {
			return p, true
		}
	}
	for _, p := range list {
		for _, spelling := range append([]string{p.name}, p.aliases...) {
			if fold(spelling) == fold(name) {
				return p, true
			}
		}
	}
	return parameter{}, false
}

// fold makes spellings of a name equal that differ in case, hyphens or
// underscores.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}
