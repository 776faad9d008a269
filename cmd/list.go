package cmd

// The list of the skills that a run would offer, or the catalogue that another client shows
// to its model.

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"skills/internal/builtin"
	"skills/internal/choice"
	"skills/internal/clients"
	"skills/internal/fault"
	"skills/internal/list"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func listCommand(a *app) *cobra.Command {
	format, noBuiltin, client, window := "", false, "", 0
	var chosen choice.Options
	c := &cobra.Command{
		Use:   "list [PATH...]",
		Short: "List skills with their token cost and state",
		Long: `List skills with their token cost and state.

The tokens are estimates: of the catalogue entry in every request, and of the body when
it is loaded. Without paths these are the skills that run finds, or else those below the
working folder. The built-in skills follow; run loads them only by /name or --skill.

With --client, the output is the list of skills that this client shows to its model.
Omitted skills are printed to standard error, with the reason. A PATH then is a folder of skills
that the client looks in. Clients: ` + strings.Join(listingClients(), ", ") + `.`,
		Example: `  skills list
  skills list ./skills --format json
  skills list --client codex --window 272000
  skills list --client claude-code ./skills`,
		Annotations: note("clients", "0  success", "2  usage error, or a path that does not exist"),
		RunE: func(c *cobra.Command, args []string) error {
			o := list.Options{Choice: chosen, Dir: a.Dir, Home: a.Home, Paths: args, Builtin: !noBuiltin && len(args) == 0, Scripts: format == "json", Notify: a.notice, Note: a.note}
			if client != "" || c.Flags().Changed("window") {
				if len(chosen.Only)+len(chosen.Without) > 0 {
					return usageError("omit them: a client shows all skills that it finds", "--client cannot be used with --only or --without")
				}
				return runListClient(c.Context(), a, client, window, format, o)
			}
			return runList(c.Context(), a, format, o)
		},
	}
	c.Flags().StringVar(&client, "client", "", "print the catalogue as this client shows it to its model")
	c.Flags().IntVar(&window, "window", 0, "context window of that model, in tokens")
	a.values(c, "client", listingClients()...)
	a.choiceFlags(c, c.Flags(), &chosen, a.listNames)
	c.Flags().BoolVar(&noBuiltin, "no-builtin", false, "omit the built-in skills")
	return a.formatted(c, &format, "text", "json")
}

func runList(ctx context.Context, a *app, format string, o list.Options) error {
	rows, err := list.Find(ctx, o)
	switch {
	case err != nil:
		return fault.AsUsageIfHinted(err)
	case format == "json":
		return printable.WriteJSON(a.Stdout, struct {
			SchemaVersion int          `json:"schema_version"`
			Skills        []list.Skill `json:"skills"`
		}{1, rows})
	case len(rows) == 0:
		return nil // already reported by the search
	}
	return printRows(a.Stdout, rows, terminal.Width(a.Stdout))
}

// listNames returns the names of the skills that list shows.
func (a *app) listNames(c *cobra.Command, o choice.Options, args []string) []string {
	ignore := func(loader.Notice) {}
	rows, _ := list.Find(c.Context(), list.Options{Choice: o, Dir: a.Dir, Home: a.Home, Paths: args, Builtin: len(args) == 0, Notify: ignore, Note: func(string) {}})
	return printable.Map(rows, func(s list.Skill) string { return s.Name })
}

