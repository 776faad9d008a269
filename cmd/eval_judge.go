package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"skills/internal/console"
	"skills/internal/eval/calibrate"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/terminal"
)

type judgeFlags struct {
	evalFlags
	options calibrate.Options
	format  string
	from    string // an iteration to make a template of, or ""
	out     string
}

func evalJudgeCommand(a *app) *cobra.Command {
	var f judgeFlags
	c := &cobra.Command{
		Use:   "judge-check [FILE]",
		Short: "Measure a judge by what a person decided",
		Long: `Measure a judge by what a person decided about the same work.

FILE has examples, JSON or JSON Lines: an answer with sentences that are true or false, or
two answers of which one is preferred. The judge is the model of the usual flags. Reported
are its agreement with the labels, how often it passes what the person fails, and whether it
prefers a place or a length. Decisions that are null are skipped.

--init DIR writes a file to label from the stored runs of an iteration, without a model.
It shows neither the arm of an answer nor what a judge said.`,
		Example: `  skills eval judge-check --init my-skill --out labels.json
  skills eval judge-check labels.json
  skills eval judge-check --threshold 0.8 -m gpt-5-mini --judge-votes 3 labels.json`,
		Annotations: note("evals", "0    success", "1    the agreement is below --threshold, or the judge failed", "2    usage error, a broken file, or no label",
			"3    incomplete: a budget was reached, or over 20 % of the examples failed", exitInterrupted),
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.from != "" && len(args) > 0:
				return usageError("omit one of them", "--init writes a file, and %s is one", args[0])
			case f.from != "":
				return writeLabels(a, f.from, f.out)
			case f.out != "":
				return usageError("add --init DIR", "--out is only for --init")
			case len(args) == 0:
				return usageError("name a file with labels, or write one with --init DIR", "missing argument: FILE")
			}
			return runJudgeCheck(c.Context(), a, &f, args[0])
		},
	}
	fl := a.group(c, "Labels")
	fl.StringVar(&f.from, "init", "", "write the runs of this iteration, workspace or skill to label")
	_ = fl.SetAnnotation("init", metavarNote, []string{"DIR"}) // it is defined
	fl.StringVar(&f.out, "out", "", "new file for --init (default: standard output)")
	_ = fl.SetAnnotation("out", metavarNote, []string{"FILE"}) // it is defined
	fl.Float64Var(&f.options.Threshold, "threshold", 0, "fail if the agreement is below this share")
	fl = a.group(c, "Judge")
	fl.IntVar(&f.JudgeVotes, "judge-votes", 1, "votes for each decision, an odd number; the majority decides")
	fl.IntVar(&f.options.Parallel, "jobs", 4, "concurrent examples")
	serverFlags(a.group(c, "Server"), &f.Run)
	fl = a.group(c, "Budget")
	fl.IntVar(&f.Budget.Calls, "max-calls", 0, "maximum model requests; 0: no limit")
	fl.Int64Var(&f.Budget.Tokens, "max-tokens", 0, "stop after this many tokens; 0: no limit")
	fl.Float64Var(&f.Budget.Cost, "max-cost", 0, "stop at this cost, by --price; 0: no limit")
	fl.Float64SliceVar(&f.price, "price", nil, "price of a million tokens, as IN,OUT, for costs")
	completeServer(a, c)
	return a.formatted(c, &f.format, calibrate.Formats()...)
}

// writeLabels writes a file to label. Nothing is ever overwritten.
func writeLabels(a *app, dir, out string) error {
	labels, err := calibrate.Template(dir)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := printable.WriteJSON(&page, labels); err != nil {
		return err
	}
	if out == "" {
		_, err := printable.Exact(a.Stdout).Write(page.Bytes())
		return err
	}
	file, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usageError("name another file with --out", "%s exists", out)
	}
	if err == nil {
		_, err = file.Write(page.Bytes())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return usageError("name another file with --out, or check the permissions", "%s cannot be written: %w", out, files.Reason(err))
	}
	_, err = fmt.Fprintf(a.Stdout, "Created %s with %s\n\nNext:\n  Set passed to true or false, and preferred to first, second or tie\n  Measure a judge: skills eval judge-check %s\n",
		printable.Line(out), printable.Plural(len(labels.Examples), "example"), printable.ShellWord(out))
	return err
}

// runJudgeCheck measures a judge with the labels of a file.
func runJudgeCheck(ctx context.Context, a *app, f *judgeFlags, file string) error {
	if err := f.readPrice(); err != nil {
		return err
	}
	labels, err := suite.LoadLabels(ctx, file)
	if err != nil {
		return err
	}
	findKeys(ctx, a, f.Run)
	f.Note, f.Run.Approval.Confirm = a.note, console.NewConfirm(a.Env)
	f.Run.Scripts.Sandbox = "auto" // unused: no script runs
	f.options.Options = f.Options
	r, err := calibrate.Measure(ctx, evalEnv(a), f.options, labels.Examples)
	if err != nil {
		return err
	}
	if err := r.Write(a.exact(f.format), f.format, terminal.Width(a.Stdout)); err != nil {
		return err
	}
	if why := r.Incomplete(); why != "" {
		return &fault.Error{Code: exitLimit, Err: errors.New(why), Hint: "run it again, with a larger budget if one was reached", Concluded: true}
	}
	if why := r.Missed(f.options.Threshold); why != "" {
		return &fault.Error{Code: exitProblems, Err: errors.New(why), Hint: "use another judge, or write sentences that leave less to decide", Concluded: true}
	}
	return nil
}
