package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
)

// probes are the inputs whose outcomes docs/clients.md compares, with the head of their
// column.
var probes = [][2]string{
	{"byte order mark", "\uFEFF---\nname: notes\ndescription: Keeps.\n---\nText.\n"},
	{"no frontmatter", "# Notes\n"},
	{"a key twice", "---\nname: notes\nname: notes\ndescription: Keeps.\n---\nText.\n"},
	{"`Keeps: notes`", "---\nname: notes\ndescription: Keeps: notes\n---\nText.\n"},
	{"`[Beta] keeps`", "---\nname: notes\ndescription: [Beta] keeps\n---\nText.\n"},
	{"no name", "---\ndescription: Keeps.\n---\nText.\n"},
	{"another name", "---\nname: other\ndescription: Keeps.\n---\nText.\n"},
	{"no description", "---\nname: notes\n---\nText.\n"},
	{"1,030 characters", "---\nname: notes\ndescription: " + strings.Repeat("x", 1030) + "\n---\nText.\n"},
	{"`metadata: {a: {b: c}}`", "---\nname: notes\ndescription: Keeps.\nmetadata:\n  a:\n    b: c\n---\nText.\n"},
	{"`allowed-tools: [Read]`", "---\nname: notes\ndescription: Keeps.\nallowed-tools: [Read]\n---\nText.\n"},
	{"not for the model", "---\nname: notes\ndescription: Keeps.\ndisable-model-invocation: true\n---\nText.\n"},
}

// clientTables are the matrices of docs/clients.md, from the table of clients: a row is a
// client, a column a behaviour.
func clientTables() string {
	const unknown = "–"
	code := func(words []string, prefix string) string {
		if len(words) == 0 {
			return unknown
		}
		return "`" + prefix + strings.Join(words, "`, `"+prefix) + "`"
	}
	var b strings.Builder
	table := func(title, intro string, columns []string, row func(c clients.Client) []string) {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| client | %s |\n|--------|%s\n", title, intro, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, c := range clients.All() {
			if cells := row(c); cells != nil {
				fmt.Fprintf(&b, "| %s | %s |\n", c.Title, strings.Join(cells, " | "))
			}
		}
	}

	table("What was read", "A release that was not recorded is not named.", []string{"`--client`", "release", "read", "how"}, func(c clients.Client) []string {
		how := map[clients.How]string{clients.Run: "its loader was run", clients.Source: "source", clients.Documentation: "documentation only"}[c.Seen.How]
		return []string{"`" + c.ID + "`", cmp.Or(c.Seen.Release, unknown), c.Seen.Date, how}
	})

	table("Where it looks", "Folders in order; those of the user are below the home folder. *Above* means that the folders of the project are also searched in the "+
		"folders above, up to the root of the repository. Levels are those between such a folder and a skill.",
		[]string{"project", "above", "user", "levels", "of one name"}, func(c clients.Client) []string {
			d := c.Discovery
			if len(d.Project) == 0 && d.Depth == 0 {
				return nil
			}
			user := code(d.User, "~/")
			if d.UserFirst {
				user += ", before the project's"
			}
			levels := fmt.Sprint(d.Depth)
			if d.Depth == 0 {
				levels = "any"
			}
			same := map[string]string{"first": "the first", "last": "the last", "all": "all"}[d.Same]
			return []string{code(d.Project, ""), code(d.Parents, ""), user, levels, cmp.Or(same, unknown)}
		})

	heads := make([]string, len(probes))
	for i, probe := range probes {
		heads[i] = probe[0]
	}
	table("What it makes of small faults", "The outcome for a skill in a folder `notes`; the reasons are in the output of `--client all`. The columns with code are values of "+
		"`description`, `metadata` and `allowed-tools`; the last one has `disable-model-invocation: true`.", heads, func(c clients.Client) []string {
		if c.Reader.Fence == nil {
			return nil
		}
		var cells []string
		for _, probe := range probes {
			_, v := c.Read(clients.File{Source: []byte(probe[1]), Entry: "SKILL.md", Folder: "notes"})
			cells = append(cells, string(v.Outcome))
		}
		return cells
	})

	table("Fields beyond the six", "Fields of the frontmatter that it reads as well.", []string{"fields", "mappings in `metadata`"}, func(c clients.Client) []string {
		if len(c.Fields)+len(c.Metadata) == 0 {
			return nil
		}
		return []string{code(c.Fields, ""), code(c.Metadata, "")}
	})

	table("What its list looks like", "The budget is of the whole list.", []string{"entry", "order", "description", "budget"}, func(c clients.Client) []string {
		l := c.Listing
		if l.Entry == "" && l.Budget.Over == "" {
			return nil
		}
		entry := unknown
		if l.Entry != "" {
			entry = "`" + strings.NewReplacer("\n    ", "", "\n  ", "", "\n", "", "|", "\\|").Replace(strings.TrimSpace(l.Entry)) + "`"
		}
		order := map[string]string{"folder": "by folder", "name": "by name", "path": "by path", "scope": "project first, then by name"}[l.Order]
		cap := "whole"
		if l.Cap > 0 {
			cap = "up to " + printable.Grouped(int64(l.Cap)) + " characters"
		}
		return []string{entry, cmp.Or(order, unknown), cap, budgetText(l.Budget)}
	})
	b.WriteString("\n")
	return b.String()
}

// budgetText describes a budget, and what happens over it.
func budgetText(b clients.Budget) string {
	if b.Max == 0 {
		return map[string]string{"none": "none", "": "–"}[b.Over]
	}
	text := printable.Grouped(int64(b.Max)) + " " + string(b.Unit) + " of names and descriptions"
	if b.Percent > 0 {
		text = fmt.Sprintf("%d %% of the window in %s; %s characters for an unknown window", b.Percent, b.Unit, printable.Grouped(int64(b.Max)))
	}
	return text + "; over it, " + map[string]string{
		"shortened": "descriptions are shortened alike, then skills are omitted", "skills": "the rest is omitted",
		"descriptions": "descriptions of the skills that are used least are omitted, names stay"}[b.Over]
}
