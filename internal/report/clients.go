package report

import (
	"fmt"
	"io"
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
	t.skills++
	groups := map[string][]string{}
	for _, v := range s.Clients {
		if t.counts[v.Client] == nil {
			if t.counts == nil {
				t.counts = map[string]map[clients.Outcome]int{}
			}
			t.order = append(t.order, v.Client)
			t.counts[v.Client] = map[clients.Outcome]int{}
		}
		t.counts[v.Client][v.Outcome]++
		if v.Outcome != clients.Loads && (!opt.Quiet || v.Outcome == clients.Skipped) {
			what := string(v.Outcome) + ": " + strings.Join(v.Reasons, "; ")
			groups[what] = append(groups[what], v.Client)
		}
	}
	if len(groups) == 0 {
		return
	}
	fmt.Fprintln(&t.above, printable.Line(s.Path))
	for _, v := range s.Clients {
		what := string(v.Outcome) + ": " + strings.Join(v.Reasons, "; ")
		if who := groups[what]; len(who) > 0 && who[0] == v.Client {
			text := strings.Join(who, ", ")
			if len(who) == len(s.Clients) {
				text = "all clients"
			}
			text += ": " + printable.Line(what)
			fmt.Fprintln(&t.above, "  "+printable.Fold(text, 2, opt.Width, "    "))
		}
	}
	fmt.Fprintln(&t.above)
}

func (t *clientTable) write(out io.Writer) {
	fmt.Fprint(out, t.above.String())
	if len(t.order) == 0 || t.skills == 1 {
		return
	}
	outcomes := []clients.Outcome{clients.Loads, clients.Altered, clients.Hidden, clients.Skipped, clients.Unknown}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
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
	fmt.Fprintln(out)
}
