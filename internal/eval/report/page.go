package report

// The page of a report: one file that loads nothing. It answers from top to bottom what the
// verdict is, what it takes to know more, what it cost, what changed in which case, and why.
// Everything can be read without scripts; the script only filters and searches the cases.
// Colour never claims more than the verdict: a difference has one only on a page whose
// verdict is better or worse.

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/eval/stats"
	"skills/internal/eval/store"
	"skills/internal/printable"
)

//go:embed page.css
var styles string

//go:embed page.js
var script string

// Target says how and where a report is written.
type Target struct {
	Width int    // columns of text; 0 is no limit
	Dir   string // folder of an HTML page, for its links; "" for a page without links
}

// page writes the report of an eval in HTML.
type page struct {
	markup
	from   string // the target's folder, "" for no links
	d      Document
	models []store.Model
	allow  *allowance
	small  *allowance // of the texts of files
}

// writePage writes one page about the benchmarks of one skill with several models, or with
// one. Errors are those of w.
func writePage(w io.Writer, to Target, d Document, models []store.Model) error {
	p := &page{d: d, models: models, small: &allowance{left: maxFileText}}
	texts := 0
	var measured []*store.Benchmark
	for _, m := range models {
		if b := m.Benchmark; b != nil {
			measured = append(measured, b)
			texts += len(b.Runs) + len(b.Cases)
		}
	}
	p.allow = newAllowance(texts)
	if to.Dir != "" {
		p.from = resolved(to.Dir)
	}
	p.shell(d.Subject+": "+d.Verdict, class(d.Verdict), func() {
		p.head(measured)
		p.trend(store.Trend(measured))
		for i, b := range measured {
			p.cases(i, b)
		}
		p.usage(measured)
		for i, b := range measured {
			p.assertions(i, b)
			p.errors(b)
			p.tables(tables(b))
		}
		p.about(measured)
	})
	_, err := io.WriteString(w, p.b.String())
	return err
}

// class returns the class of a verdict, which alone decides on colour.
func class(verdict string) string {
	switch verdict {
	case stats.Better, stats.Worse, stats.Inconclusive:
		return "v-" + verdict
	}
	return "v-none"
}

// shell writes the document around its content. Only the styles and the script of this
// package are allowed to have an effect.
func (m *markup) shell(title, class string, content func()) {
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(styles), digest(script))
	m.b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	for _, meta := range [][2]string{{"viewport", "width=device-width, initial-scale=1"}, {"color-scheme", "light dark"}, {"referrer", "no-referrer"}} {
		m.open("meta", "name", meta[0], "content", meta[1])
		m.b.WriteString("\n")
	}
	fmt.Fprintf(&m.b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	m.element("title", "", title)
	m.b.WriteString("\n<style>" + styles + "</style>\n</head>\n")
	m.open("body", "class", class)
	m.b.WriteString("<main>\n")
	content()
	m.b.WriteString("</main>\n<script>" + script + "</script>\n</body>\n</html>\n")
}

// digest is the source of a policy that allows exactly this text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// section writes a section with a title and a note, which may be "".
func (m *markup) section(id, title, note string, body func()) {
	m.open("section", "id", id)
	m.element("h2", "", title)
	if note != "" {
		m.element("p", "note", note)
	}
	body()
	m.close("section")
}

// html writes a document that has no cases: its verdict, its details and its tables.
func (d Document) html(b *strings.Builder) {
	var m markup
	m.shell(d.Subject+": "+d.Verdict, class(d.Verdict), func() {
		m.open("header")
		m.element("h1", "", d.Subject)
		m.in("p", "lead", func() {
			m.element("span", "badge "+class(d.Verdict), d.Verdict)
			m.text(" " + d.Summary)
		})
		if d.result != nil {
			m.interval(*d.result)
		}
		m.list("facts", d.Details)
		m.close("header")
		m.tables(d.Tables)
	})
	b.WriteString(m.b.String())
}

// list writes the lines of a list, if there are any.
func (m *markup) list(class string, lines []string) {
	if len(lines) == 0 {
		return
	}
	m.in("ul", class, func() {
		for _, line := range lines {
			m.element("li", "", line)
		}
	})
}

// short is the length of a cell that is not broken, such as a number with its sign.
const short = 18

// tables writes tables that have rows and no part of the page of their own.
func (m *markup) tables(list []Table) {
	for _, t := range list {
		if len(t.Rows) == 0 || t.drawn {
			continue
		}
		m.section("", fmt.Sprintf("%s (%d)", t.Title, len(t.Rows)), t.Note, func() {
			class := ""
			if len(t.Header) > 6 {
				class = "results"
			}
			m.table(class, t.Header, len(t.Rows), func(row, column int) {
				cell := printable.Truncate(t.Rows[row][column], maxCell)
				if len(cell) <= short {
					m.element("span", "short", cell)
				} else {
					m.text(cell)
				}
			})
		})
	}
}

// about writes what was measured, and what the page leaves out.
func (p *page) about(measured []*store.Benchmark) {
	var lines []string
	for _, b := range measured {
		for _, line := range about(b) {
			if !slices.Contains(lines, line) { // models have the same judge
				lines = append(lines, line)
			}
		}
	}
	if cut := p.allow.cut + p.small.cut; cut > 0 {
		lines = append(lines, fmt.Sprintf("Cut on this page: %s. The files of the runs have all of them.", printable.Plural(cut, "text")))
	}
	p.in("footer", "", func() { p.list("", lines) })
}

// about says what was measured, when, and by whom.
func about(b *store.Benchmark) (lines []string) {
	for _, a := range [][2]string{{"model", b.Meta.Model}, {"judge", b.Meta.Judge}, {"started", b.Meta.Timestamp}} {
		if a[1] != "" {
			lines = append(lines, a[0]+" "+a[1])
		}
	}
	return lines
}

// link returns the address of a file relative to the page, or "": a link is written only
// to what exists, and only from a page whose place is known.
func (p *page) link(dir, name string) string {
	if p.from == "" || dir == "" {
		return ""
	}
	path := filepath.Join(dir, name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	rel, err := filepath.Rel(p.from, filepath.Join(resolved(dir), name))
	if err != nil {
		return ""
	}
	address := url.URL{Path: "./" + filepath.ToSlash(rel)}
	return strings.TrimPrefix(address.String(), "./")
}

// resolved returns a folder as an absolute path without links.
func resolved(dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return full
	}
	return real
}

// arm returns how the page calls a configuration.
func arm(b *store.Benchmark, configuration string) string {
	switch {
	case configuration == store.Total:
		return "total"
	case configuration == store.PairUsage:
		return "pairwise"
	case configuration == store.PairUsage:
		return "pairwise"
	case configuration == store.WithoutSkill:
		return "without"
	case configuration == store.OldSkill:
		return "old version"
	case b.Statistics.Baseline == store.OldSkill:
		return "new version"
	}
	return "with the skill"
}

// arms returns the names of the measured arm and the baseline.
func arms(b *store.Benchmark) [2]string {
	return [2]string{arm(b, store.WithSkill), arm(b, cmp.Or(b.Statistics.Baseline, store.WithoutSkill))}
}

// signed returns a difference with its sign.
func signed(v float64) string {
	text := fmt.Sprintf("%+.2f", v)
	if strings.Trim(text, "+-0.") == "" {
		return "0.00"
	}
	return strings.Replace(text, "-", "−", 1)
}
