package cmd

// The commands that run and grade evals. Their flags are options of package eval; what they
// need of this process is the environment of a run without its streams.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/console"
	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/hook"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/terminal"
)

type evalFlags struct {
	eval.Options
	formats []string
	price   []float64
}

func newEvalCommand(a *app) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval [PATH...]",
		Short: "Measure whether a skill helps",
		Long: `Measure whether a skill helps. Each case of evals/evals.json is run with the skill and
without it, in a new folder, and its assertions are checked.

PATH is a skill, a file in it, or a tree (default: here). Runs do not prompt for approval:
scripts run only if --allow-script or -y approves them. Runs are stored next to the skill
in SKILL-workspace/iteration-N. An interrupted eval is resumed, and equal runs are not
repeated. Server, key and model are those of skills run. --model A,B runs every case with
each model, one model after another, and prints one table; gates hold for each.`,
		Example: `  skills eval --demo
  skills eval init ./my-skill
  skills eval ./my-skill
  skills eval --gate lift ./my-skill
  skills eval --model gpt-5-mini,local/qwen3 ./my-skill
  skills eval --offline --gate pass ./my-skill`,
		Annotations: note("evals", "0    success: every gate is met", "1    a gate is missed",
			"2    usage error, a broken eval file, or no case",
			"3    incomplete: a budget was reached, over 20 % of the runs failed, or no verdict",
			exitInterrupted+"; run it again to resume"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Runs < 1 && c.Flags().Changed("runs") {
				return usageError("pass a number of runs, such as 3", "--runs is less than 1")
			}
			f.Paths = args
			if !f.Demo {
				f.Paths = orHere(args)
			}
			return runEval(c.Context(), a, &f)
		},
	}
	f.add(a, c)
	c.AddCommand(evalInitCommand(a), evalLintCommand(a), evalImportCommand(a), evalTriggerCommand(a), evalJudgeCommand(a), evalGradeCommand(a), evalReportCommand(a), evalCompareCommand(a), evalAblateCommand(a), evalMergeCommand(a))
	return a.command(c)
}

// orHere returns the paths, or the current folder.
func orHere(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	return paths
}

// add defines the flags of eval.
func (f *evalFlags) add(a *app, c *cobra.Command) {
	fl := f.addCases(a, c)
	fl.Lookup("runs").Usage = "runs of each case, with and without the skill (default 3)"
	fl.StringVar(&f.Baseline, "baseline", eval.Without, "compare with: without, none, ref:GITREV or dir:PATH")
	_ = fl.SetAnnotation("baseline", metavarNote, []string{"ARM"}) // it is defined
	fl.StringVar(&f.Shard, "shard", "", "do part I of N of the runs; skills eval merge joins the parts")
	fl.BoolVar(&f.Demo, "demo", false, "play a recorded demo; no server or API key needed")

	f.addBudget(a, c).Lookup("offline").Usage = "play the recordings of the last iteration"
	gateFlags(a, c, a.group(c, "Gate"), &f.Gate)
	evalGradeFlags(a, c, f)
	f.addRuns(a, c)
	c.Flags().Lookup("model").Usage = "model, or several as A,B; SERVER/MODEL for one of your servers"
	a.values(c, "baseline", eval.Baselines()...)
}

// addCases defines the flags that select cases.
func (f *evalFlags) addCases(a *app, c *cobra.Command) *pflag.FlagSet {
	fl := a.group(c, "Cases")
	fl.StringArrayVar(&f.Cases, "case", nil, "run only cases whose id or name matches (*, ?); repeatable")
	fl.StringArrayVar(&f.Tags, "tag", nil, "run only cases with this tag; repeatable")
	fl.IntVar(&f.Runs, "runs", 0, "runs of each case (default 3)")
	fl.StringArrayVar(&f.With, "with", nil, "skills available in all runs; repeatable")
	return fl
}

// addBudget defines the flags about what runs may use, and about stored runs.
func (f *evalFlags) addBudget(a *app, c *cobra.Command) *pflag.FlagSet {
	fl := a.group(c, "Budget")
	fl.IntVar(&f.Budget.Calls, "max-calls", 0, "maximum model requests; 0: no limit")
	fl.Int64Var(&f.Budget.Tokens, "max-tokens", 0, "stop after this many tokens; 0: no limit")
	fl.Float64Var(&f.Budget.Cost, "max-cost", 0, "stop at this cost, by --price; 0: no limit")
	fl.BoolVar(&f.Dry, "dry-run", false, "print runs, requests and files, and stop")
	fl.IntVar(&f.Jobs, "jobs", eval.DefaultJobs, "concurrent runs; 1 with --sandbox off")

	fl = a.group(c, "Stored runs")
	fl.StringVar(&f.Workspace, "workspace", "", "store runs here (default: SKILL-workspace)")
	fl.BoolVar(&f.Offline, "offline", false, "play stored recordings")
	return fl
}

