package approve

import (
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

// The size of a form: its values are cut like those on a very large terminal.
const (
	formColumns = 2000
	formRows    = 60
)

// Choice is an answer that a form offers.
type Choice struct{ Name, Effect string }

// Form returns what the prompt at a terminal says, for a program that shows it elsewhere,
// and the answers, of which the first is yes. remember offers the answer that holds for the
// rest of the session, where the action allows it.
func Form(req Request, remember bool) (text string, choices []Choice) {
	q := newApprovalPrompt(req, false, formColumns, formRows)
	text = strings.TrimSpace(q.text)
	if rest := len(req.Preview) - strings.Count(q.text, "\n  | "); rest > 0 {
		text += fmt.Sprintf("\n  | (%s more)", printable.Plural(rest, "line"))
	}
	verb := "run it"
	if req.Action.Kind == agent.KindEdit {
		verb = "make this change"
	}
	choices = append(choices, Choice{"yes", verb + " this once"})
	if remember && !req.Attended {
		choices = append(choices, Choice{"always", verb + ", now and later in this session"})
	}
	if len(req.Unseen) > 0 {
		choices = append(choices, Choice{"read", "run it, and let it read the files that it does not see"})
	}
	return text, append(choices, Choice{"no", "deny it; you may give a reason"})
}

// ParseChoice returns the answer for a choice of a form; ok is false for anything else.
func ParseChoice(name, reason string) (answer Answer, ok bool) {
	if name == "no" {
		return readAnswer("no " + reason)
	}
	for _, known := range []string{"yes", "always", "read"} {
		if name == known {
			return readAnswer(name)
		}
	}
	return Answer{}, false
}
