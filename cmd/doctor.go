package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"skills/internal/doctor"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func doctorCommand(a *app) *cobra.Command {
	format := ""
	c := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check that the tools your skills need are installed",
		Long: `Check that the tools your skills need are installed.

It checks the interpreters of scripts (by shebang line, extension and PEP 723 metadata) and
the programs that compatibility fields name, with the minimum versions given there. It also
checks known programs that commands and shell scripts start. It reports the sandbox for
scripts, and the server and model that run would use. The skills are those under the paths,
by default those that run finds.

Nothing is installed or changed, no script is run and no network is used. Well-known programs
on PATH are run for their version, except those in a skill or below the working folder. The
compatibility field is free text: what may be optional is a warning (!), not a failure. So is
a program that only a command starts.`,
		Example: `  skills doctor
  skills doctor ./my-skill
  skills doctor --format json .agents/skills`,
		Annotations: note("", "0  everything that the skills need is installed", "1  something is missing",
			"2  usage error, or a path that does not exist or holds no usable skill"),
		RunE: func(c *cobra.Command, args []string) error { return runDoctor(c.Context(), a, format, args) },
	}
	return a.formatted(c, &format, "text", "json")
}

func runDoctor(ctx context.Context, a *app, format string, args []string) error {
	found, err := doctor.Diagnose(ctx, a.Env.Env, args)
	if err != nil {
		return err
	}
	if format == "json" {
		err = printable.WriteJSON(a.mask.Lines(printable.EscapeJSON(a.Stdout)), found)
	} else {
		styles := terminal.Styles(a.Stdout, a.colours(a.Stdout))
		_, err = io.WriteString(a.Stdout, found.Text(styles, terminal.Width(a.Stdout), a.mask))
	}
	if err != nil {
		return err
	}
	return reported(!found.OK)
}
