package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
)

func readPropertiesCommand(a *app) *cobra.Command {
	return a.command(&cobra.Command{
		Use:   "read-properties PATH",
		Short: "Print a skill's frontmatter as JSON",
		Long: `Print a skill's frontmatter as JSON.

The keys are those of the reference library: name, description, license,
compatibility, allowed-tools and metadata. Absent fields are omitted. Values are the text in the file: version: 1.0 is "1.0".`,
		Example: `  skills read-properties ./my-skill
  skills read-properties ./my-skill | jq -r .description`,
		Annotations: note("", "0  success", "1  the frontmatter cannot be read (as the reference library decides)",
			"2  usage error, or a path that does not exist"),
		Args: arguments(1, 1, "PATH", "give the folder of one skill"),
		RunE: func(c *cobra.Command, args []string) error { return runReadProperties(c.Context(), a, args[0]) },
	})
}

func runReadProperties(ctx context.Context, a *app, path string) error {
	p, err := loader.PropertiesAt(ctx, path)
	switch {
	case errors.As(err, new(*loader.TargetError)):
		return fault.AsUsage(err)
	case err != nil:
		return err
	}
	return printable.WriteJSON(a.Stdout, p)
}
