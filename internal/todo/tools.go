package todo

// The five tools of the todo list, with the names, schemas and results of the framework.
// Invalid input changes nothing; IDs that do not exist are reported in the result.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/prompt"
)

func (p *Provider) tools() []agent.Tool {
	tools := []agent.Tool{
		tool("todos_add", addSchema, p.add),
		tool("todos_complete", completeSchema, p.complete),
		tool("todos_remove", removeSchema, p.remove),
		tool("todos_get_remaining", noSchema, show(Remaining)),
		tool("todos_get_all", noSchema, show(Items)),
	}
	for i, choices := range []func([]Item) []agent.Choice{nil, completeChoices, removeChoices, p.showChoices, p.showChoices} {
		if choices == nil {
			continue
		}
		tools[i].Choices = func(_ context.Context, session *agent.Session, _ []agent.Message) []agent.Choice {
			items, err := Items(session)
			if err != nil || len(items) == 0 {
				return []agent.Choice{}
			}
			return choices(items)
		}
	}
	return tools
}

// completeChoices returns the arguments for items that are open.
func completeChoices(items []Item) []agent.Choice {
	open := idsOf(slices.DeleteFunc(slices.Clone(items), func(item Item) bool { return item.IsComplete }))
	if len(open) == 0 {
		return []agent.Choice{}
	}
	item := map[string]any{
		"type": "object", "required": []string{"id", "reason"}, "additionalProperties": false,
		"properties": map[string]any{"id": map[string]any{"type": "integer", "enum": open}, "reason": map[string]any{"type": "string"}},
	}
	return []agent.Choice{{{Name: "items", Schema: map[string]any{"type": "array", "items": item}, Required: true}}}
}

// removeChoices returns the arguments for all items.
func removeChoices(items []Item) []agent.Choice {
	id := map[string]any{"type": "integer", "enum": idsOf(items)}
	return []agent.Choice{{{Name: "ids", Schema: map[string]any{"type": "array", "items": id}, Required: true}}}
}

// showChoices allows the tools that show the list only if requests do not show it.
func (p *Provider) showChoices([]Item) []agent.Choice {
	if p.opt.SuppressList {
		return nil
	}
	return []agent.Choice{}
}

func idsOf(items []Item) (out []int) {
	for _, item := range items {
		out = append(out, item.ID)
	}
	return out
}

func tool[In any](name, schema string, call func(context.Context, *agent.Invocation, In) (agent.ToolResult, error)) agent.Tool {
	prepare := func(_ context.Context, inv *agent.Invocation, in In) (agent.Action, error) {
		summary := agent.Summary{Kind: agent.KindTodo, Arguments: inv.Arguments} // without a line: the list shows it
		return agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) { return call(ctx, inv, in) }), nil
	}
	t := agent.NewTool(name, prompt.ToolDescription(name), agent.ParseSchema(schema), prepare)
	t.Ordered = true // IDs follow the order of the calls
	return t
}

// add adds all items, or none.
func (p *Provider) add(_ context.Context, inv *agent.Invocation, in addInput) (agent.ToolResult, error) {
	if len(in.Todos) == 0 {
		return agent.ErrorResult("todos must contain at least one item."), nil
	}
	for i := range in.Todos {
		t, item := &in.Todos[i], fmt.Sprintf("of item %d of %d", i+1, len(in.Todos))
		fault := cmp.Or(trim(&t.Title, "the title "+item, maxTitle, true), trim(&t.Description, "the description "+item, maxDescription, false))
		if fault != "" {
			return agent.ErrorResult(fault + " Nothing was added."), nil
		}
	}
	created, full := []Item{}, ""
	err := p.change(inv, func(l *list) bool {
		if len(l.Items)+len(in.Todos) > maxItems || l.NextID+len(in.Todos) > maxID {
			full = fmt.Sprintf("the list has %d items and can hold %d. Nothing was added. Remove what is not needed any more.", len(l.Items), maxItems)
			return false
		}
		for _, t := range in.Todos {
			created = append(created, Item{ID: l.NextID, Title: t.Title, Description: t.Description})
			l.NextID++
		}
		l.Items = append(l.Items, created...)
		return true
	})
	switch {
	case err != nil:
		return agent.ToolResult{}, err
	case full != "":
		return agent.ErrorResult(full), nil
	}
	return rows(created), nil
}

