package cmd

// The command that measures whether a skill is loaded. Its runs are stored and paid for like
// those of eval, whose flags of the same names mean the same.

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/clients"
	"skills/internal/console"
	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/terminal"
)

type triggerFlags struct {
	evalFlags
	eval.TriggerOptions
	client string
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
an error, never a result. Runs are stored next to the skill in SKILL-workspace/trigger-N:
an interrupted measurement is resumed, and equal runs are not repeated.`,
		Example: `  skills eval trigger ./skills/my-skill
  skills eval trigger ./my-skill --with ./skills --client codex
  skills eval trigger ./my-skill --suggest > description.diff
  skills eval trigger --offline --format junit=trigger.xml ./my-skill`,
		Annotations: note("evals", "0    every query passes", "1    a query fails",
			"2    usage error, a broken file, or no query",
			"3    incomplete: a budget, errors, or the control loads nothing", exitInterrupted+"; run it again to resume"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Runs < 1 {
				return usageError("give a positive number", "--runs must be positive")
			}
			f.Paths = orHere(args)
			return runEvalTrigger(c.Context(), a, &f)
		},
	}
	fl := a.group(c, "Measurement")
	fl.StringVar(&f.Queries, "queries", "", "read the queries from this file, JSON or CSV")
	fl.IntVar(&f.Runs, "runs", eval.DefaultRuns, "runs of each query")
	fl.StringArrayVar(&f.With, "with", nil, "folder with the other skills (default: next to the skill); repeatable")
	fl.StringVar(&f.client, "client", "", "shorten the catalogue as this client does")
	fl.StringVar(&f.Shard, "shard", "", "measure part I of N of the skills")
	fl.BoolVar(&f.Suggest, "suggest", false, "print a better description as a diff; changes no file")
	fl = a.group(c, "Limits")
	fl.IntVar(&f.Jobs, "jobs", eval.DefaultJobs, "concurrent runs")
	fl.IntVar(&f.Budget.Calls, "max-calls", 0, "maximum model requests; 0: no limit")
	fl.Int64Var(&f.Budget.Tokens, "max-tokens", 0, "stop after this many tokens; 0: no limit")
	fl.Float64Var(&f.Budget.Cost, "max-cost", 0, "stop at this cost, by --price; 0: no limit")
	fl.DurationVar(&f.Run.Limits.Timeout, "timeout", 2*time.Minute, "time limit of each run; 0: none")
	fl.BoolVar(&f.Dry, "dry-run", false, "print runs, requests and files, and stop")
	fl = a.group(c, "Stored runs")
	fl.StringVar(&f.Workspace, "workspace", "", "store runs here (default: SKILL-workspace)")
	fl.BoolVar(&f.Offline, "offline", false, "play the recordings of the last complete measurement")
	fl.BoolVar(&f.NoCache, "no-cache", false, "repeat equal runs")
	fl = a.group(c, "Server")
	serverFlags(fl, &f.Run)
	fl.StringArrayVar(&f.Run.Request.Params, "param", nil, "request parameter, such as temperature=0; repeatable")
	fl = a.group(c, "Output")
	formatsFlag(fl, &f.formats)
	fl.Float64SliceVar(&f.price, "price", nil, "price of a million tokens, as IN,OUT, for costs")
	a.values(c, "format", report.Formats()...)
	a.values(c, "client", listingClients()...)
	completeServer(a, c)
	return a.command(c)
}

// runEvalTrigger measures each skill below the paths that has queries.
func runEvalTrigger(ctx context.Context, a *app, f *triggerFlags) error {
	outs, err := parseOutputs(f.formats, report.Formats())
	if err != nil {
		return err
	}
	f.Client = clients.Find(f.client)
	if f.client != "" && (f.Client == nil || f.Client.Reader.Fence == nil) {
		return usageError(nearestHint(f.client, listingClients()), "unknown client %q", f.client)
	}
	if err := f.readPrice(); err != nil {
		return err
	}
	findKeys(ctx, a, f.Run)
	f.Note, f.Run.Approval.Confirm = a.note, console.NewConfirm(a.Env)
	f.Status = func() *terminal.Status { return console.NewStatus(a.Env) }
	f.Run.Limits.Failures, f.Run.Scripts.Sandbox = agent.DefaultFailures, "auto"
	f.Run.Scripts.Timeout, f.Run.Programs.HookTimeout = time.Minute, time.Minute // unused: no script runs
	e, skills, err := eval.OpenTriggers(ctx, evalEnv(a), f.Options, f.TriggerOptions)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, o := range outs {
		if len(skills) > 1 && describesOne(o.format) {
			return usageError("measure one skill at a time, or use text, markdown or jsonl", "--format %s describes one skill, but %d have queries", o.format, len(skills))
		}
	}
	if f.Dry {
		return eval.DryRunTriggers(a.Stdout, skills)
	}
	if len(skills) == 0 {
		a.note("no skill is in this part")
		return nil
	}
	if forecast := eval.Forecast(e); forecast != "" {
		fmt.Fprintln(a.Stderr, forecast)
	}
	all, failed := measureTriggers(ctx, skills)
	if err := writeTriggers(ctx, a, outs, all, f.Suggest); err != nil {
		return err
	}
	if failed != nil && !f.Offline {
		return resumable(failed)
	} else if failed != nil {
		return failed
	}
	for _, line := range eval.Outcome(e) {
		fmt.Fprintln(a.Stderr, printable.Line(line))
	}
	return concludeTriggers(all)
}

// measureTriggers measures skills until an error.
func measureTriggers(ctx context.Context, skills []*eval.Trigger) (all []*eval.TriggerReport, err error) {
	for _, t := range skills {
		r, err := t.Measure(ctx)
		if r != nil {
			all = append(all, r)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// writeTriggers writes reports in several formats. If descriptions are wanted, these are the
// result, and reports without a file go to standard error.
func writeTriggers(ctx context.Context, a *app, outs []output, all []*eval.TriggerReport, suggest bool) error {
	stdout := a.Stdout
	if suggest {
		stdout = a.Stderr
	}
	err := writePages(ctx, stdout, outs, all == nil, func(w io.Writer, format string, to report.Target) error {
		for _, r := range all {
			if err := r.Write(w, format, to); err != nil {
				return err
			}
		}
		return nil
	})
	for _, r := range all {
		if err == nil && r.Suggestion != nil {
			_, err = io.WriteString(printable.Exact(a.Stdout), r.Suggestion.Diff)
		}
	}
	return err
}

// concludeTriggers returns the error of the report that is the most incomplete, or fails, if
// there is one.
func concludeTriggers(all []*eval.TriggerReport) error {
	var worst *fault.Error
	for _, r := range all {
		if err := concludeTrigger(r); err != nil && (worst == nil || err.Code > worst.Code) {
			worst = err
		}
	}
	if worst == nil {
		return nil
	}
	return worst
}

// concludeTrigger returns why a measurement is incomplete, or that queries fail, or nil.
func concludeTrigger(r *eval.TriggerReport) *fault.Error {
	fails := func(code int, hint, format string, args ...any) *fault.Error {
		return &fault.Error{Code: code, Err: fmt.Errorf("%s: %s", r.Skill, fmt.Sprintf(format, args...)), Hint: hint, Concluded: true}
	}
	switch why := r.Incomplete(); {
	case r.Stopped != "":
		return fails(exitLimit, "run it again with a larger budget; finished runs are not repeated", "%s", why)
	case len(r.Control.Errors) == 0 && r.Control.Triggered == 0:
		return fails(exitLimit, "name another model with -m; the description is not the cause", "%s", why)
	case why != "":
		return fails(exitLimit, "run it again; finished runs are not repeated", "%s", why)
	case r.Failed() > 0:
		return fails(exitProblems, "improve the description, or search a better one with --suggest", "%d of %d queries fail", r.Failed(), len(r.Queries))
	}
	return nil
}
