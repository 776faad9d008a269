package report

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"skills/internal/clients"
	"skills/internal/printable"
)

// clientTable writes the verdicts of clients: skills that some clients do not
// load as written, with what they do instead, and a table with the number of
// loaded skills. Clients with the same result share a line.
type clientTable struct {
	order  []string
	counts map[string]map[clients.Outcome]int
	above  strings.Builder
	skills int
}

func (t *clientTable) add(s Skill, opt Options) {
	type line struct {
		what string
		who  []string
	}
	var lines []line
	t.skills++
	for _, v := range s.Clients {
		if t.counts[v.Client] == nil {
			t.order = append(t.order, v.Client)
			t.counts[v.Client] = map[clients.Outcome]int{}
		}
		t.counts[v.Client][v.Outcome]++
		if v.Outcome == clients.Loads || opt.Quiet && v.Outcome != clients.Skipped {
			continue
		}
		what := string(v.Outcome) + ": " + strings.Join(v.Reasons, "; ")
		i := slices.IndexFunc(lines, func(l line) bool { return l.what == what })
		if i < 0 {
			i, lines = len(lines), append(lines, line{what: what})
		}
		lines[i].who = append(lines[i].who, v.Client)
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(&t.above, printable.Line(s.Path))
	for _, l := range lines {
		who := strings.Join(l.who, ", ")
		if len(l.who) == len(s.Clients) {
			who = "all clients"
		}
		fmt.Fprintln(&t.above, "  "+printable.Fold(who+": "+printable.Line(l.what), 2, opt.Width, "    "))
	}
	fmt.Fprintln(&t.above)
}

func (t *clientTable) text() string {
	if len(t.order) == 0 || t.skills == 1 {
		return t.above.String()
	}
	outcomes := []clients.Outcome{clients.Loads, clients.Altered, clients.Hidden, clients.Skipped, clients.Unknown}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, o := range outcomes {
		fmt.Fprintf(w, "%s\t", o)
	}
	fmt.Fprintln(w, "  client")
	for _, id := range t.order {
		for _, o := range outcomes {
			fmt.Fprintf(w, "%d\t", t.counts[id][o])
		}
		fmt.Fprintln(w, "  "+id)
	}
	_ = w.Flush() // in memory
	return t.above.String() + out.String() + "\n"
}
