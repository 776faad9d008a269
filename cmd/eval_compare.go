package cmd

import (
	"github.com/spf13/cobra"

	"skills/internal/eval/report"
	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/fault"
)

func evalCompareCommand(a *app) *cobra.Command {
	var formats []string
	c := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two iterations, versions or models",
		Long: `Compare two iterations, versions of a skill, or models, case by case: the scores with the
skill, those of the baseline, and what the skill changes. The statistics are those of an
eval, and a skill that helps BEFORE but is not seen to help AFTER is named.

BEFORE and AFTER are iterations, or workspaces or skills for their last one. A model of an
eval with several is iteration-N/models/MODEL. Only cases that both have, with the same
assertions, are compared; the others are listed.`,
		Example: `  skills eval compare my-skill-workspace/iteration-1 my-skill-workspace/iteration-2
  skills eval compare ws/iteration-3/models/gpt-5-mini ws/iteration-3/models/gpt-6`,
		Annotations: note("evals", "0  success", "1  AFTER is worse with the skill", "2  usage error, no runs, or a damaged file"),
		Args:        arguments(2, 2, "BEFORE AFTER", "name two iterations of a workspace"),
		RunE: func(c *cobra.Command, args []string) error {
			outs, err := parseOutputs(formats, report.ComparisonFormats())
			if err != nil {
				return err
			}
			var sides []store.Stored
			for _, dir := range args {
				side, err := store.Open(store.Workspace(dir))
				if err != nil {
					return fault.AsUsage(err)
				}
				side.Path = dir
				sides = append(sides, side)
			}
			compared := store.Compare(sides[0], sides[1])
			if err := writeEach(c.Context(), a, outs, []*store.Comparison{compared}, report.WriteComparison); err != nil {
				return err
			}
			return reported(compared.With.Verdict == stats.Worse)
		},
	}
	formatsFlag(c.Flags(), &formats, report.ComparisonFormats()...)
	a.values(c, "format", report.ComparisonFormats()...)
	return a.command(c)
}
