package agent

import (
	"fmt"
	"strings"

	"skills/internal/agent/model"
	"skills/internal/suggest"
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
		id := model.ValidText(calls[i].ID)
		for id == "" || ids[id] {
			n++
			id = fmt.Sprintf("call%05d", n)
		}
		ids[id] = true
		calls[i].ID = id
	}
}

// unknown is the answer to a call of an unknown tool.
func (r *run) unknown(name string) string {
	text := fmt.Sprintf("Requested function %q not found.", name)
	names := make([]string, len(r.prepared.tools))
	for i, tool := range r.prepared.tools {
		names[i] = tool.Name
	}
	if len(names) == 0 {
		return text + " There are no functions."
	}
	text += " Available: " + strings.Join(names, ", ") + "."
	if meant := suggest.Nearest(name, names); meant != "" && len(names) > 1 {
		text += fmt.Sprintf(" Did you mean %q?", meant)
	}
	return text
}
