package run

import (
	"testing"

	"skills/internal/agent"
)

func TestAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"Which unit do you want?":                             true,
		"I found two files.\n\n**Which one shall I change?**": true,
		"I need the date. When do you travel? ":               true,
		"Done. Shall I delete the old file, too?":             true,
		"您想要哪个单位？":                                            true,
		"完成了。您想要哪个单位？":                                        true,
		"1 kg is 2.2 lb.":                                     false,
		"Did it work? Yes, it did.":                           false,
		"Done. Is there anything else I can help you with?":   false,
		"Fertig. Kann ich sonst noch etwas tun?":              false,
		"完成了。还有其他问题吗？":                                        false,
		"Run it:\n```sh\ncurl 'http://x/?q=what?'\n```":       false,
		"":  false,
		"?": false,
		"Which one?\n\n1. the first\n2. the second":            false,
		"Done. Can I help with any other file? Which is next?": true,
	} {
		if got := asks(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestReason(t *testing.T) {
	for want, r := range map[string]agent.Result{
		"completed":   {Status: agent.Completed, Text: "done"},
		"needs_input": {Status: agent.Completed, Text: "Which one?"},
		"stopped":     {Status: agent.Completed, Text: "Which one?", Stopped: "a hook"},
		"turns":       {Status: agent.LimitHit, Limit: agent.LimitTurns, Text: "Which one?"},
		"calls":       {Status: agent.LimitHit, Limit: agent.LimitToolCalls},
		"cost":        {Status: agent.LimitHit, Limit: agent.LimitCost},
		"failed":      {Status: agent.Failed, Text: "Which one?"},
		"interrupted": {Status: agent.Interrupted},
	} {
		if got := (Ended{Outcome: Outcome{Result: r}}).reason(); got != want {
			t.Errorf("%s: got %s", want, got)
		}
	}
}
