package cmd

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/eval/report"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
	"skills/internal/runner"
)

func (a *app) evalReportCommand() *cobra.Command {
	var formats []string
	dialect := ""
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Report stored runs, also those of skill-creator",
		Long: `Report the runs of an iteration, which eval or skill-creator stored. Of a workspace,
the last iteration is reported.

The case is the unit: the difference of its mean scores with and without the skill (or
with an older one). The verdict is better or worse only if the 95 % interval excludes 0
and a sign-flip test agrees, and inconclusive with fewer than six cases.`,
		Example: `  skills eval report my-skill-workspace
  skills eval report my-skill-workspace/iteration-2 --format html=report.html
  skills eval report . --format json --dialect skill-creator > benchmark.json`,
		Annotations: note("evals", "0  success", "2  usage error, no runs, or a damaged file"),
		Args:        cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			outs, err := evalOutputs(formats)
			if err := cmp.Or(err, knownValue("dialect", dialect, "", "skill-creator")); err != nil {
				return err
			}
			runs, meta, err := store.Read(args[0])
			if err != nil {
				return runner.Refused(err)
			}
			b := store.Aggregate(runs, meta)
			b.Summary.Signed = dialect != ""
			return a.writeReports(c.Context(), outs, []*store.Benchmark{b})
		},
	}
	formatsFlag(c.Flags(), &formats)
	a.values(c, "format", report.Formats()...)
	c.Flags().StringVar(&dialect, "dialect", "", "skill-creator: write deltas as signed strings")
	a.values(c, "dialect", "skill-creator")
	return a.command(c)
}

func (a *app) evalCompareCommand() *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:   "compare DIR DIR",
		Short: "Compare two iterations case by case",
		Long: `Compare the mean scores with the skill of two iterations, case by case. The first one is
the baseline. A case that is in one iteration only, or whose assertions differ, is listed
but not compared.`,
		Example:     `  skills eval compare my-skill-workspace/iteration-1 my-skill-workspace/iteration-2`,
		Annotations: note("evals", "0  success", "1  the second iteration is worse", "2  usage error, no runs, or a damaged file"),
		Args:        cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			before, _, err := store.Read(args[0])
			if err != nil {
				return runner.Refused(err)
			}
			after, meta, err := store.Read(args[1])
			if err != nil {
				return runner.Refused(err)
			}
			meta.Notes = []string{"with_skill is " + args[1] + ", old_skill is " + args[0]}
			b := store.Compare(before, after, meta)
			if err := report.Write(a.exact(format), format, b); err != nil {
				return err
			}
			if b.Statistics.Verdict == stats.Worse {
				return reported()
			}
			return nil
		},
	}
	return a.formatted(c, &format, "text", "json", "markdown")
}

// formatted adds the flag --format with its values.
func (a *app) formatted(c *cobra.Command, format *string, formats ...string) *cobra.Command {
	c.Flags().StringVar(format, "format", *format, "output format: "+strings.Join(formats, ", "))
	a.values(c, "format", formats...)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := knownValue("format", *format, formats...); err != nil {
			return err
		}
		return run(c, args)
	}
	return a.command(c)
}

// exact returns standard output, which only changes characters of the text format.
func (a *app) exact(format string) io.Writer {
	if format == "text" {
		return a.Stdout
	}
	return printable.Exact(a.Stdout)
}

// knownValue returns an error unless a flag has one of its values.
func knownValue(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return wrongUsage(nearestHint(value, values), "unknown --%s %q", flag, value)
}
