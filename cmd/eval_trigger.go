package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/clients"
	"skills/internal/console"
	"skills/internal/eval"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/terminal"
)

type triggerFlags struct {
	eval.Options
	format, queries, client string
	suggest                 bool
}

func evalTriggerCommand(a *app) *cobra.Command {
	var f triggerFlags
	c := &cobra.Command{
		Use:   "trigger [PATH...]",
		Short: "Check that the model loads a skill when it should, and only then",
		Long: `Check that the model loads a skill when it should, and only then.

The queries are those of evals/triggers.json in the skill. Each runs several times with
the skill and the other skills next to it, in a new empty folder; no script is approved. A
query passes if at least half of its runs load the skill within three turns, or fewer than
half where it should not. A control that names the skill runs first: if that loads
nothing, the harness or the model is at fault, not the description. A run that fails is
an error, never a result.`,
		Example: `  skills eval trigger ./skills/my-skill
  skills eval trigger ./my-skill --with ./skills --client codex
  skills eval trigger ./my-skill --suggest > description.diff`,
		Annotations: note("evals", "0    every query passes", "1    a query fails",
			"2    usage error, a broken file, or no query",
			"3    incomplete: a budget, errors, or the control loads nothing", exitInterrupted),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Runs < 1 {
				return usageError("give a positive number", "--runs must be positive")
			}
			f.Paths = args
			if len(args) == 0 {
				f.Paths = []string{"."}
			}
			return runEvalTrigger(c.Context(), a, f)
		},
	}
	fl := a.group(c, "Measurement")
	fl.StringVar(&f.queries, "queries", "", "read the queries from this file, JSON or CSV")
	fl.IntVar(&f.Runs, "runs", eval.DefaultRuns, "runs of each query")
	fl.StringArrayVar(&f.With, "with", nil, "folder with the other skills (default: next to the skill); repeatable")
	fl.StringVar(&f.client, "client", "", "shorten the catalogue as this client does")
	fl.BoolVar(&f.suggest, "suggest", false, "print a better description as a diff; changes no file")
	fl = a.group(c, "Limits")
	fl.IntVar(&f.Jobs, "jobs", eval.DefaultJobs, "concurrent runs")
	fl.IntVar(&f.Budget.Calls, "max-calls", 0, "maximum model requests; 0: no limit")
	fl.Int64Var(&f.Budget.Tokens, "max-tokens", 0, "stop after this many tokens; 0: no limit")
	fl.DurationVar(&f.Run.Limits.Timeout, "timeout", 2*time.Minute, "time limit of each run; 0: none")
	serverFlags(a.group(c, "Server"), &f.Run)
	a.values(c, "client", listingClients()...)
	return a.formatted(c, &f.format, "text", "json", "markdown")
}

// runEvalTrigger measures each skill below the paths that has queries.
func runEvalTrigger(ctx context.Context, a *app, f triggerFlags) error {
	client := clients.Find(f.client)
	if f.client != "" && (client == nil || client.Reader.Fence == nil) {
		return usageError(nearestHint(f.client, listingClients()), "unknown client %q", f.client)
	}
	findKeys(ctx, a, f.Run)
	f.Run.Approval.Confirm = console.NewConfirm(a.Env)
	f.Status = func() *terminal.Status { return console.NewStatus(a.Env) }
	f.Run.Limits.Failures, f.Run.Scripts.Sandbox = agent.DefaultFailures, "auto"
	f.Run.Scripts.Timeout, f.Run.Programs.HookTimeout = time.Minute, time.Minute // unused: no script runs
	e, skills, err := eval.OpenTriggers(ctx, evalEnv(a), f.Options, f.queries, client)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.format == "json" && len(skills) > 1 {
		return usageError("measure one skill at a time, or use text or markdown", "--format json describes one skill, but %d have queries", len(skills))
	}
	code, out := exitFine, a.exact(f.format)
	if f.suggest {
		out = a.Stderr // the diff is the result
	}
	for _, t := range skills {
		report, err := t.Measure(ctx)
		if err != nil {
			return err
		}
		if err := report.Write(out, f.format, terminal.Width(out)); err != nil {
			return err
		}
		switch {
		case report.Incomplete() != "":
			code = exitLimit
			continue
		case report.Failed() == 0:
			continue
		case f.suggest:
			note, err := t.Suggest(ctx, printable.Exact(a.Stdout))
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Stderr, note)
		}
		code = max(code, exitProblems)
	}
	if code != exitFine {
		return &fault.Error{Code: code, Concluded: true}
	}
	return nil
}
