package cmd

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/printable"
)

func evalMergeCommand(a *app) *cobra.Command {
	var o eval.MergeOptions
	var formats []string
	c := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Join the parts of an eval that several machines ran",
		Long: `Join the parts that skills eval --shard wrote, and report the result as if one machine
had run the eval. Parts are searched for below each DIR, those of any number of skills.

All parts must be there, finished, and of the same eval: files of the skill, cases, model,
judge and parameters. The result is the next iteration of SKILL-workspace.`,
		Example: `  skills eval --shard 1/3 --workspace parts skills
  skills eval merge parts --gate lift
  skills eval merge parts --workspace results --format junit=eval.xml`,
		Annotations: note("evals", "0  success: every gate is met", "1  a gate is missed",
			"2  usage error, or parts are missing, double, unfinished, or of different evals",
			"3  incomplete: a budget was reached, over 20 % of the runs failed, or no verdict"),
		Args: arguments(1, math.MaxInt, "DIR", "name the folder with the parts"),
		RunE: func(c *cobra.Command, args []string) error {
			outs, err := parseOutputs(formats, report.Formats())
			if err != nil {
				return err
			}
			o.Dirs, o.Dir = args, a.Env.Dir
			m, err := eval.NewMerge(o)
			if err == nil {
				err = oneSkill(outs, m.Skills())
			}
			if err != nil {
				return err
			}
			all, missed := m.Run(c.Context())
			if err := writeReports(c.Context(), a, outs, all); err != nil {
				return err
			}
			if all != nil {
				for _, line := range m.Reports() {
					fmt.Fprintln(a.Stderr, printable.Line(line))
				}
			}
			return missed
		},
	}
	fl := a.group(c, "Gate")
	gateFlags(a, c, fl, &o.Gate)
	fl = a.group(c, "Output")
	formatsFlag(fl, &formats)
	fl.StringVar(&o.Workspace, "workspace", "", "write the result here (default: SKILL-workspace)")
	a.values(c, "format", report.Formats()...)
	return a.command(c)
}
