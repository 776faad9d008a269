package transcript

import (
	"fmt"
	"maps"
	"slices"

	"skills/internal/printable"
	"skills/internal/terminal"
	"skills/internal/todo"
)

// checklist shows the todo list: first completely, then only the changes.
type checklist struct {
	items   []todo.Item
	changed bool              // whether there is something to show
	shown   map[int]todo.Item // nil before the first time
}

// changes shows changes of the list, below the call that made them.
func (p *text) changes() {
	c := &p.list
	if !c.changed {
		return
	}
	done, before := 0, c.shown
	c.shown, c.changed = map[int]todo.Item{}, false
	for _, item := range c.items {
		old, known := before[item.ID]
		delete(before, item.ID)
		c.shown[item.ID] = item
		box, st := "[ ]", terminal.Plain
		if item.IsComplete {
			done++
			box, st = "[x]", terminal.Faint
		}
		if known && old == item {
			continue
		}
		line := fmt.Sprintf("%s %d %s", box, item.ID, item.Title)
		if item.Reason != "" {
			line += " — " + item.Reason
		}
		p.item(st, line)
	}
	for _, id := range slices.Sorted(maps.Keys(before)) { // in list order, because IDs only grow
		p.item(terminal.Faint, fmt.Sprintf("[-] %d %s — removed", id, before[id].Title))
	}
	if n := len(c.items); n == 0 {
		p.item(terminal.Faint, "the list is empty")
	} else {
		p.item(terminal.Faint, fmt.Sprintf("%d of %d done", done, n))
	}
}

func (p *text) item(st terminal.Style, line string) {
	c := p.column()
	c.Hang = len("[ ] ")
	p.print(p.paint(st, c.Fold(printable.Line(line), true)) + "\n")
}
