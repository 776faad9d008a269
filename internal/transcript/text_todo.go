package transcript

import (
	"fmt"
	"maps"
	"slices"

	"skills/internal/printable"
	"skills/internal/todo"
)

// checklist is the todo list as it has been shown: whole the first time and at
// the end, in between only what changed.
type checklist struct {
	now     []todo.Item
	changed bool // whether there is something to show
	shown   map[int]todo.Item
	whole   bool // whether what was shown last was all there is
}

// change takes the list as it is now.
func (c *checklist) change(items []todo.Item) { c.now, c.changed = items, true }

// done counts the items that are complete.
func (c *checklist) done() int {
	n := 0
	for _, item := range c.now {
		if item.IsComplete {
			n++
		}
	}
	return n
}

// row is one line of the list.
type row struct {
	text string
	dim  bool
}

// rows returns what is to be shown, and takes it as shown: what is new or
// changed, then what was removed; everything where all is true.
func (c *checklist) rows(all bool) []row {
	first := c.shown == nil
	var out []row
	left := c.shown
	c.shown = map[int]todo.Item{}
	c.whole = true
	for _, item := range c.now {
		before, known := left[item.ID]
		delete(left, item.ID)
		c.shown[item.ID] = item
		if known && before == item && !all && !first {
			c.whole = false
			continue
		}
		out = append(out, itemRow(item))
	}
	for _, id := range slices.Sorted(maps.Keys(left)) { // the order of the list: IDs only grow
		out = append(out, row{fmt.Sprintf("[-] %d %s — removed", id, printable.Line(left[id].Title)), true})
	}
	c.changed = false
	return out
}

func itemRow(item todo.Item) row {
	box := "[ ]"
	if item.IsComplete {
		box = "[x]"
	}
	line := fmt.Sprintf("%s %d %s", box, item.ID, printable.Line(item.Title))
	if item.Reason != "" {
		line += " — " + printable.Line(item.Reason)
	}
	return row{line, item.IsComplete}
}

// todos shows what changed of the list.
func (p *text) todos() {
	if !p.list.changed {
		return
	}
	title := fmt.Sprintf("%d of %d done", p.list.done(), len(p.list.now))
	if len(p.list.now) == 0 {
		title = "empty"
	}
	rows := p.list.rows(false)
	p.print(p.st.tool.Render("todo list") + p.st.dim.Render(" · "+title) + "\n")
	p.rows(rows)
}

// left shows the whole list at the end, where it says more than what has been
// shown: items left open, or more than the last changes. A run that never
// touched a list from earlier runs is told of the open ones.
func (p *text) left(open []todo.Item) {
	if p.list.shown == nil && !p.list.changed {
		p.list.change(open)
	}
	if len(p.list.now) == 0 || len(open) == 0 && p.list.whole && !p.list.changed {
		return
	}
	title := fmt.Sprintf("todo list · %d of %d done", p.list.done(), len(p.list.now))
	if n := len(p.list.now) - p.list.done(); n > 0 {
		title += fmt.Sprintf(", %d left open", n)
	}
	p.rule(title)
	p.rows(p.list.rows(true))
}

func (p *text) rows(rows []row) {
	for _, r := range rows {
		style := p.st.plain
		if r.dim {
			style = p.st.dim
		}
		p.print("  " + style.Render(r.text) + "\n")
	}
}
