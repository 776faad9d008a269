package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

func (a *app) rulesCommand() *cobra.Command {
	schema := false
	c := &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the rules, or explain one of them",
		Example: `  skills rules
  skills rules frontmatter-syntax
  skills rules --schema`,
		GroupID:     groupCheck,
		Annotations: note("rules", "0  success", "2  unknown rule"),
		Args:        cobra.MaximumNArgs(1),
		ValidArgs:   ruleIDs(),
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				_, err := io.WriteString(a.Stdout, report.Schema())
				return err
			}
			if len(args) == 0 {
				return listRules(a.Stdout)
			}
			rule := rules.Find(args[0])
			if rule == nil {
				return wrongUsage(ruleHint(args[0]), "unknown rule %q", args[0])
			}
			return explainRule(a.Stdout, rule)
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of validate --format json")
	return a.command(c)
}

func listRules(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-27s %-8s %-8s %s\n", "RULE", "LEVEL", "FIXABLE", "WHAT IT CHECKS (SOURCE)")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "%-27s %-8s %-8s %s (%s)\n", r.ID, r.Level, fixable(r), r.Title, r.Source)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func fixable(r *spec.Rule) string {
	if r.Fix == "" {
		return "no"
	}
	return "yes"
}

func explainRule(w io.Writer, r *spec.Rule) error {
	fix := cmp.Or(r.Fix, "none (needs a human decision)")
	_, err := fmt.Fprintf(w, "%s\n\nLevel: %s\nSource: %s\nFix: %s\n", strings.TrimSpace(rules.Page(r.ID)), r.Level, r.Source, fix)
	return err
}
