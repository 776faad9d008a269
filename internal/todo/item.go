package todo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"skills/internal/printable"
)

// Limits that keep a list presentable: it is sent with every request. Those of
// texts are in characters.
const (
	maxItems       = 500
	maxID          = 1 << 31
	maxTitle       = 500
	maxDescription = 2000
	maxReason      = 2000
)

// Item is one entry of the list, as sessions and events have it. The framework's
// items have no reason.
type Item struct {
	ID          int    `json:"id"` // from 1, never used twice in a session
	Title       string `json:"title"`
	Description string `json:"description"` // "" for none, which is null in JSON
	IsComplete  bool   `json:"isComplete"`
	Reason      string `json:"reason,omitempty"` // how it was done, as the model put it; "" while it is open
}

// MarshalJSON returns {id, title, description, isComplete} and, where there is
// one, the reason.
func (i Item) MarshalJSON() ([]byte, error) {
	var description *string
	if i.Description != "" {
		description = &i.Description
	}
	// What escapes angle brackets is the outer encoder, if it does.
	return printable.JSON(struct {
		ID          int     `json:"id"`
		Title       string  `json:"title"`
		Description *string `json:"description"`
		IsComplete  bool    `json:"isComplete"`
		Reason      string  `json:"reason,omitempty"`
	}{i.ID, i.Title, description, i.IsComplete, i.Reason})
}

type list struct {
	Items  []Item `json:"items"`
	NextID int    `json:"nextId"`
}

func newList() list { return list{Items: []Item{}, NextID: 1} }

// UnmarshalJSON reads a saved list. It refuses one that the tools could not
// have made, and moves the next ID past every ID there is.
func (l *list) UnmarshalJSON(raw []byte) error {
	type plain list // without this method
	var in plain
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // a misspelled field would be lost
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
	in.NextID = max(in.NextID, 1)
	if in.Items == nil {
		in.Items = []Item{}
	}
	*l = list(in)
	return nil
}

func (l *list) add(title, description string) Item {
	item := Item{ID: l.NextID, Title: title, Description: description}
	l.NextID++
	l.Items = append(l.Items, item)
	return item
}

func (l *list) find(id int) *Item {
	i := slices.IndexFunc(l.Items, func(item Item) bool { return item.ID == id })
	if i < 0 {
		return nil
	}
	return &l.Items[i]
}
