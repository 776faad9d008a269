package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"skills/internal/builtin"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

func (a *app) listCommand() *cobra.Command {
	format, noBuiltin := "text", false
	c := &cobra.Command{
		Use:   "list [PATH...]",
		Short: "List skills with their cost and state",
		Long: `Lists the skills under the paths, by default those that run finds: name, what it costs
(tokens of its catalogue entry in every request, and of its body when it is loaded; an
estimate), state and description. Without paths the built-in skills follow, which only
/name and --skill of run call.`,
		Example: `  skills list
  skills list ./skills --format json
  skills list --no-builtin`,
		Annotations: exits("0  fine", "2  wrong usage, or a path that does not exist"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.list(c.Context(), format, noBuiltin || len(args) > 0, args)
		},
	}
	c.Flags().StringVar(&format, "format", format, "output `NAME`: text or json")
	c.Flags().BoolVar(&noBuiltin, "no-builtin", false, "leave out the built-in skills")
	return a.command(c)
}

// listed is one row.
type listed struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	Path            string `json:"path,omitempty"` // none for built-in skills
	CatalogueTokens int    `json:"catalogue_tokens"`
	BodyTokens      int    `json:"body_tokens"`
	State           string `json:"state"` // ok, warnings, errors, shadowed or builtin
	ShadowedBy      string `json:"shadowed_by,omitempty"`
	Errors          int    `json:"errors"`
	Warnings        int    `json:"warnings"`
}

func (a *app) list(ctx context.Context, format string, noBuiltin bool, args []string) error {
	if format != "text" && format != "json" {
		return wrongUsage("choose text or json", "unknown format %q", format)
	}
	found, err := a.listable(ctx, args)
	if err != nil {
		return err
	}
	rep, docs, err := lint.Check(ctx, found, spec.Options{Least: spec.Warning})
	if err != nil {
		return err
	}
	rows := listRows(docs, rep)
	none := len(rows) == 0
	if !noBuiltin {
		if rows, err = a.builtinRows(ctx, rows); err != nil {
			return err
		}
	}
	if format == "json" {
		return printable.WriteJSON(a.Stdout, struct {
			SchemaVersion int      `json:"schema_version"`
			Skills        []listed `json:"skills"`
		}{1, rows})
	}
	switch {
	case len(rows) == 0:
		fmt.Fprintln(a.Stderr, "no skills found")
		return nil
	case none:
		fmt.Fprintln(a.Stderr, "no skills found but the built-in ones")
	}
	return printRows(a.Stdout, rows)
}

// listable finds the skills of the given paths, or of the places that run
// looks in. Folders without skills are no rows.
func (a *app) listable(ctx context.Context, args []string) ([]loader.Found, error) {
	var found []loader.Found
	if len(args) > 0 {
		all, err := lint.Find(ctx, loader.Search{Notify: a.notice}, args)
		if err != nil {
			return nil, settled(err)
		}
		found = all
	} else {
		search := loader.Search{OwnIgnores: true, Notify: a.notice}
		for _, root := range existing(loader.DefaultRoots(".", a.Home)) {
			more, err := search.Find(ctx, root)
			switch {
			case errors.As(err, new(*loader.TargetError)):
				return nil, settled(err)
			case err != nil:
				return nil, err
			}
			found = append(found, more...)
		}
		found = loader.Unique(found)
	}
	var skills []loader.Found
	for _, f := range found {
		if f.File != "" {
			skills = append(skills, f)
		}
	}
	return skills, nil
}

// existing keeps the folders that are there.
func existing(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

func listRows(docs []*spec.Document, rep report.Report) []listed {
	rows := []listed{}
	first := map[string]string{}
	for i, s := range rep.Skills {
		p, err := spec.UsableProperties(docs[i])
		usable := err == nil // only what run would load takes a name
		if !usable {
			p.Name, p.Description = docs[i].Text("name"), docs[i].Text("description")
		}
		row := listed{Name: p.Name, Description: p.Description, Path: s.Path, BodyTokens: s.Tokens, State: "ok"}
		if !docs[i].Summary().Hidden {
			row.CatalogueTokens = tokens.Estimate(prompt.EntryText(prompt.Entry{Name: p.Name, Description: p.Description}))
		}
		n := report.Report{Skills: []report.Skill{s}}.Count()
		row.Errors, row.Warnings = n.Errors, n.Warnings
		key := strings.ToLower(p.Name)
		switch earlier, taken := first[key]; {
		case taken && usable:
			row.State, row.ShadowedBy = "shadowed", earlier
		case n.Errors > 0:
			row.State = "errors"
		case n.Warnings > 0:
			row.State = "warnings"
		}
		if _, taken := first[key]; !taken && usable {
			first[key] = s.Path
		}
		rows = append(rows, row)
	}
	return rows
}

func printRows(w io.Writer, rows []listed) error {
	cells := [][]string{{"NAME", "CATALOGUE", "BODY", "STATE", "DESCRIPTION"}}
	for _, r := range rows {
		name, state := r.Name, r.State
		if name == "" {
			name = "(" + r.Path + ")"
		}
		switch {
		case r.State == builtinState:
			state = builtin.Origin
		case r.ShadowedBy != "":
			state = "shadowed by " + r.ShadowedBy
		case r.Errors > 0:
			state = printable.Plural(r.Errors, "error")
		case r.Warnings > 0:
			state = printable.Plural(r.Warnings, "warning")
		}
		cells = append(cells, []string{printable.TruncateMiddle(printable.Line(name), 100), fmt.Sprintf("≈%d", r.CatalogueTokens), fmt.Sprintf("≈%d", r.BodyTokens),
			printable.Line(state), shortDescription(r.Description)})
	}
	widths := make([]int, 5)
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	var b strings.Builder
	for _, row := range cells {
		for i, cell := range row[:4] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+2))
		}
		b.WriteString(row[4] + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shortDescription is a description on one line, cut where it would fill a
// screen.
func shortDescription(s string) string {
	return printable.Truncate(printable.Line(strings.Join(strings.Fields(s), " ")), 79)
}
