package cmd

import (
	"github.com/spf13/cobra"

	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/fault"
)

func evalReportCommand(a *app) *cobra.Command {
	var formats []string
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Report stored runs of skills eval or Anthropic's skill-creator",
		Long: `Report the stored runs of an iteration, or of the last iteration of a workspace or of the
workspace next to a skill. Runs of skills eval, skills eval trigger and Anthropic's
skill-creator are read. Those of a trigger list are reported if DIR is their folder, or has
no other runs. An iteration of several models is a table of them; name the folder of one for
its report.

The case is the unit: the difference of its mean scores with and without the skill (or
with an older one). The verdict is better or worse only if the 95 % interval excludes 0
and a sign-flip test agrees, and inconclusive with fewer than six cases.`,
		Example: `  skills eval report my-skill-workspace
  skills eval report my-skill-workspace/iteration-2 --format html=report.html
  skills eval report my-skill-workspace/trigger-1
  skills eval report . --format json > benchmark.json`,
		Annotations: note("evals", "0  success", "2  usage error, no runs, or a damaged file"),
		Args:        arguments(1, 1, "DIR", "name a workspace, or an iteration in it"),
		RunE: func(c *cobra.Command, args []string) error {
			outs, err := parseOutputs(formats, report.Formats())
			if err != nil {
				return err
			}
			dir := store.Workspace(args[0])
			triggers, err := eval.ReadTrigger(dir)
			if err != nil {
				return fault.AsUsage(err)
			}
			if triggers != nil {
				return writePages(c.Context(), a.Stdout, outs, false, triggers.Write)
			}
			table, err := store.ReadModels(dir)
			if err != nil {
				return fault.AsUsage(err)
			}
			if table != nil {
				return writeEach(c.Context(), a, outs, []*store.Models{table}, report.WriteModels)
			}
			runs, meta, err := store.Read(dir)
			if err != nil {
				return fault.AsUsage(err)
			}
			b := store.Aggregate(runs, meta)
			return writeReports(c.Context(), a, outs, []*store.Benchmark{b})
		},
	}
	formatsFlag(c.Flags(), &formats)
	a.values(c, "format", report.Formats()...)
	return a.command(c)
}
