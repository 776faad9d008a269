package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/printable"
	"skills/internal/run"
)

func approvalsCommand(a *app) *cobra.Command {
	format, revoke := "", ""
	c := &cobra.Command{
		Use:   "approvals FILE",
		Short: "List or revoke the approvals that a session keeps",
		Long: `List or revoke the approvals that a session keeps, and show which call waits for one.

FILE is the file of skills run --session. You add approvals at the prompt of a run, with
"a" and then "s". They hold as long as the files of the skill are unchanged.`,
		Example: `  skills approvals trip.jsonl
  skills approvals trip.jsonl --revoke 2
  skills approvals trip.jsonl --revoke all`,
		Annotations: note("control", "0  success", "2  usage error, or not a session file"),
		Args:        arguments(1, 1, "FILE", ""),
		RunE: given(func(c *cobra.Command, args []string) error {
			if revoke != "" {
				removed, err := run.Revoke(c.Context(), a.Env.Env, args[0], revoke)
				for _, rule := range removed {
					a.note("revoked: " + rule.String())
				}
				return err
			}
			all, err := run.ReadApprovals(a.Env.Env, args[0])
			if err != nil {
				return err
			}
			return printApprovals(a, all, format)
		}),
	}
	c.Flags().StringVar(&revoke, "revoke", "", "remove the approval with this number, or all")
	a.values(c, "revoke", "all")
	return a.formatted(c, &format, "text", "json")
}

// printApprovals prints the approvals of a session.
func printApprovals(a *app, all run.Approvals, format string) error {
	if format == "json" {
		return printable.WriteJSON(a.Stdout, struct {
			SchemaVersion int                `json:"schema_version"`
			Approvals     []approve.Standing `json:"approvals"`
			Waiting       []agent.Waiting    `json:"waiting"`
		}{1, append([]approve.Standing{}, all.Answers...), append([]agent.Waiting{}, all.Waiting...)})
	}
	for i, rule := range all.Answers {
		if _, err := fmt.Fprintf(a.Stdout, "%d  %s\n", i+1, rule); err != nil {
			return err
		}
	}
	for _, w := range all.Waiting {
		if _, err := fmt.Fprintf(a.Stdout, "waiting  %s  %s\n", printable.Line(w.ID), w); err != nil {
			return err
		}
	}
	if len(all.Answers)+len(all.Waiting) == 0 {
		a.note("the session keeps no approvals, and no call waits")
	}
	return nil
}
