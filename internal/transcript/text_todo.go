package transcript

import (
	"fmt"
	"maps"
	"slices"

	"skills/internal/printable"
	"skills/internal/todo"
)

// checklist is the todo list as it has been shown: all of it the first time
// and at the end, otherwise only what changed.
type checklist struct {
	items   []todo.Item
	changed bool              // whether there is something to show
	shown   map[int]todo.Item // nil before the first time
	whole   bool              // whether the last time showed all items
}

func (c *checklist) change(items []todo.Item) { c.items, c.changed = items, true }

// done counts the items that are complete.
func (c *checklist) done() (n int) {
	for _, item := range c.items {
		if item.IsComplete {
			n++
		}
	}
	return n
}

// changes shows what changed of the list, below the result of a call.
func (p *text) changes() {
	if !p.list.changed {
		return
	}
	title := "empty"
	if n := len(p.list.items); n > 0 {
		title = fmt.Sprintf("%d of %d done", p.list.done(), n)
	}
	p.print(p.paint(cyan, "todo list") + p.paint(faint, " · "+title) + "\n")
	p.items(false)
}

// left shows the whole list at the end of a run, unless that was the last
// thing shown and nothing is open. A run that did not touch a list of an
// earlier run shows what is open.
func (p *text) left(open []todo.Item) {
	if p.list.shown == nil && !p.list.changed {
		p.list.change(open)
	}
	total, done := len(p.list.items), p.list.done()
	if total == 0 || len(open) == 0 && p.list.whole && !p.list.changed {
		return
	}
	title := fmt.Sprintf("todo list · %d of %d done", done, total)
	if done < total {
		title += fmt.Sprintf(", %d left open", total-done)
	}
	p.rule(title)
	p.items(true)
}

// items shows the items that are new or changed, or all, then those removed.
func (p *text) items(all bool) {
	c, before := &p.list, p.list.shown
	all = all || before == nil
	c.shown, c.whole, c.changed = map[int]todo.Item{}, true, false
	for _, item := range c.items {
		old, known := before[item.ID]
		delete(before, item.ID)
		c.shown[item.ID] = item
		if known && old == item && !all {
			c.whole = false
			continue
		}
		box, st := "[ ]", plain
		if item.IsComplete {
			box, st = "[x]", faint
		}
		line := fmt.Sprintf("%s %d %s", box, item.ID, item.Title)
		if item.Reason != "" {
			line += " — " + item.Reason
		}
		p.print("  " + p.paint(st, printable.Line(line)) + "\n")
	}
	for _, id := range slices.Sorted(maps.Keys(before)) { // in list order: IDs only grow
		p.print("  " + p.paint(faint, printable.Line(fmt.Sprintf("[-] %d %s — removed", id, before[id].Title))) + "\n")
	}
}
