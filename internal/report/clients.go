package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"skills/internal/clients"
	"skills/internal/printable"
)

// writeClients writes what clients make of the skills, where that was asked for: a table
// with how many skills each loads, above it each skill that some do not load as it is
// written, with what they do. Clients that do the same share a line.
func writeClients(w io.Writer, r Report, opt Options) {
	var order []string
	counts := map[string]map[clients.Outcome]int{}
	for _, s := range r.Skills {
		groups := map[string][]string{}
		for _, v := range s.Clients {
			if counts[v.Client] == nil {
				order = append(order, v.Client)
				counts[v.Client] = map[clients.Outcome]int{}
			}
			counts[v.Client][v.Outcome]++
			if v.Outcome != clients.Loads && (!opt.Quiet || v.Outcome == clients.Skipped) {
				what := string(v.Outcome) + ": " + strings.Join(v.Reasons, "; ")
				groups[what] = append(groups[what], v.Client)
			}
		}
		if len(groups) == 0 {
			continue
		}
		fmt.Fprintln(w, printable.Line(s.Path))
		for _, v := range s.Clients {
			what := string(v.Outcome) + ": " + strings.Join(v.Reasons, "; ")
			if who := groups[what]; len(who) > 0 && who[0] == v.Client {
				text := strings.Join(who, ", ")
				if len(who) == len(s.Clients) {
					text = "all clients"
				}
				text += ": " + printable.Line(what)
				fmt.Fprintln(w, "  "+printable.Fold(text, 2, opt.Width, "    "))
			}
		}
		fmt.Fprintln(w)
	}
	if len(order) == 0 || len(r.Skills) == 1 {
		return
	}
	outcomes := []clients.Outcome{clients.Loads, clients.Altered, clients.Hidden, clients.Skipped, clients.Unknown}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, o := range outcomes {
		fmt.Fprintf(t, "%s\t", o)
	}
	fmt.Fprintln(t, "  client")
	for _, id := range order {
		for _, o := range outcomes {
			fmt.Fprintf(t, "%d\t", counts[id][o])
		}
		fmt.Fprintln(t, "  "+id)
	}
	_ = t.Flush() // reports what the writer behind it reports again
	fmt.Fprintln(w)
}
