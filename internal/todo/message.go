package todo

import (
	"fmt"
	"strings"
)

// ListMessage is the list as the model is shown it (framework document on the
// todo provider): a heading, then "- none yet", or a line such as
// "- 1 [open] title: description" for each item. White space within titles and
// descriptions is collapsed, so that none of them can pass for a further line.
func ListMessage(items []Item) string {
	const heading = "### Current todo list"
	if len(items) == 0 {
		return heading + "\n- none yet"
	}
	var b strings.Builder
	b.WriteString(heading)
	for _, item := range items {
		status := "open"
		if item.IsComplete {
			status = "done"
		}
		fmt.Fprintf(&b, "\n- %d [%s] %s", item.ID, status, oneLine(item.Title))
		if description := oneLine(item.Description); description != "" {
			b.WriteString(": " + description)
		}
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
