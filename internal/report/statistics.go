package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// statistics writes the number of findings per rule and level, most frequent first.
type statistics struct {
	Options
	rows map[string]*statistic
	json bool
}

// statistic is the number of findings of a rule at a level.
type statistic struct {
	Rule    string `json:"rule"`
	Level   string `json:"level"`
	Count   int    `json:"count"`
	Fixable int    `json:"fixable"` // with --fix

	level spec.Level
}

func newStatistics(opt Options) writer { return statistics{opt, map[string]*statistic{}, false} }

func newStatisticsJSON(opt Options) writer { return statistics{opt, map[string]*statistic{}, true} }

func (st statistics) skill(_ *bytes.Buffer, s Skill) {
	for _, d := range s.Diagnostics {
		key := d.Rule + " " + d.Level.String()
		if st.rows[key] == nil {
			st.rows[key] = &statistic{Rule: d.Rule, Level: d.Level.String(), level: d.Level}
		}
		st.rows[key].Count++
		if d.Fix != nil {
			st.rows[key].Fixable++
		}
	}
}

func (st statistics) frame(c Counts) (head, tail string) {
	sorted := slices.SortedFunc(maps.Values(st.rows), func(a, b *statistic) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Rule, b.Rule), int(b.level-a.level))
	})
	var out strings.Builder
	if st.json {
		_ = printable.WriteJSON(&out, struct { // plain data always encodes
			SchemaVersion int          `json:"schema_version"`
			Summary       Counts       `json:"summary"`
			Rules         []*statistic `json:"rules"`
		}{schemaVersion, c, append([]*statistic{}, sorted...)})
		return "", out.String()
	}
	styles := newStyles(st.Colour)
	for _, row := range sorted {
		fmt.Fprintf(&out, "%6d  %s%s  %s", row.Count, styles.level(row.level), strings.Repeat(" ", len("warning")-len(row.level.String())), row.Rule)
		if row.Fixable > 0 {
			fmt.Fprintf(&out, " %s", styles.dim.Render(fmt.Sprintf("(%d fixable with --fix)", row.Fixable)))
		}
		fmt.Fprintln(&out)
	}
	return "", out.String() + styles.summary(c, st.Options)
}