// printRows prints a table with descriptions shortened to the terminal's columns; 0
// means no limit.
func printRows(w io.Writer, rows []list.Skill, columns int) error {
	cells := [][]string{{"NAME", "CATALOGUE", "BODY", "STATE", "DESCRIPTION"}}
	for _, r := range rows {
		name, state := r.Name, string(r.State)
		if name == "" {
			name = "(" + r.Path + ")"
		}
		switch {
		case r.State == list.StateBuiltin:
			state = builtin.Origin
		case r.State == list.StateShadowed:
			state = "shadowed by " + r.ShadowedBy
		case r.Errors > 0:
			state = printable.Plural(r.Errors, "error")
		case r.Warnings > 0:
			state = printable.Plural(r.Warnings, "warning")
		}
		if r.SearchOnly {
			state += ", by search"
		}
		cells = append(cells, []string{
			printable.TruncateMiddle(printable.Line(name), 100), fmt.Sprintf("≈%d", r.CatalogueTokens), fmt.Sprintf("≈%d", r.BodyTokens),
			printable.Line(state), printable.Truncate(printable.Line(strings.Join(strings.Fields(r.Description), " ")), 79),
		})
	}
	lines := make([]string, len(cells))
	for column := range 4 {
		width := 0
		for _, row := range cells {
			width = max(width, lipgloss.Width(row[column]))
		}
		for i, row := range cells {
			lines[i] += row[column] + strings.Repeat(" ", width-lipgloss.Width(row[column])+2)
		}
	}
	room := columns - 1 - lipgloss.Width(lines[0])
	var b strings.Builder
	for i, row := range cells {
		switch {
		case columns > 0 && room < len("DESCRIPTION"): // no room for this column
			row[4] = ""
		case columns > 0:
			row[4] = printable.Fit(row[4], room)
		}
		b.WriteString(strings.TrimRight(lines[i]+row[4], " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// listingClients returns the ids of clients whose handling of skills is known.
func listingClients() (ids []string) {
	for _, c := range clients.All() {
		if c.Reader.Fence != nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// runListClient prints the catalogue that a client shows to its model, and what it omits
// on standard error.
func runListClient(ctx context.Context, a *app, id string, window int, format string, o list.Options) error {
	c := clients.Find(id)
	switch {
	case id == "":
		return usageError("name a client: "+strings.Join(listingClients(), ", "), "--window without --client")
	case c == nil:
		return usageError(nearestHint(id, listingClients()), "unknown client %q", id)
	case c.Reader.Fence == nil:
		return usageError("choose "+strings.Join(listingClients(), ", "), "how %s reads and lists skills is not documented", c.Title)
	case window < 0:
		return usageError("give a number of tokens, such as 200000", "--window must not be negative")
	}
	list, folders, err := list.Client(ctx, o, c, window)
	if err != nil {
		return fault.AsUsageIfHinted(err)
	}
	if format == "json" {
		return printable.WriteJSON(a.Stdout, struct {
			SchemaVersion int    `json:"schema_version"`
			Client        string `json:"client"`
			Window        int    `json:"window,omitempty"`
			clients.Catalogue
		}{SchemaVersion: 1, Client: c.ID, Window: window, Catalogue: list})
	}
	if err := a.printExactly(list.Text); err != nil {
		return err
	}
	for i, note := range catalogueNotes(c, list, folders) {
		fmt.Fprintln(a.Stderr, strings.Repeat(" ", min(i, 1)*2)+printable.Line(note))
	}
	return nil
}

// mostNames is how many skills a note names.
const mostNames = 10

// catalogueNotes returns the number of skills in a catalogue, the omitted skills with
// reasons, and what is unknown. Skills with the same reason share a line.
func catalogueNotes(c *clients.Client, list clients.Catalogue, folders []string) []string {
	if len(list.Entries) == 0 {
		return []string{c.Title + " shows no skills: there are none in " + strings.Join(folders, ", ")}
	}
	listed, cut, names := 0, []string{}, map[string][]string{} // by reason
	for _, e := range list.Entries {
		why := strings.Join(e.Reasons, "; ")
		switch {
		case !e.Listed:
			names[why] = append(names[why], e.Name)
			continue
		case e.Cut > 0:
			cut = append(cut, fmt.Sprintf("%s (-%d)", e.Name, e.Cut))
		}
		listed++
	}
	notes := []string{fmt.Sprintf("%s shows %d of %s", c.Title, listed, printable.Plural(len(list.Entries), "skill"))}
	if list.Limit > 0 {
		notes[0] += fmt.Sprintf(": %s of %s %s", printable.Grouped(int64(list.Used)), printable.Grouped(int64(list.Limit)), list.Unit)
	}
	if len(cut) > 0 {
		notes = append(notes, "description cut: "+printable.List(cut, mostNames))
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		notes = append(notes, "not shown: "+printable.List(names[why], mostNames)+": "+why)
	}
	for _, n := range list.Notes {
		notes = append(notes, "note: "+n)
	}
	return notes
}
