package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
)

func (a *app) readPropertiesCommand() *cobra.Command {
	return a.command(&cobra.Command{
		Use:   "read-properties PATH",
		Short: "Print a skill's frontmatter as JSON",
		Long: `Prints the frontmatter as JSON with the keys of the reference library (name,
description, license, compatibility, allowed-tools, metadata). Absent ones are left
out; values are the text that stands in the file (version: 1.0 is "1.0").`,
		Example: `  skills read-properties ./my-skill
  skills read-properties ./my-skill | jq -r .description`,
		Annotations: exits("0  fine", "1  the frontmatter cannot be read (as the reference library decides)",
			"2  wrong usage, or a path that does not exist"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage("call it once for each skill", "%d paths given, one wanted", len(args))
			}
			return atLeastOne("PATH")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return a.readProperties(c.Context(), args[0]) },
	})
}

func (a *app) readProperties(ctx context.Context, path string) error {
	found, err := oneSkill(ctx, path)
	if err != nil {
		return err
	}
	doc := loader.OpenDocument(found)
	p, err := spec.ReadProperties(doc)
	if err != nil {
		return unreadable(doc, err)
	}
	return printable.WriteJSON(a.Stdout, object(p.Fields))
}

// oneSkill finds the one skill that path stands for; a tree is none.
func oneSkill(ctx context.Context, path string) (loader.Found, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := loader.Search{}.Inspect(ctx, path)
		if errors.As(err, new(*loader.TargetError)) {
			err = settled(err)
		}
		return found, err
	}
	target, err := loader.Resolve(ctx, path, loader.Search{})
	var bad *loader.TargetError
	switch {
	case errors.As(err, &bad) && bad.Problem == loader.TargetNoSkill:
		return loader.Found{}, problem("name a skill's folder or its SKILL.md", fmt.Errorf("SKILL.md not found in %s", path))
	case errors.As(err, &bad):
		return loader.Found{}, &failure{exitUsage, bad, bad.Hint()}
	case err != nil:
		return loader.Found{}, err
	}
	return target.Skills[0], nil
}

// object is a mapping that keeps its order as JSON.
type object []spec.Field

// MarshalJSON writes scalars as strings, lists and mappings as they are.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := printable.JSON(f.Key)
		if err != nil {
			return nil, err
		}
		value, err := printable.JSON(plain(f.Value))
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

func plain(v spec.Value) any {
	switch v.Kind {
	case spec.Mapping:
		return object(v.Fields)
	case spec.Sequence:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, plain(item))
		}
		return items
	}
	return v.Text
}
