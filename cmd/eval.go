package cmd

import "github.com/spf13/cobra"

func (a *app) newEvalCommand() *cobra.Command {
	c := &cobra.Command{Use: "eval", Short: "Measure whether a skill helps", GroupID: groupCheck, Annotations: note("evals", "2  usage error")}
	c.AddCommand(a.evalTriggerCommand(), a.evalReportCommand(), a.evalCompareCommand(), a.evalLintCommand(), a.evalInitCommand())
	return a.command(c)
}
