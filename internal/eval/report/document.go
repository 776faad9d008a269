package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"skills/internal/eval/stats"
	"skills/internal/printable"
	checks "skills/internal/report"
	"skills/internal/terminal"
)

// Document is the content of a report, in any format.
type Document struct {
	Subject, Verdict, Summary string
	Details                   []string
	Tables                    []Table         // those without rows are omitted
	drawn                     map[string]bool // details that a page shows in another form
	result                    *stats.Result   // that a page without cases draws; nil for none
}

// Table is a table of a document. Title and note are plain words.
type Table struct {
	Title, Note string
	Header      []string
	Rows        [][]string
	drawn       bool // a page shows its content in another form
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Detail adds a detail.
func (d *Document) Detail(format string, values ...any) {
	d.Details = append(d.Details, fmt.Sprintf(format, values...))
}

// draw adds a detail that a page shows in another form.
func (d *Document) draw(format string, values ...any) {
	d.Detail(format, values...)
	if d.drawn == nil {
		d.drawn = map[string]bool{}
	}
	d.drawn[d.Details[len(d.Details)-1]] = true
}

const maxCell = 400 // code points

// Write writes the document as text, markdown or html. Text has lines of at most width
// columns; 0 is no limit. Errors are those of w.
func (d Document) Write(w io.Writer, format string, width int) error {
	var b strings.Builder
	escape, heading, section := printable.Line, "%s: %s\n%s\n", "\n%s\n"
	start, between, end := "  ", "\t", "\n"
	switch format {
	case "html":
		d.html(&b)
		_, err := io.WriteString(w, b.String())
		return err
	case "markdown":
		width = 0
		escape, heading, section = checks.MarkdownText, "## %s: %s\n\n%s\n\n", "\n### %s\n\n"
		start, between, end = "| ", " | ", " |\n"
	}
	const indent = "  "
	subject := escape(d.Subject)
	verdict := printable.Fold(d.Verdict, printable.Width(subject)+2, width, indent)
	fmt.Fprintf(&b, heading, subject, verdict, printable.Fold(d.Summary, 0, width, indent))
	for _, line := range d.Details {
		fmt.Fprintf(&b, "- %s\n", printable.Fold(escape(line), 2, width, indent))
	}
	for _, t := range d.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		title := strings.TrimSuffix(t.Title+" ("+t.Note+")", " ()")
		fmt.Fprintf(&b, section, printable.Fold(title, 0, width, indent))
		rows := [][]string{printable.Map(t.Header, escape)}
		for _, row := range t.Rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = escape(printable.Truncate(cell, maxCell))
			}
			rows = append(rows, cells)
		}
		if width > 0 {
			for _, line := range terminal.Table(rows, nil, width-len(indent)-1) { // the last column may wrap
				fmt.Fprintln(&b, printable.Fold(indent+line, 0, width-1, "      "))
			}
			continue
		}
		columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0) // markdown has no tabs
		for i, cells := range rows {
			fmt.Fprint(columns, start+strings.Join(cells, between)+end)
			if i == 0 && format == "markdown" {
				fmt.Fprintln(columns, "|"+strings.Repeat("---|", len(t.Header)))
			}
		}
		columns.Flush() // into memory
	}
	_, err := io.WriteString(w, b.String())
	return err
}
