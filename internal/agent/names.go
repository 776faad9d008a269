package agent

import (
	"fmt"
	"strings"
)

// callIDs are the ids of a conversation's calls.
type callIDs map[string]bool

// see notes the ids of messages.
func (ids callIDs) see(messages []Message) {
	for _, m := range messages {
		for _, call := range m.Calls {
			ids[call.ID] = true
		}
	}
}

// fix gives every call an id of its own: servers that leave ids out, or use
// one twice, would otherwise get results that nobody can tell apart. Made-up
// ids are nine letters and digits, the form that the strictest servers ask for.
func (ids callIDs) fix(calls []ToolCall) {
	n := len(ids)
	for i := range calls {
		id := validText(calls[i].ID)
		for id == "" || ids[id] {
			n++
			id = fmt.Sprintf("call%05d", n)
		}
		ids[id] = true
		calls[i].ID = id
	}
}

// unknown answers a call of a tool that is not there.
func (r *run) unknown(name string) ToolResult {
	text := fmt.Sprintf("Requested function %q not found.", name)
	names := make([]string, len(r.prepared.tools))
	for i, tool := range r.prepared.tools {
		names[i] = tool.Name
	}
	if len(names) == 0 {
		return Refuse(text + " There are no functions.")
	}
	text += " Available: " + strings.Join(names, ", ") + "."
	if near := nearest(name, names); near != "" {
		text += fmt.Sprintf(" Did you mean %q?", near)
	}
	return Refuse(text)
}

// fold makes spellings of a name equal that differ in case, hyphens or
// underscores.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// nearest returns the name that was probably meant, "" where none is close:
// at most a third of the characters may differ.
func nearest(name string, names []string) string {
	want := []rune(fold(name))
	if len(want) > 64 {
		return ""
	}
	best, found := (max(len(want), 3)+2)/3+1, ""
	for _, candidate := range names {
		if d := distance(want, []rune(fold(candidate))); d < best {
			best, found = d, candidate
		}
	}
	return found
}

// distance is the number of insertions, deletions and exchanges between two
// words.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		previous := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := previous
			if x != y {
				cost = 1 + min(previous, row[j], row[j+1])
			}
			previous, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
