package cmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"skills/internal/loader"
	"skills/internal/pack"
	"skills/internal/printable"
)

func (a *app) indexCommand() *cobra.Command {
	file := ""
	c := &cobra.Command{
		Use:   "index DIR",
		Short: "Write the index under which a web server offers skills",
		Long: `Write the index under which a web server offers skills.

This is /.well-known/agent-skills/index.json of Agent Skills Discovery 0.2.0. A skill of one file is
offered as NAME/SKILL.md, any other as NAME.zip, as skills pack --for well-known writes it. Addresses
are relative to the index. The skills are validated first; errors refuse them.`,
		Example: `  skills index ./skills
  skills index ./skills -o public/index.json`,
		GroupID:     groupPublish,
		Annotations: note("publish", "0  the index was written", "1  a skill has errors, or cannot be packed", "2  usage error, or a path that does not exist"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrongUsage("name the folder that holds the skills", "index needs one DIR, not %d", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			return a.index(c.Context(), file, args[0])
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	return a.command(c)
}

func (a *app) index(ctx context.Context, file, dir string) error {
	found, err := a.publishable(ctx, dir)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(f loader.Found) bool { return f.File == "" })
	index, err := pack.NewIndex(found)
	if err != nil {
		return unpackable(err)
	}
	if file == "" {
		return printable.WriteJSON(a.Stdout, index)
	}
	var out bytes.Buffer
	if err := printable.WriteJSON(&out, index); err != nil {
		return err
	}
	if err := a.publish(ctx, file, out.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "Wrote %s: %s\n", printable.Line(file), printable.Plural(len(index.Skills), "skill"))
	return nil
}
