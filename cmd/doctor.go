package cmd

import (
	"context"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"skills/internal/console"
	"skills/internal/doctor"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/terminal"
)

func doctorCommand(a *app) *cobra.Command {
	format, asksServer, forget := "", false, false
	var o run.Options
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
a program that only a command starts.

With --server, it checks instead what the model's server can do, by at most eight small
requests, and prints what run does about it and which flags to use. NAME is a server of your
own configuration, by default the server is the one that run would use.`,
		Example: `  skills doctor
  skills doctor ./my-skill
  skills doctor --format json .agents/skills
  skills doctor --server
  skills doctor --server azure -m gpt-5-mini`,
		Annotations: note("", "0  everything that the skills need is installed, or the server works", "1  something is missing, or the server does not work",
			"2  usage error, a path that does not exist or holds no usable skill, or an unknown server"),
		RunE: given(func(c *cobra.Command, args []string) error {
			if asksServer {
				return runServerDoctor(c.Context(), a, format, o, forget, args)
			}
			if forget {
				return usageError("add --server", "--forget needs --server")
			}
			return runDoctor(c.Context(), a, format, o, args)
		}),
	}
	c.Flags().BoolVar(&asksServer, "server", false, "check the model's server, optionally by its NAME, with requests")
	c.Flags().BoolVar(&forget, "forget", false, "with --server, forget which tool calls the model needs")
	serverFlags(a.group(c, "Server"), &o)
	completeServer(a, c)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if asksServer {
			return run.ServerNames(a.Env.Env), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.formatted(c, &format, "text", "json")
}

func runDoctor(ctx context.Context, a *app, format string, o run.Options, args []string) error {
	found, err := doctor.Diagnose(ctx, a.Env.Env, o.Server, args)
	if err != nil {
		return err
	}
	return printDiagnosis(a, format, found, found.OK)
}

func runServerDoctor(ctx context.Context, a *app, format string, o run.Options, forget bool, args []string) error {
	switch {
	case len(args) > 1:
		return usageError("omit --server to check skills", "too many arguments: one NAME of a server expected")
	case len(args) == 1:
		o.Server.Name = args[0]
	}
	findKeys(ctx, a, o)
	o.Approval.Confirm = console.NewConfirm(a.Env)
	found, err := doctor.ExamineServer(ctx, a.Env.Env, o, forget)
	if err != nil {
		return err
	}
	return printDiagnosis(a, format, found, found.OK)
}

// diagnosis is what doctor prints.
type diagnosis interface {
	Text(styles *lipgloss.Renderer, width int, mask *redact.Masker) string
}

func printDiagnosis(a *app, format string, found diagnosis, ok bool) (err error) {
	if format == "json" {
		err = printable.WriteJSON(a.mask.Lines(printable.EscapeJSON(a.Stdout)), found)
	} else {
		styles := terminal.Styles(a.Stdout, a.colours(a.Stdout))
		_, err = io.WriteString(a.Stdout, found.Text(styles, terminal.Width(a.Stdout), a.mask))
	}
	if err != nil {
		return err
	}
	return reported(!ok)
}
