package cmd

import (
	"context"
	"fmt"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/terminal"
)

// listingClients are the clients of which it is known how they read skills.
func listingClients() (ids []string) {
	for _, c := range clients.All() {
		if c.Reader.Fence != nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// listClient prints the catalogue that a client shows to its model, and on standard
// error what is not in it.
func (a *app) listClient(ctx context.Context, id string, window int, format string, o runner.ListOptions) error {
	switch c := clients.Find(id); {
	case format != "text" && format != "json":
		return wrongUsage("choose text or json", "unknown format %q", format)
	case id == "":
		return wrongUsage("name a client: "+strings.Join(listingClients(), ", "), "--window without --client")
	case c == nil:
		return wrongUsage(nearestHint(id, listingClients()), "unknown client %q", id)
	case c.Reader.Fence == nil:
		return wrongUsage("choose "+strings.Join(listingClients(), ", "), "how %s reads and lists skills is not documented", c.Title)
	case window < 0:
		return wrongUsage("give a number of tokens, such as 200000", "--window must not be negative")
	default:
		list, folders, err := runner.ListClient(ctx, o, c, window)
		if err != nil {
			return runner.Hinted(err)
		}
		if format == "json" {
			return a.catalogueJSON(c, list, window)
		}
		if err := a.printExactly(list.Text); err != nil {
			return err
		}
		a.catalogueNotes(c, list, folders)
		return nil
	}
}

func (a *app) catalogueJSON(c *clients.Client, list clients.Catalogue, window int) error {
	type budget struct {
		Limit int          `json:"limit"`
		Used  int          `json:"used"`
		Unit  clients.Unit `json:"unit"`
	}
	return printable.WriteJSON(a.Stdout, struct {
		SchemaVersion int             `json:"schema_version"`
		Client        string          `json:"client"`
		Window        int             `json:"window,omitempty"`
		Text          string          `json:"text"`
		Budget        budget          `json:"budget"`
		Skills        []clients.Entry `json:"skills"`
		Notes         []string        `json:"notes"`
	}{1, c.ID, window, list.Text, budget{list.Limit, list.Used, list.Unit}, append([]clients.Entry{}, list.Entries...), append([]string{}, list.Notes...)})
}

// catalogueNotes says how many skills a catalogue has, which are not in it and why, and
// what is not known about it. Skills with one reason share a line.
func (a *app) catalogueNotes(c *clients.Client, list clients.Catalogue, folders []string) {
	width := terminal.Width(a.Stderr)
	say := func(indent, text string) {
		fmt.Fprintln(a.Stderr, indent+printable.Fold(printable.Line(text), len(indent), width, indent+"  "))
	}
	listed, cut, reasons, names := 0, []string{}, []string{}, map[string][]string{}
	for _, e := range list.Entries {
		if e.Listed {
			listed++
			if e.Cut > 0 {
				cut = append(cut, fmt.Sprintf("%s (-%d)", e.Name, e.Cut))
			}
			continue
		}
		why := strings.Join(e.Reasons, "; ")
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], e.Name)
	}
	if len(list.Entries) == 0 {
		say("", fmt.Sprintf("%s shows no skills: there are none in %s", c.Title, strings.Join(folders, ", ")))
		return
	}
	text := fmt.Sprintf("%s shows %d of %s", c.Title, listed, printable.Plural(len(list.Entries), "skill"))
	if list.Limit > 0 {
		text += fmt.Sprintf(": %s of %s %s", printable.Grouped(int64(list.Used)), printable.Grouped(int64(list.Limit)), list.Unit)
	}
	say("", text)
	if len(cut) > 0 {
		say("  ", "description cut: "+few(cut))
	}
	for _, why := range reasons {
		say("  ", "not shown: "+few(names[why])+": "+why)
	}
	for _, n := range list.Notes {
		say("  ", "note: "+n)
	}
}

// few names the first ten of a list.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
