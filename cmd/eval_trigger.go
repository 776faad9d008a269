package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/clients"
	"skills/internal/eval/suite"
	"skills/internal/eval/trigger"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/runner"
	"skills/internal/terminal"
)

func (a *app) evalTriggerCommand() *cobra.Command {
	format, formats := "text", []string{"text", "json", "markdown"}
	o, queries, client, suggest := trigger.Options{}, "", "", false
	c := &cobra.Command{
		Use:   "trigger [PATH...]",
		Short: "Check that the model loads a skill when it should, and only then",
		Long: `Check that the model loads a skill when it should, and only then.

The queries are those of evals/triggers.json in the skill. Each runs several times with
the skill and the other skills beside it, in a new empty folder without scripts. A query
passes if at least half of its runs load the skill within three turns, or fewer than
half where it should not. A control that names the skill runs first: if that loads
nothing, the harness or the model is at fault, not the description. A run that fails is
an error, never a result.`,
		Example: `  skills eval trigger ./skills/my-skill
  skills eval trigger ./my-skill --with ./skills --client codex
  skills eval trigger ./my-skill --suggest > description.diff`,
		Annotations: note("evals", "0    every query passes", "1    a query fails",
			"2    usage error, a broken file, or no query", "3    incomplete: a budget, errors, or the control loads nothing", "130  interrupted (143 by SIGTERM)"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := knownValue("format", format, formats...); err != nil {
				return err
			}
			if o.Client = clients.Find(client); client != "" && (o.Client == nil || o.Client.Reader.Fence == nil) {
				return wrongUsage(nearestHint(client, listingClients()), "unknown client %q", client)
			}
			if o.Runs < 1 || o.Jobs < 1 {
				return wrongUsage("give a positive number", "--runs and --jobs must be positive")
			}
			return a.trigger(c.Context(), args, queries, format, suggest, o)
		},
	}
	fl := a.group(c, "Measurement")
	fl.StringVar(&queries, "queries", "", "read the queries from this file, JSON or CSV")
	fl.IntVar(&o.Runs, "runs", 3, "runs of each query")
	fl.StringArrayVar(&o.With, "with", nil, "folder with the other skills (default: beside the skill); repeatable")
	fl.StringVar(&client, "client", "", "shorten the catalogue as this client does")
	fl.BoolVar(&suggest, "suggest", false, "print a better description as a diff; changes no file")
	fl.StringVar(&format, "format", format, "output format: "+strings.Join(formats, ", "))
	fl = a.group(c, "Limits")
	fl.IntVar(&o.Jobs, "jobs", 4, "runs at the same time")
	fl.IntVar(&o.MaxCalls, "max-calls", 0, "maximum requests to the model; 0: no limit")
	fl.Int64Var(&o.MaxTokens, "max-tokens", 0, "start no run after this many tokens; 0: no limit")
	fl.DurationVar(&o.Server.Timeout, "timeout", 2*time.Minute, "time limit of each run; 0: none")
	serverFlags(a.group(c, "Server"), &o.Server)
	a.values(c, "format", formats...)
	a.values(c, "client", listingClients()...)
	return a.command(c)
}

// trigger measures each skill below the paths that has queries.
func (a *app) trigger(ctx context.Context, paths []string, file, format string, suggest bool, o trigger.Options) error {
	a.newRunner(o.Server).ReadKeys(ctx)
	o.Server.MaxFailures, o.Server.Sandbox, o.Server.ScriptTimeout, o.Server.HookTimeout = agent.DefaultFailures, "auto", time.Minute, time.Minute // unused: no script runs
	if _, err := os.Stat(filepath.Join(a.Dir, ".env")); err == nil && o.Server.EnvFile == "" {
		o.Server.EnvFile = ".env"
	}
	if o.Server.EnvFile != "" && !filepath.IsAbs(o.Server.EnvFile) {
		o.Server.EnvFile = filepath.Join(a.Dir, o.Server.EnvFile)
	}
	o.Env = runner.Env{Process: a.Env, Version: version(), Notify: func(loader.Notice) {}, Warn: func(string) {},
		Styled: func(io.Writer) bool { return false }, Masked: func(*redact.Masker) {}}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	measured, worst := 0, exitFine
	for _, path := range paths {
		found, err := loader.Search{Named: true, Notify: a.notice}.Find(ctx, path)
		if err != nil {
			return runner.Hinted(err)
		}
		for _, f := range found {
			o.Skill = f.Dir
			if o.Queries, err = a.queries(ctx, f.Dir, file); err != nil {
				return err
			}
			if len(o.Queries) == 0 {
				continue
			}
			measured++
			code, err := a.triggerOne(ctx, format, suggest, o)
			if err != nil {
				return err
			}
			worst = max(worst, code)
		}
	}
	switch {
	case measured == 0:
		return wrongUsage("write evals/triggers.json, or name a list with --queries", "no queries found")
	case worst != exitFine:
		return &runner.Error{Code: worst, Concluded: true}
	}
	return nil
}

// queries reads a list of queries, or those of a skill.
func (a *app) queries(ctx context.Context, dir, file string) (queries []suite.Query, err error) {
	var problems []suite.Problem
	if file != "" {
		queries, problems, err = suite.LoadQueries(file)
	} else if s, found, lerr := suite.Load(ctx, dir); lerr == nil {
		queries, problems = s.Queries, found
	} else {
		err = lerr
	}
	if err != nil {
		return nil, runner.Refused(err)
	}
	for _, p := range problems {
		if p.Level == suite.Error {
			return nil, wrongUsage(p.Help, "%s:%d: %s", p.Path, p.Line, p.Message)
		}
	}
	return queries, nil
}

func (a *app) triggerOne(ctx context.Context, format string, suggest bool, o trigger.Options) (code int, err error) {
	done := 0
	o.Progress = func() { // one at a time
		if done++; terminal.Is(a.Stderr) {
			fmt.Fprintf(a.Stderr, "\r%s\r", printable.Plural(done, "run")+" of "+filepath.Base(o.Skill)+" done")
		}
	}
	h, err := trigger.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	report, err := h.Measure(ctx)
	if err != nil {
		return 0, err
	}
	out := a.exact(format)
	if suggest {
		out = a.Stderr // the diff is the result
	}
	if err := report.Write(out, format); err != nil {
		return 0, err
	}
	if why := report.Incomplete(); why != "" {
		return exitLimit, nil
	}
	if suggest && report.Failed() > 0 {
		note, err := h.Suggest(ctx, printable.Exact(a.Stdout))
		if err != nil {
			return 0, err
		}
		fmt.Fprintln(a.Stderr, note)
	}
	return min(report.Failed(), exitProblems), nil
}
