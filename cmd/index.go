package cmd

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/pack"
	"skills/internal/printable"
)

func indexCommand(a *app) *cobra.Command {
	file, address := "", ""
	c := &cobra.Command{
		Use:   "index DIR",
		Short: "Write the index under which a web server offers skills",
		Long: `Write the index under which a web server offers skills.

This is /.well-known/agent-skills/index.json of Agent Skills Discovery 0.2.0. A skill of one file is
offered as NAME/SKILL.md, any other as NAME.zip, as skills pack --for well-known writes it. Addresses
are relative to the index. The skills are validated first; if one has errors, no index is written.

With -o, an AI Catalog is written too: ai-catalog.json next to the index, or, if that is in a folder
agent-skills, next to this folder. Its other entries stay. Pass --url so that it has full addresses.`,
		Example: `  skills index ./skills
  skills index ./skills -o public/index.json
  skills index skills -o a.json --url https://example.com/`,
		Annotations: note("publish", "0  the index was written", "1  a skill has errors, or cannot be packed", "2  usage error, or a path that does not exist"),
		Args:        arguments(1, 1, "DIR", ""),
		RunE: given(func(c *cobra.Command, args []string) error {
			if address != "" {
				u, err := url.Parse(address)
				isWeb := err == nil && (u.Scheme == "https" || u.Scheme == "http")
				if !isWeb || u.Host == "" {
					return usageError("write an address such as https://example.com/.well-known/agent-skills/", "invalid --url %q", address)
				}
			}
			return runIndex(c.Context(), a, args[0], file, address)
		}),
	}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	c.Flags().StringVar(&address, "url", "", "address of the index's folder, for the AI Catalog")
	return a.command(c)
}

func runIndex(ctx context.Context, a *app, dir, file, address string) error {
	found, err := publishable(ctx, a, dir)
	if err != nil {
		return err
	}
	index, err := pack.NewIndex(found)
	if err != nil {
		return unpackable("", err)
	}
	if file == "" || file == "-" {
		return printable.WriteJSON(a.Stdout, index)
	}
	if err := files.SaveJSON(ctx, file, index); err != nil {
		return fault.AsUsage(err)
	}
	fmt.Fprintf(a.Stderr, "Wrote %s: %s\n", printable.Line(file), printable.Plural(len(index.Skills), "skill"))
	catalog, err := pack.WriteCatalog(ctx, index, file, address)
	if err != nil {
		return fault.AsUsage(err)
	}
	fmt.Fprintf(a.Stderr, "Wrote %s\n", printable.Line(catalog))
	return nil
}
