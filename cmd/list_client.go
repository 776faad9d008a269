package cmd

import (
	"context"
	"fmt"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/runner"
)

// listingClients returns the ids of clients whose handling of skills is known.
func listingClients() (ids []string) {
	for _, c := range clients.All() {
		if c.Reader.Fence != nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// listClient prints the catalogue that a client shows to its model, and what it omits
// on standard error.
func (a *app) listClient(ctx context.Context, id string, window int, format string, o runner.ListOptions) error {
	c := clients.Find(id)
	switch {
	case id == "":
		return wrongUsage("name a client: "+strings.Join(listingClients(), ", "), "--window without --client")
	case c == nil:
		return wrongUsage(nearestHint(id, listingClients()), "unknown client %q", id)
	case c.Reader.Fence == nil:
		return wrongUsage("choose "+strings.Join(listingClients(), ", "), "how %s reads and lists skills is not documented", c.Title)
	case window < 0:
		return wrongUsage("give a number of tokens, such as 200000", "--window must not be negative")
	}
	list, folders, err := runner.ListClient(ctx, o, c, window)
	switch {
	case err != nil:
		return runner.Hinted(err)
	case format == "json":
		return printable.WriteJSON(a.Stdout, struct {
			SchemaVersion int    `json:"schema_version"`
			Client        string `json:"client"`
			Window        int    `json:"window,omitempty"`
			clients.Catalogue
		}{1, c.ID, window, list})
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
	listed, cut, reasons, names := 0, []string{}, []string{}, map[string][]string{}
	for _, e := range list.Entries {
		why := strings.Join(e.Reasons, "; ")
		switch {
		case e.Listed && e.Cut > 0:
			cut = append(cut, fmt.Sprintf("%s (-%d)", e.Name, e.Cut))
		case !e.Listed && names[why] == nil:
			reasons = append(reasons, why)
		}
		if e.Listed {
			listed++
		} else {
			names[why] = append(names[why], e.Name)
		}
	}
	notes := []string{fmt.Sprintf("%s shows %d of %s", c.Title, listed, printable.Plural(len(list.Entries), "skill"))}
	if list.Limit > 0 {
		notes[0] += fmt.Sprintf(": %s of %s %s", printable.Grouped(int64(list.Used)), printable.Grouped(int64(list.Limit)), list.Unit)
	}
	if len(cut) > 0 {
		notes = append(notes, "description cut: "+printable.List(cut, mostNames))
	}
	for _, why := range reasons {
		notes = append(notes, "not shown: "+printable.List(names[why], mostNames)+": "+why)
	}
	for _, n := range list.Notes {
		notes = append(notes, "note: "+n)
	}
	return notes
}