// addRuns defines the flags of every run besides those of its server.
func (f *evalFlags) addRuns(a *app, c *cobra.Command) {
	scriptFlags(a, c, &f.Run, "never", approvalModes())
	a.choiceFlags(c, a.group(c, "Choice of skills"), &f.Run.Skills.Choice, a.listNames)
	fl := a.group(c, "Files and commands")
	fl.StringArrayVar(&f.Run.Approval.Commands, "allow-command", nil, "approve commands (PATTERN, or SKILL:PATTERN there); repeatable")
	fl = a.group(c, "Limits of a run and hooks")
	limitFlags(fl, &f.Run)
	hookFlags(fl, &f.Run)
	toolCallsFlag(a, c, fl, &f.Run)
	a.values(c, "hook", run.HookKinds()...)
	a.values(c, "hook-protocol", hook.Protocols()...)
}

// gateFlags adds the flags about what a result must show.
func gateFlags(a *app, c *cobra.Command, fl *pflag.FlagSet, g *eval.Gate) {
	fl.StringArrayVar(&g.Names, "gate", nil, "fail if this gate is not met: pass, lift or no-regression; repeatable")
	fl.Float64Var(&g.Threshold, "threshold", 0.8, "mean score for --gate pass")
	fl.Float64Var(&g.MinLift, "min-lift", 0, "value that the interval must exceed for --gate lift")
	fl.BoolVar(&g.RequireVerdict, "require-verdict", false, "exit with 3 if the result is inconclusive")
	a.values(c, "gate", eval.GateNames()...)
}

// readPrice reads --price.
func (f *evalFlags) readPrice() error {
	if n := copy(f.Budget.Price[:], f.price); n == 1 || len(f.price) > 2 || min(f.Budget.Price[0], f.Budget.Price[1]) < 0 {
		return wrongPrice()
	}
	return nil
}

func wrongPrice() error {
	return usageError("write it as --price 0.25,2", "--price is not a pair of prices")
}

// evalGradeFlags adds the flags that eval and eval grade have in common.
func evalGradeFlags(a *app, c *cobra.Command, f *evalFlags) {
	fl := f.addJudge(a, c)
	fl.BoolVar(&f.Pairwise, "pairwise", false, "also compare the answers of both arms, in both orders")
	fl = a.group(c, "Output")
	formatsFlag(fl, &f.formats)
	fl.Float64SliceVar(&f.price, "price", nil, "price of a million tokens, as IN,OUT, for costs")
	a.values(c, "format", report.Formats()...)
	a.completes(c, "model", func(_ []string, typed string) []string {
		before := typed[:strings.LastIndex(typed, ",")+1]
		return printable.Map(run.ModelNames(a.Env.Env), func(name string) string { return before + name })
	})
	completeServer(a, c)
}

// addJudge defines the flags of the servers of the model and of the judge.
func (f *evalFlags) addJudge(a *app, c *cobra.Command) *pflag.FlagSet {
	fl := a.group(c, "Server")
	serverFlags(fl, &f.Run)
	fl.StringArrayVar(&f.Run.Request.Params, "param", nil, "request parameter, such as temperature=0; repeatable")
	fl = a.group(c, "Judge")
	fl.StringVar(&f.JudgeModel, "judge-model", "", "model that judges sentences (default: the model itself)")
	fl.StringVar(&f.JudgeBaseURL, "judge-base-url", "", "server of the judge (default: that of the model)")
	fl.StringVar(&f.JudgeKeyEnv, "judge-key-env", "", "environment variable that holds the judge's key")
	fl.IntVar(&f.JudgeVotes, "judge-votes", 1, "votes for each sentence, an odd number; the majority decides")
	fl.BoolVar(&f.NoCache, "no-cache", false, "repeat equal runs and judgements")
	return fl
}

func evalGradeCommand(a *app) *cobra.Command {
	var f evalFlags
	var skill string
	c := &cobra.Command{
		Use:   "grade DIR",
		Short: "Grade stored runs again",
		Long: `Grade stored runs again by the present assertions, without running the agent.

DIR is an iteration, or a workspace for its last one. If the judge fails, all old grades
are kept.`,
		Example:     "  skills eval grade my-skill-workspace",
		Annotations: note("evals", "0    success", "1    the judge failed; nothing was changed", "2    usage error, or no stored runs"),
		Args:        arguments(1, 1, "DIR", "name a workspace, or an iteration in it"),
		RunE: func(c *cobra.Command, args []string) error {
			f.Stored, f.Jobs, f.Baseline = args[0], eval.DefaultJobs, eval.Without
			if skill != "" {
				f.Paths = []string{skill}
			}
			f.Run.Scripts.Sandbox, f.Run.Scripts.Timeout = "auto", time.Minute
			return runEval(c.Context(), a, &f)
		},
	}
	evalGradeFlags(a, c, &f)
	fl := a.group(c, "Cases")
	fl.StringVar(&skill, "skill", "", "path of the skill, if it moved since the run")
	_ = fl.SetAnnotation("skill", metavarNote, []string{"PATH"}) // it is defined
	return a.command(c)
}

