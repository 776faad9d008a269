package list

import (
	"context"

	"skills/internal/loader"
	"skills/internal/script"
)

// Script is a script of a listed skill.
type Script struct {
	Name   string         `json:"name"`
	Known  bool           `json:"known"`             // the script, or its text, says what it takes
	Schema map[string]any `json:"parameters_schema"` // of the arguments
}

// scripts returns the scripts in a skill's folder. A run reports what cannot be read.
func scripts(ctx context.Context, dir string, extensions loader.Extensions) []Script {
	out := []Script{}
	listing, err := loader.List(ctx, dir, extensions, nil)
	if err != nil {
		return out
	}
	for _, name := range listing.Scripts {
		t, _ := script.Describe(script.Script{Name: name, Dir: dir}, nil)
		out = append(out, Script{Name: name, Known: t.Certain, Schema: t.Schema})
	}
	return out
}

// functions returns the scripts of a built-in skill.
func functions(c loader.Contents) []Script {
	out := []Script{}
	for _, x := range c.Scripts {
		out = append(out, Script{Name: x.Name, Known: x.Schema != nil, Schema: x.Schema})
	}
	return out
}
