package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/console"
	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func evalAblateCommand(a *app) *cobra.Command {
	var f evalFlags
	var only eval.AblateOptions
	diff := false
	c := &cobra.Command{
		Use:   "ablate [PATH]",
		Short: "Find the parts of a skill that can go without a loss",
		Long: `Find the parts of a skill that can go without a loss. The cases of evals/evals.json are
run with the whole skill and without each of its parts: sections of SKILL.md, files, and
the description. Runs with the whole skill are shared with skills eval. No file of the
skill is changed.

A part can go only if the data excludes a mean loss of --margin, which takes cases that
could have shown one: 36 if none loses anything. All parts that can go are then left out
together. The largest saving is measured first, so that a budget measures what matters.`,
		Example: `  skills eval ablate --dry-run ./my-skill
  skills eval ablate --max-cost 2 --price 0.25,2 ./my-skill
  skills eval ablate --part 'references/*' --part 'section:*' ./my-skill
  skills eval ablate --offline --diff ./my-skill > cut.diff`,
		Annotations: note("evals", "0    success, whatever can go", "1    the server refused a request; with --diff, nothing can be cut",
			"2    usage error, a broken eval file, no case or no part",
			"3    incomplete: a budget was reached, or over 20 % of the runs failed",
			exitInterrupted+"; run it again to resume"),
		Args: arguments(0, 1, "PATH", "name one skill"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Runs < 1 && c.Flags().Changed("runs") {
				return usageError("pass a number of runs, such as 3", "--runs is less than 1")
			}
			f.Paths = args
			if len(args) == 0 {
				f.Paths = []string{"."}
			}
			return runEvalAblate(c.Context(), a, &f, only, diff)
		},
	}
	fl := a.group(c, "Parts")
	fl.StringArrayVar(&only.Parts, "part", nil, "leave out only parts whose name matches (*, ?); repeatable")
	_ = fl.SetAnnotation("part", metavarNote, []string{"GLOB"}) // it is defined
	fl.IntVar(&only.Level, "level", 0, "level of headings that begin sections (default: the highest with two)")
	fl.Lookup("level").DefValue = "" // for help only
	fl.Float64Var(&only.Margin, "margin", 0.1, "mean loss that must be excluded before a part can go")
	f.addCases(a, c)
	f.addBudget(a, c)
	f.addJudge(a, c)
	fl = a.group(c, "Output")
	formatsFlag(fl, &f.formats, report.AblationFormats()...)
	fl.BoolVar(&diff, "diff", false, "print what can go as a diff; changes no file")
	fl.Float64SliceVar(&f.price, "price", nil, "price of a million tokens, as IN,OUT, for costs")
	f.addRuns(a, c)
	a.values(c, "format", report.AblationFormats()...)
	completeServer(a, c)
	return a.command(c)
}

func runEvalAblate(ctx context.Context, a *app, f *evalFlags, only eval.AblateOptions, diff bool) error {
	outs, err := parseOutputs(f.formats, report.AblationFormats())
	if err != nil {
		return err
	}
	if err := f.readPrice(); err != nil {
		return err
	}
	findKeys(ctx, a, f.Run)
	f.Note, f.Run.Approval.Confirm = a.note, console.NewConfirm(a.Env)
	f.Status = func() *terminal.Status { return console.NewStatus(a.Env) }
	e, err := eval.NewAblation(ctx, evalEnv(a), f.Options, only)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.Dry {
		return e.DryRun(a.Stdout, terminal.Width(a.Stdout))
	}
	if forecast := e.Forecast(); forecast != "" {
		fmt.Fprintln(a.Stderr, forecast)
	}
	result, missed := e.Run(ctx)
	if result == nil {
		if f.Offline {
			return missed
		}
		return resumable(missed)
	}
	if diff {
		var text strings.Builder
		err = e.Diff(&text)
		if err == nil {
			err = a.printExactly(text.String())
		}
	} else {
		err = writeEach(ctx, a, outs, []*store.Ablation{result}, report.WriteAblation)
	}
	if err == nil || diff {
		for _, line := range e.Outcome() {
			fmt.Fprintln(a.Stderr, printable.Line(line))
		}
	}
	return cmp.Or(missed, err)
}
