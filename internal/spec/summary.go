package spec

import (
	"slices"
	"strings"
)

// Summary holds the fields of a SKILL.md that a catalogue uses.
type Summary struct {
	Name, Description, License, Compatibility, AllowedTools string

	Metadata map[string]string // scalars only; nil for none

	Hidden  bool // disable-model-invocation: true
	NotUser bool // user-invocable: false
}

// Summary returns the fields that a catalogue uses. A list of allowed tools is
// joined by spaces, because many authors write it as a list.
func (d *Document) Summary() Summary {
	return Summary{
		Name:          d.Text("name"),
		Description:   d.Text("description"),
		License:       d.Text("license"),
		Compatibility: d.Text("compatibility"),
		AllowedTools:  d.listText("allowed-tools"),
		Metadata:      d.metadata(),
		Hidden:        isOneOf(d.Text("disable-model-invocation"), "true", "yes", "on"),
		NotUser:       isOneOf(d.Text("user-invocable"), "false", "no", "off"),
	}
}

func (d *Document) metadata() map[string]string {
	f := d.Field("metadata")
	if f == nil || len(f.Value.Fields) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, field := range f.Value.Fields {
		if field.Value.Scalar() {
			out[strings.Clone(field.Key)] = strings.Clone(field.Value.Text)
		}
	}
	return out
}

// listText returns a field as text; the items of a list are joined by spaces.
func (d *Document) listText(key string) string {
	f := d.Field(key)
	if f == nil || f.Value.Kind != Sequence {
		return d.Text(key)
	}
	var items []string
	for _, v := range f.Value.Items {
		if v.Scalar() && v.Kind != Null {
			items = append(items, v.Text)
		}
	}
	return strings.Join(items, " ")
}

// isOneOf reads a flag as its author means it, whatever its YAML type.
func isOneOf(text string, words ...string) bool {
	return slices.Contains(words, strings.ToLower(text))
}
