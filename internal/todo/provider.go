// Package todo is the todo list of a run: a context provider with five tools for the
// model to plan its work, and the current list at the end of every request.
//
// The list is kept in the session. Names of the tools and their parameters, the
// results and the form of the list message are those of the Microsoft Agent
// Framework's document on its todo provider ("the framework" in comments). Added
// are: titles and reasons may not be blank, texts have a maximum length, reasons are
// kept, and where no ID could be used, the text below the 0 is the reason.
package todo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/prompt"
)

// Name is the provider's name and the key of its state in a session.
const Name = "todo"

// Options changes what the model sees; the zero value is the framework's behaviour.
type Options struct {
	Instructions string // replaces the text about the list and its tools
	SuppressList bool   // never show the list
}

// Provider is the todo context provider, for any number of sessions.
type Provider struct {
	opt Options
	// mu is held from a change to the end of its event, so that events are in the order
	// of the changes.
	mu sync.Mutex
}

// New returns a todo provider.
func New(opt Options) *Provider { return &Provider{opt: opt} }

// Event reports a change of the list. It contains the whole list.
type Event struct {
	Items []Item `json:"items"`
}

// EventType returns "todo".
func (Event) EventType() string { return "todo" }

// Name returns "todo".
func (*Provider) Name() string { return Name }

// Invoking adds the instructions, the five tools, and the list at the end of every
// request. An unreadable saved list is an error, because a new one would silently
// overwrite it.
func (p *Provider) Invoking(_ context.Context, run *agent.Invoking) (agent.Context, error) {
	items, err := Items(run.Session)
	if err != nil {
		return agent.Context{}, err
	}
	add := agent.Context{Instructions: cmp.Or(p.opt.Instructions, prompt.Todo()), Tools: p.tools(), Optional: len(items) == 0 && isShort(run.Input)}
	if !p.opt.SuppressList {
		add.Ephemeral = ephemeral(run.Session)
	}
	return add, nil
}

// maxShort is how many characters a prompt has for which small models plan in place of
// working.
const maxShort = 400

// isShort reports whether a prompt is of a single paragraph.
func isShort(input []agent.Message) bool {
	text := ""
	for _, m := range input {
		text += m.Text
	}
	text = strings.TrimSpace(text)
	return utf8.RuneCountInString(text) <= maxShort && !strings.Contains(text, "\n")
}

// Invoked does nothing, because every change is already in the session.
func (*Provider) Invoked(context.Context, *agent.Invoked) error { return nil }

// ephemeral returns the function that shows the current list, once it has had an item:
// before, it would only cost tokens and caches.
func ephemeral(session *agent.Session) func(context.Context) ([]agent.Message, error) {
	return func(context.Context) ([]agent.Message, error) {
		used := false
		err := state().View(session, func(l list) { used = l.NextID > 1 })
		items, itemsErr := Items(session)
		err = cmp.Or(err, itemsErr)
		if err != nil || !used {
			return nil, err
		}
		return []agent.Message{{Role: agent.User, Source: agent.FromContext, Provider: Name, Text: listMessage(items)}}, nil
	}
}

// Items returns a copy of the session's list, never nil, in the order of creation. It
// returns an error for an unreadable saved list.
func Items(session *agent.Session) ([]Item, error) {
	items := []Item{}
	err := state().View(session, func(l list) { items = append(items, l.Items...) })
	return items, err
}

// Remaining returns a copy of the incomplete items.
func Remaining(session *agent.Session) ([]Item, error) {
	items, err := Items(session)
	return slices.DeleteFunc(items, func(item Item) bool { return item.IsComplete }), err
}

func state() *agent.State[list] {
	return agent.NewState(Name, func() list { return list{Items: []Item{}, NextID: 1} })
}

// listMessage returns the list in the form shown to the model (framework document on
// the todo provider): a heading, then "- none yet", or a line such as "- 1 [open]
// title: description" for each item. White space within titles and descriptions is
// collapsed, so that none of them can look like another line.
func listMessage(items []Item) string {
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

func oneLine(item Item, separator string) string {
	text := item.Title
	if strings.TrimSpace(item.Description) != "" {
		text += separator + item.Description
	}
	return strings.Join(strings.Fields(text), " ")
}

// goOn is the message to a model that stops with open items, which follow it (the
// framework's evaluator of todo lists has another wording).
const goOn = "Items of your todo list are still open. Go on until all of them are done, and mark each with todos_complete as you finish it; " +
	"take off with todos_remove what is not needed any more. Still open:"

// CompletionCheck returns a check that asks a model to continue if it stops with open
// items, at most limit times per run. Items that are still open after that are for the
// user to judge, and not an error. A limit below 1 disables the check.
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
		for _, item := range left { // one per line, regardless of their texts
			text += fmt.Sprintf("\n- %d: %s", item.ID, oneLine(item, " — "))
		}
		return text, nil
	}
}

// Limits that keep the list small, because it is part of every request. Those of texts
// are in characters.
const (
	maxItems       = 500
	maxID          = 1 << 31
	maxTitle       = 500
	maxDescription = 2000
	maxReason      = 2000
)

// Item is an item of the list; the framework's items have no reason.
type Item struct {
	ID          int    `json:"id"` // from 1, unique within a session
	Title       string `json:"title"`
	Description string `json:"description"` // "" means null in JSON
	IsComplete  bool   `json:"isComplete"`
	Reason      string `json:"reason,omitempty"` // how it was completed, in the model's words; or ""
}

// MarshalJSON returns {id, title, description, isComplete} and the reason, if any.
func (i Item) MarshalJSON() ([]byte, error) {
	var description *string
	if i.Description != "" {
		description = &i.Description
	}
	// The outer encoder may escape angle brackets.
	return printable.JSON(struct {
		ID          int     `json:"id"`
		Title       string  `json:"title"`
		Description *string `json:"description"`
		IsComplete  bool    `json:"isComplete"`
		Reason      string  `json:"reason,omitempty"`
	}{ID: i.ID, Title: i.Title, Description: description, IsComplete: i.IsComplete, Reason: i.Reason})
}

type list struct {
	Items  []Item `json:"items"`
	NextID int    `json:"nextId"`
}

// UnmarshalJSON decodes a saved list. It rejects lists that the tools could not have
// created, and sets the next ID after the highest one.
func (l *list) UnmarshalJSON(raw []byte) error {
	type plain list // without this method
	var in plain
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // unknown fields would be lost
	if err := d.Decode(&in); err != nil {
		return err
	}
	if len(in.Items) > maxItems {
		return fmt.Errorf("%d items are more than %d", len(in.Items), maxItems)
	}
	seen, runes := map[int]bool{}, utf8.RuneCountInString
	for _, item := range in.Items {
		switch {
		case item.ID < 1 || item.ID > maxID:
			return fmt.Errorf("no item can have the ID %d", item.ID)
		case seen[item.ID]:
			return fmt.Errorf("two items have the ID %d", item.ID)
		case runes(item.Title) > maxTitle || runes(item.Description) > maxDescription || runes(item.Reason) > maxReason:
			return fmt.Errorf("a text of item %d is too long", item.ID)
		}
		seen[item.ID] = true
		in.NextID = max(in.NextID, item.ID+1)
	}
	if in.NextID > maxID+1 {
		return errors.New("the next ID is out of range")
	}
	*l = list{Items: append([]Item{}, in.Items...), NextID: max(in.NextID, 1)}
	return nil
}

func (l *list) find(id int) *Item {
	i := slices.IndexFunc(l.Items, func(item Item) bool { return item.ID == id })
	if i < 0 {
		return nil
	}
	return &l.Items[i]
}
