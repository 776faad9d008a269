package approve

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"skills/internal/agent"
)

// After "always", the user chooses what is approved from now on, and for how long. Enter is
// the program for this run. What leaves no choice is not asked.

// choice is a scope that an action offers, and what it is called.
type choice struct {
	scope Scope
	text  string
}

// scopesOf returns the scopes that an action offers; the default one has the scope of the
// program.
func scopesOf(s agent.Summary) []choice {
	this := choice{ScopeProgram, "this " + kindOf(s).name}
	switch s.Kind {
	case agent.KindScript, agent.KindTool:
		all := choice{ScopeOwner, "everything of this " + kindOf(s).owner}
		return []choice{{ScopeArguments, this.text + " with these arguments"}, this, all}
	case agent.KindSkill, agent.KindResource:
		return []choice{this, {ScopeOwner, "everything of this skill, also scripts"}}
	}
	return []choice{this}
}

const (
	scopeKeys   = "123qQ"
	periodKeys  = "rRsSqQ"
	periodText  = "For this [r]un or this [s]ession? "
	maxAttempts = 3
)

// scope asks what an answer approves from now on. back is true if the user wants to answer
// again.
func (c *console) scope(ctx context.Context, q approvalPrompt, answer Answer) (chosen Answer, back bool, err error) {
	choices := scopesOf(q.req.Action)
	if len(choices) > 1 {
		text, usual := "Approve from now on:\n", ""
		for i, choice := range choices {
			text += fmt.Sprintf("  %d  %s\n", i+1, choice.text)
			if choice.scope == ScopeProgram {
				usual = strconv.Itoa(i + 1)
			}
		}
		text += fmt.Sprintf("Which? (Enter: %s, q: back) ", usual)
		number, back, err := c.pick(ctx, text, scopeKeys, usual)
		if err != nil || back {
			return Answer{Reason: userDenied}, back && err == nil, err
		}
		i, _ := strconv.Atoi(number)
		if i < 1 || i > len(choices) {
			return Answer{}, true, nil
		}
		answer.Scope = choices[i-1].scope
	}
	if !q.req.Session {
		return answer, false, nil
	}
	period, back, err := c.pick(ctx, periodText, periodKeys, "r")
	answer.Session = period == "s"
	return answer, back, err
}

// pick reads one of keys; Enter is the usual one. back is true for q and at the end of the
// input.
func (c *console) pick(ctx context.Context, text, keys, usual string) (key string, back bool, err error) {
	for range maxAttempts {
		line, err := c.line(ctx, text, keys, func() string { return text })
		if err != nil {
			return "", false, err
		}
		key = strings.ToLower(strings.TrimSpace(line.text))
		switch {
		case key == "q" || line.err != nil:
			return "", true, nil
		case key == "":
			return usual, false, nil
		case len(key) == 1 && strings.Contains(keys, key):
			return key, false, nil
		}
	}
	return "", true, nil
}