// complete marks the items as completed, unless a reason is missing.
func (p *Provider) complete(_ context.Context, inv *agent.Invocation, in completeInput) (agent.ToolResult, error) {
	if len(in.Items) == 0 {
		return agent.ErrorResult("items must contain at least one entry."), nil
	}
	for i := range in.Items {
		entry := &in.Items[i]
		reason := fmt.Sprintf("the reason of entry %d of %d (ID %d)", i+1, len(in.Items), entry.ID)
		if fault := trim(&entry.Reason, reason, maxReason, true); fault != "" {
			return agent.ErrorResult(fault + " Nothing was completed."), nil
		}
	}
	var completed, unknown, done []int
	err := p.change(inv, func(l *list) bool {
		for _, entry := range in.Items {
			switch item := l.find(entry.ID); {
			case slices.Contains(slices.Concat(completed, unknown, done), entry.ID):
			case item == nil:
				unknown = append(unknown, entry.ID)
			case item.IsComplete:
				done = append(done, entry.ID)
			default:
				item.IsComplete, item.Reason = true, entry.Reason
				completed = append(completed, entry.ID)
			}
		}
		return len(completed) > 0
	})
	return counted(len(completed), unknown, done), err
}

func (p *Provider) remove(_ context.Context, inv *agent.Invocation, in removeInput) (agent.ToolResult, error) {
	if len(in.IDs) == 0 {
		return agent.ErrorResult("ids must contain at least one todo ID."), nil
	}
	var removed, unknown []int
	err := p.change(inv, func(l *list) bool {
		for _, id := range in.IDs {
			switch {
			case slices.Contains(slices.Concat(removed, unknown), id):
			case l.find(id) == nil:
				unknown = append(unknown, id)
			default:
				l.Items = slices.DeleteFunc(l.Items, func(item Item) bool { return item.ID == id })
				removed = append(removed, id)
			}
		}
		return len(removed) > 0
	})
	return counted(len(removed), unknown, nil), err
}

// trim trims a text from the model and describes what is wrong with it.
func trim(text *string, what string, most int, required bool) (fault string) {
	*text = strings.TrimSpace(*text)
	switch n := utf8.RuneCountInString(*text); {
	case n == 0 && required:
		return what + " is blank."
	case n > most:
		return fmt.Sprintf("%s is %d characters long, and at most %d are kept.", what, n, most)
	}
	return ""
}

func show(items func(*agent.Session) ([]Item, error)) func(context.Context, *agent.Invocation, noInput) (agent.ToolResult, error) {
	return func(_ context.Context, inv *agent.Invocation, _ noInput) (agent.ToolResult, error) {
		found, err := items(inv.Session)
		if err != nil {
			return agent.ToolResult{}, err
		}
		return rows(found), nil
	}
}

// change calls do with the session's list and emits an event if do reports a change.
func (p *Provider) change(inv *agent.Invocation, do func(*list) bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var changed bool
	items := []Item{}
	err := state().Update(inv.Session, func(l *list) error {
		changed = do(l)
		items = append(items, l.Items...)
		return nil
	})
	if changed {
		inv.Emit(Event{Items: items})
	}
	return err
}

// counted is a number alone, as the framework's; below a 0 is the reason.
func counted(count int, unknown, done []int) agent.ToolResult {
	text := fmt.Sprint(count)
	if count == 0 && len(done) > 0 {
		text += "\nAlready complete: " + ids(done) + "."
	}
	if count == 0 && len(unknown) > 0 {
		text += "\nNot in the list: " + ids(unknown) + "."
	}
	return agent.ToolResult{Text: text}
}

func ids(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// rows returns a JSON array of items with the framework's four keys.
func rows(items []Item) agent.ToolResult {
	for i := range items {
		items[i].Reason = ""
	}
	return agent.ToolResult{Text: printable.JSONText(items)}
}

type noInput struct{}

type addInput struct {
	Todos []struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"todos"`
}

type completeInput struct {
	Items []struct {
		ID     int    `json:"id"`
		Reason string `json:"reason"`
	} `json:"items"`
}

type removeInput struct {
	IDs []int `json:"ids"`
}

// The schemas are the framework's, with the required fields of items marked, and with one
// type for each parameter: a description may still be null.
const (
	noSchema  = `{"type": "object", "properties": {}}`
	addSchema = `{"type": "object", "required": ["todos"], "properties": {"todos": {"type": "array", "description": "The items to add.", "items": {
		"type": "object", "required": ["title"], "properties": {
			"title": {"type": "string", "description": "What is to be done."},
			"description": {"type": "string", "description": "Details, if there are any."}}}}}}`
	completeSchema = `{"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "description": "The items to complete.", "items": {
		"type": "object", "required": ["id", "reason"], "properties": {
			"id": {"type": "integer", "description": "ID of the item."},
			"reason": {"type": "string", "description": "How or why it is done."}}}}}}`
	removeSchema = `{"type": "object", "required": ["ids"], "properties": {"ids": {
		"type": "array", "description": "IDs of the items to remove.", "items": {"type": "integer"}}}}`
)
