package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/terminal"
)

func rulesCommand(a *app) *cobra.Command {
	schema, format := false, "text"
	c := &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the rules, or explain one of them",
		Example: `  skills rules
  skills rules frontmatter-syntax
  skills rules --format json
  skills rules --schema`,
		Annotations: note("rules", "0  success", "2  unknown rule"),
		Args:        arguments(0, 1, "rule ID", ""),
		ValidArgs:   ruleIDs(),
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				return a.printExactly(report.Schema())
			}
			if err := known("format", format, "text", "json"); err != nil {
				return err
			}
			list := rules.All()
			if len(args) > 0 {
				rule := rules.Find(args[0])
				if rule == nil {
					return usageError(ruleHint(args[0]), "unknown rule %q", args[0])
				}
				list = []*spec.Rule{rule}
			}
			switch {
			case format == "json":
				return writeRules(printable.Exact(a.Stdout), list)
			case len(args) == 0:
				return listRules(a.Stdout, terminal.Width(a.Stdout))
			}
			page := rules.Explain(list[0])
			if terminal.Is(a.Stdout) {
				page = terminal.Markdown(page, min(terminal.Width(a.Stdout), maxHelpWidth), a.colours(a.Stdout))
			}
			_, err := io.WriteString(a.Stdout, page)
			return err
		},
	}
	c.Flags().StringVar(&format, "format", format, "text, or json with the pages of the rules")
	a.values(c, "format", "text", "json")
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of validate --format json")
	return a.command(c)
}

// listRules prints all rules, shortened to width columns; 0 means no limit. Sources,
// which may be long, are only shown for a single rule.
func listRules(w io.Writer, width int) error {
	const column = 46
	header, indent := "WHAT IT CHECKS (SOURCE)", strings.Repeat(" ", column)
	if width > 0 {
		header = "WHAT IT CHECKS"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-27s %-8s %-8s %s\n", "RULE", "LEVEL", "FIXABLE", header)
	for _, r := range rules.All() {
		fixable := "no"
		if r.Fix != "" {
			fixable = "yes"
		}
		fmt.Fprintf(&b, "%-27s %-8s %-8s ", r.ID, r.Level, fixable)
		switch {
		case width == 0:
			fmt.Fprintf(&b, "%s (%s)\n", r.Title, r.Source)
		case width < column+30: // no room for a fourth column
			fmt.Fprintf(&b, "\n    %s\n", printable.Fold(r.Title, 4, width, "    "))
		default:
			fmt.Fprintln(&b, printable.Fold(r.Title, column, width, indent))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRules prints rules as JSON.
func writeRules(w io.Writer, list []*spec.Rule) error {
	type rule struct {
		ID     string `json:"id"`
		Level  string `json:"level"`
		Title  string `json:"title"`
		Source string `json:"source"`
		Fix    string `json:"fix"` // what --fix does, "" if there is no fix
		Page   string `json:"page"`
		URL    string `json:"url"` // "" if this build has no address
	}
	var out struct {
		SchemaVersion int    `json:"schema_version"`
		Rules         []rule `json:"rules"`
	}
	out.SchemaVersion = 1
	for _, r := range list {
		out.Rules = append(out.Rules, rule{
			ID: r.ID, Level: r.Level.String(), Title: r.Title, Source: r.Source, Fix: r.Fix,
			Page: strings.TrimSpace(rules.Page(r.ID)), URL: rulePage(r.ID),
		})
	}
	return printable.WriteJSON(w, out)
}
