package spec

import "skills/internal/printable"

// MarshalJSON writes the fields in their order: scalars as strings, as the file
// has them, lists and mappings as they are.
func (p Properties) MarshalJSON() ([]byte, error) { return object(p.Fields).MarshalJSON() }

// object is a mapping that keeps its order as JSON.
type object []Field

func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, printable.JSONText(f.Key)+":"+printable.JSONText(jsonValue(f.Value))...)
	}
	return append(out, '}'), nil
}

func jsonValue(v Value) any {
	switch v.Kind {
	case Mapping:
		return object(v.Fields)
	case Sequence:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, jsonValue(item))
		}
		return items
	}
	return v.Text
}
