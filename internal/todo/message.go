package todo

import (
	"context"
	"fmt"
	"strings"

	"skills/internal/agent"
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
		fmt.Fprintf(&b, "\n- %d [%s] %s", item.ID, status, oneLine(item, ": "))
	}
	return b.String()
}

// oneLine is the text of an item on one line.
func oneLine(item Item, separator string) string {
	text := item.Title
	if strings.TrimSpace(item.Description) != "" {
		text += separator + item.Description
	}
	return strings.Join(strings.Fields(text), " ")
}

// goOn is the message to a model that stops with open items (the framework's
// evaluator of todo lists says the same in other words); the items follow.
const goOn = "Items of your todo list are still open. Go on until all of them are done, and mark each with todos_complete as you finish it; " +
	"take off with todos_remove what is not needed any more. Still open:"

// CompletionCheck asks a model that stops with open items to go on with them, at most
// limit times in a run. What is open after that stays so: it is for the person
// to judge, and no failure. A limit below 1 never asks.
func CompletionCheck(limit int) agent.CompletionCheck {
	return func(_ context.Context, f agent.Completion) (string, error) {
		if f.Rounds >= limit {
			return "", nil
		}
		left, err := Remaining(f.Session)
		if err != nil || len(left) == 0 {
			return "", err
		}
		text := goOn
		for _, item := range left { // one a line, whatever is in their texts
			text += fmt.Sprintf("\n- %d: %s", item.ID, oneLine(item, " — "))
		}
		return text, nil
	}
}