// runEval runs or grades, and prints the reports.
func runEval(ctx context.Context, a *app, f *evalFlags) error {
	outs, err := parseOutputs(f.formats, report.Formats())
	if err != nil {
		return err
	}
	if err := f.readPrice(); err != nil {
		return err
	}
	if isPart := f.Shard != ""; isPart && (len(outs) != 1 || outs[0] != output{format: "text"}) {
		return usageError("pass it to skills eval merge", "--format needs all parts of --shard")
	}
	findKeys(ctx, a, f.Run)
	f.Note, f.Run.Approval.Confirm = a.note, console.NewConfirm(a.Env)
	f.Status = func() *terminal.Status { return console.NewStatus(a.Env) }
	e, err := eval.Open(ctx, evalEnv(a), f.Options)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := oneSkill(outs, e.Skills()); err != nil {
		return err
	}
	if f.Dry {
		return e.DryRun(a.Stdout)
	}
	if f.Demo {
		a.note("the demo plays a recording of a scripted model; it shows the report and measures nothing")
	}
	if forecast := e.Forecast(); forecast != "" {
		fmt.Fprintln(a.Stderr, forecast)
	}
	if f.Shard != "" {
		err := resumable(e.RunPart(ctx, a.Stdout))
		a.outcome(e.Outcome())
		return err
	}
	results, missed := e.Run(ctx)
	ran := results.Benchmarks != nil || results.Tables != nil
	if isReplay := f.Stored != "" || f.Offline; !ran && !isReplay {
		missed = resumable(missed)
	}
	if results.Tables != nil {
		err = writeEach(ctx, a, outs, results.Tables, report.WriteModels)
	} else {
		err = writeReports(ctx, a, outs, results.Benchmarks)
	}
	if err != nil {
		return err
	}
	if ran {
		a.outcome(e.Outcome())
	}
	return missed
}

// outcome prints what was done, besides the result.
func (a *app) outcome(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(a.Stderr, printable.Line(line))
	}
}

// resumable adds to an interrupt how the eval is resumed.
func resumable(err error) error {
	if stopped := (Interrupt{}); errors.As(err, &stopped) {
		return &fault.Error{Code: stopped.ExitCode(), Err: stopped, Hint: "run the same command again to resume it; finished runs are not repeated", Concluded: true}
	}
	return err
}

// oneSkill returns a usage error if a format describes one skill, but there are more.
func oneSkill(outs []output, skills int) error {
	for _, o := range outs {
		if skills > 1 && describesOne(o.format) {
			return usageError("evaluate one skill at a time, or use text, markdown or jsonl", "--format %s describes one skill, but %d have cases", o.format, skills)
		}
	}
	return nil
}

// describesOne reports whether a page in a format describes one skill only.
func describesOne(format string) bool {
	return slices.Contains([]string{"json", "junit", "html"}, format)
}

// writeReports writes benchmarks in several formats.
func writeReports(ctx context.Context, a *app, outs []output, all []*store.Benchmark) error {
	return writeEach(ctx, a, outs, all, report.Write)
}

// writeEach writes reports one after another in several formats. Without any, no file is
// changed.
func writeEach[T any](ctx context.Context, a *app, outs []output, all []T, write func(io.Writer, string, report.Target, T) error) error {
	return writePages(ctx, a.Stdout, outs, all == nil, func(w io.Writer, format string, to report.Target) error {
		for _, b := range all {
			if err := write(w, format, to, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// writePages writes a page in several formats. If nothing is to be reported, no file is
// changed.
func writePages(ctx context.Context, stdout io.Writer, outs []output, empty bool, write func(w io.Writer, format string, to report.Target) error) (err error) {
	for _, o := range outs {
		var page bytes.Buffer
		to := report.Target{Width: terminal.Width(stdout)}
		if o.file != "" {
			to = report.Target{Dir: filepath.Dir(o.file)}
		}
		if err := write(&page, o.format, to); err != nil {
			return err
		}
		if o.file == "" || empty {
			_, err = printable.Exact(stdout).Write(page.Bytes())
		} else {
			err = files.Save(ctx, o.file, page.Bytes())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// evalEnv returns what the runs of an eval have of this process.
func evalEnv(a *app) run.Env {
	env := a.Env.Env
	env.Masked = func(*redact.Masker) {}
	return env
}

// formatsFlag adds the flag --format for parseOutputs, by default with the formats of a
// benchmark.
func formatsFlag(fl *pflag.FlagSet, formats *[]string, others ...string) {
	names := others
	if len(names) == 0 {
		names = report.Formats()
	}
	fl.StringArrayVar(formats, "format", []string{"text"}, "NAME or NAME=FILE: "+strings.Join(names, ", "))
}
