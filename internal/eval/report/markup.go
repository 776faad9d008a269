package report

import (
	"fmt"
	"html"
	"strings"

	"skills/internal/printable"
)

// markup writes HTML. Text and values of attributes are escaped here and nowhere else, so
// that what a model or a file contains is never markup. Names of elements, attributes and
// classes are constants of this package.
type markup struct{ b strings.Builder }

// open writes a start tag. Attributes are names followed by their values; an empty class or
// id is none.
func (m *markup) open(name string, attributes ...string) {
	m.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		name, value := attributes[i], attributes[i+1]
		mayBeEmpty := name != "class" && name != "id"
		if value != "" || mayBeEmpty {
			fmt.Fprintf(&m.b, ` %s="%s"`, name, html.EscapeString(printable.Line(value)))
		}
	}
	m.b.WriteString(">")
}

// close writes end tags.
func (m *markup) close(names ...string) {
	for _, name := range names {
		m.b.WriteString("</" + name + ">")
		if !strings.Contains(inline, " "+name+" ") {
			m.b.WriteString("\n")
		}
	}
}

// inline lists elements after which a line feed would be seen.
const inline = " a b circle code line mark pre rect span svg text title "

// text writes text.
func (m *markup) text(s string) { m.b.WriteString(html.EscapeString(printable.Text(s))) }

// element writes an element with a class, which may be "", and text.
func (m *markup) element(name, class, text string) {
	m.open(name, "class", class)
	m.text(text)
	m.close(name)
}

// in writes an element around what f writes.
func (m *markup) in(name, class string, f func()) {
	m.open(name, "class", class)
	f()
	m.close(name)
}

// fold writes an element that opens at a click, also without scripts.
func (m *markup) fold(class string, open bool, summary, body func()) {
	m.b.WriteString("<details")
	if class != "" {
		fmt.Fprintf(&m.b, ` class="%s"`, class)
	}
	if open {
		m.b.WriteString(" open")
	}
	m.b.WriteString(">")
	m.in("summary", "", summary)
	body()
	m.close("details")
}

// table writes a table whose rows become blocks on a narrow screen: each cell carries the
// title of its column.
func (m *markup) table(class string, header []string, rows int, cell func(row, column int)) {
	m.open("table", "class", class)
	m.b.WriteString("<thead><tr>")
	for _, title := range header {
		m.open("th", "scope", "col")
		m.text(title)
		m.close("th")
	}
	m.b.WriteString("</tr></thead>\n<tbody>\n")
	for row := range rows {
		m.b.WriteString("<tr>")
		for column, title := range header {
			m.open("td", "data-title", title)
			cell(row, column)
			m.close("td")
		}
		m.b.WriteString("</tr>\n")
	}
	m.close("tbody", "table")
}
