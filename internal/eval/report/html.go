package report

import (
	_ "embed"
	"fmt"
	"html"
	"net/url"
	"strings"

	"skills/internal/eval/store"
	"skills/internal/printable"
)

//go:embed page.html
var page string

func escapeHTML(s string) string { return html.EscapeString(printable.Text(s)) }

// html writes one page without scripts: the document, with pictures in SVG.
func (d Document) html(b *strings.Builder) {
	var body, details strings.Builder
	for _, line := range d.Details {
		fmt.Fprintf(&details, "<li>%s</li>\n", escapeHTML(line))
	}
	for _, t := range d.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		fmt.Fprintf(&body, "<section><h2>%s <span class=\"count\">%d</span></h2>\n<p class=\"muted\">%s</p>\n", t.Title, len(t.Rows), t.Note)
		fmt.Fprintf(&body, "<div class=\"scroll\"><table><thead><tr><th>%s</th></tr></thead>\n<tbody>\n", strings.Join(printable.Map(t.Header, escapeHTML), "</th><th>"))
		for i, row := range t.Rows {
			body.WriteString("<tr>")
			for j, cell := range row {
				class, picture := "", ""
				if t.Header[j] == "difference" && strings.Trim(cell, "+-0.") != "" {
					class = map[byte]string{'+': "better", '-': "worse"}[cell[0]]
				}
				if t.picture != nil {
					picture = t.picture(i, j)
				}
				fmt.Fprintf(&body, "<td class=\"%s\">%s%s</td>", class, picture, escapeHTML(printable.Truncate(cell, maxCell)))
			}
			body.WriteString("</tr>\n")
		}
		body.WriteString("</tbody></table></div></section>\n")
	}
	strings.NewReplacer(
		"{{subject}}", escapeHTML(d.Subject), "{{verdict}}", d.Verdict, "{{class}}", strings.ReplaceAll(d.Verdict, " ", "-"),
		"{{summary}}", escapeHTML(d.Summary), "{{picture}}", d.picture, "{{details}}", details.String(), "{{tables}}", body.String(),
	).WriteString(b, page)
}

// interval draws the difference and its interval on an axis from -1 to +1.
func interval(s store.Statistics) string {
	if s.Delta == nil {
		return ""
	}
	x := func(v float64) float64 { return 320 + 300*v }
	ci := [2]float64{*s.Delta, *s.Delta}
	if s.CI != nil {
		ci = *s.CI
	}
	return fmt.Sprintf(`<svg class="interval" viewBox="0 0 640 96" role="img" aria-label="difference %+.2f on an axis from -1 to +1">
<rect class="band" x="305" y="12" width="30" height="48"/><line class="axis" x1="20" x2="620" y1="60" y2="60"/>
<line class="zero" x1="320" x2="320" y1="8" y2="66"/>
<path class="axis" d="M20 60v6M170 60v6M320 60v6M470 60v6M620 60v6"/><text x="20" y="84">-1.0</text>
<text x="170" y="84">-0.5</text><text x="320" y="84">0</text><text x="470" y="84">+0.5</text><text x="620" y="84">+1.0</text>
<line class="range" x1="%.1f" x2="%.1f" y1="36" y2="36"/><circle class="mean" cx="%.1f" cy="36" r="7"/></svg>`,
		*s.Delta, x(ci[0]), x(ci[1]), x(*s.Delta))
}

// dots draws the scores of a case's runs in one arm on an axis from 0 to 1. A dot links to
// the transcript of its run.
func dots(b *store.Benchmark, c store.Case, with bool) string {
	var out strings.Builder
	for _, r := range b.Runs {
		if r.ID != c.ID || with == (r.Configuration == b.Statistics.Baseline) {
			continue
		}
		link := url.URL{Path: fmt.Sprintf("./%s/%s/run-%d/transcript.md", c.Slug, r.Configuration, r.Number)}
		fmt.Fprintf(&out, `<a href="%s"><circle cx="%.1f" cy="%d" r="5"><title>run %d: %.2f</title></circle></a>`,
			html.EscapeString(link.String()), 8+104*r.Result.Score, []int{32, 21, 10}[r.Number%3], r.Number, r.Result.Score)
	}
	return fmt.Sprintf(`<svg class="dots %s" viewBox="0 0 120 42"><line class="axis" x1="8" x2="112" y1="21" y2="21"/>%s</svg>`,
		map[bool]string{true: "with", false: "without"}[with], &out)
}
