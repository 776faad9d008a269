package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"skills/internal/clients"
	"skills/internal/printable"
)

// clientTables are the facts of docs/clients.md, from the table of clients.
func clientTables() string {
	const unknown = "not documented"
	code := func(words []string, otherwise string) string {
		if len(words) == 0 {
			return otherwise
		}
		return "`" + strings.Join(words, "`, `") + "`"
	}
	home := func(words []string) (out []string) {
		for _, w := range words {
			out = append(out, "~/"+w)
		}
		return out
	}
	pick := func(when bool, yes, no string) string {
		if when {
			return yes
		}
		return no
	}
	var b strings.Builder
	for _, c := range clients.All() {
		r, d, l := c.Reader, c.Discovery, c.Listing
		if r.Fence == nil {
			continue
		}
		fmt.Fprintf(&b, "\n### %s (`%s`)\n\n| fact | value |\n|------|-------|\n", c.Title, c.ID)
		row := func(fact, value string) {
			if value != "" {
				fmt.Fprintf(&b, "| %s | %s |\n", fact, value)
			}
		}
		row("folders of the project", code(d.Project, unknown))
		if len(d.Parents) > 0 {
			row("also in the folders above", code(d.Parents, ""))
		}
		row("folders of the user", code(home(d.User), unknown)+pick(d.UserFirst, ", read before the project's", ""))
		row("levels below a folder", pick(d.Depth == 0, "any", fmt.Sprint(d.Depth)))
		row("skills with one name", cmp.Or(map[string]string{"first": "the first is used", "last": "the last is used", "all": "all are listed"}[d.Same], unknown))
		row("fields beyond the six", code(c.Fields, "none"))
		for _, probe := range [][2]string{
			{"a byte order mark", "\uFEFF---\nname: notes\ndescription: Keeps.\n---\n"},
			{"two keys alike", "---\nname: notes\nname: notes\ndescription: Keeps.\n---\n"},
			{"`description: Keeps: notes`", "---\nname: notes\ndescription: Keeps: notes\n---\n"},
			{"`description: [Beta] keeps`", "---\nname: notes\ndescription: [Beta] keeps\n---\n"},
			{"no name", "---\ndescription: Keeps.\n---\n"},
			{"a name that is not the folder's", "---\nname: other\ndescription: Keeps.\n---\n"},
			{"no description", "---\nname: notes\n---\n"},
			{"a description of 1,030 characters", "---\nname: notes\ndescription: " + strings.Repeat("x", 1030) + "\n---\n"},
			{"a mapping in metadata", "---\nname: notes\ndescription: Keeps.\nmetadata:\n  a:\n    b: c\n---\n"},
			{"`disable-model-invocation: true`", "---\nname: notes\ndescription: Keeps.\ndisable-model-invocation: true\n---\n"},
		} {
			_, v := c.Read(clients.File{Source: []byte(probe[1]), Entry: "SKILL.md", Folder: "notes"})
			what := string(v.Outcome)
			if len(v.Reasons) > 0 {
				what += ": " + strings.Join(v.Reasons, "; ")
			}
			row(probe[0], what)
		}
		row("entry", pick(l.Entry == "", unknown, "`"+strings.NewReplacer("\n  ", " ", "\n", " ", "|", "\\|").Replace(strings.TrimSpace(l.Entry))+"`"))
		row("order", cmp.Or(map[string]string{"folder": "folder by folder", "name": "by name", "path": "by path", "scope": "project before user, then by name"}[l.Order], unknown))
		if l.Cap > 0 {
			row("description in the list", "cut to "+printable.Grouped(int64(l.Cap))+" characters")
		}
		budget := map[string]string{"none": "none", "": unknown}[l.Budget.Over]
		if l.Budget.Max > 0 {
			budget = pick(l.Budget.Percent > 0, fmt.Sprintf("%d %% of the window in %s; %s characters for an unknown window", l.Budget.Percent, l.Budget.Unit, printable.Grouped(int64(l.Budget.Max))),
				printable.Grouped(int64(l.Budget.Max))+" "+string(l.Budget.Unit)+" of names and descriptions")
			budget += "; over it, " + map[string]string{
				"shortened": "descriptions are shortened alike, then skills are omitted", "skills": "the rest is omitted",
				"descriptions": "descriptions of the skills that are used least are omitted, names stay"}[l.Budget.Over]
		}
		row("budget of the list", budget)
	}
	b.WriteString("\n")
	return b.String()
}
