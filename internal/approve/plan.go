package approve

// A person reads a plan before the work begins: yes, no with what to change, or the plan in
// an editor. Only a clear yes begins the work.

import (
	"context"
	"errors"
	"os"
	"strings"

	"skills/internal/printable"
	"skills/internal/script"
)

// PlanAnswer is the decision on a plan.
type PlanAnswer struct {
	Approved bool
	Text     string // the plan, possibly changed
	Reason   string // what to change; "" for an end without it
}

const (
	planKeys     = "yYeE?"
	planQuestion = "Carry out this plan?"
	changedPlan  = "Carry out the changed plan?"
	planChoices  = " [y]es  [e]dit  [n]o  (n REASON asks for another): "
	fewChoices   = "\n[y]es [e]dit [n]o " // for a narrow terminal
	planHelp     = "  y  carry it out; what needs approval is asked as usual\n  e  change it in $VISUAL or $EDITOR\n" +
		"  n  end here; with a reason the model makes another plan\n"
	maxPlan = 1 << 20
)

// Planner returns the function that shows a plan and asks, or nil if no user can answer.
// env looks up variables of the environment.
func (t Terminal) Planner(env func(string) string) func(ctx context.Context, plan string) (PlanAnswer, error) {
	if !t.present() {
		return nil
	}
	return func(ctx context.Context, plan string) (PlanAnswer, error) {
		c, done := t.open()
		defer done()
		return c.plan(ctx, plan, func(text string) (string, error) { return c.edit(ctx, env, text) })
	}
}

// plan asks until there is an answer; edit changes the plan.
func (c *console) plan(ctx context.Context, plan string, edit func(string) (string, error)) (PlanAnswer, error) {
	choices := planChoices
	if columns, _ := c.size(); columns < len(changedPlan+planChoices)+2 {
		choices = fewChoices
	}
	question, text := planQuestion+choices, plan
	shown := "\n" + question
	for range 10 {
		line, err := c.line(ctx, shown, planKeys, func() string { return question })
		if err != nil {
			return PlanAnswer{}, err
		}
		word := strings.ToLower(strings.TrimSpace(line.text))
		answer, ok := readAnswer(line.text)
		switch {
		case word == "y" || word == "yes":
			return PlanAnswer{Approved: true, Text: text}, nil
		case word == "e" || word == "edit":
			changed, err := edit(text)
			switch {
			case err != nil:
				shown = "The editor failed: " + printable.Line(err.Error()) + "\n" + question
			case strings.TrimSpace(changed) == "":
				shown = "The plan is empty now; it is unchanged.\n" + question
			case strings.TrimSpace(changed) == strings.TrimSpace(text):
				shown = question
			default:
				text, question = changed, changedPlan+choices
				shown = question
			}
		case ok && !answer.Approved:
			reason, _ := strings.CutPrefix(answer.Reason, userDenied)
			return PlanAnswer{Reason: strings.TrimPrefix(reason, ": ")}, nil
		case line.err != nil:
			return PlanAnswer{}, nil
		case word == "?":
			shown = planHelp + question
		default:
			shown = "Please answer y, e or n.\n" + question
		}
	}
	return PlanAnswer{}, nil
}

// edit opens a text in the user's editor, at the terminal.
func (c *console) edit(ctx context.Context, env func(string) string, text string) (string, error) {
	if c.tty == nil {
		return "", errors.New("there is no terminal for it")
	}
	file, err := os.CreateTemp("", "plan-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(text + "\n")
	err = errors.Join(err, file.Close())
	if err != nil {
		return "", err
	}
	err = script.Edit(ctx, env, c.tty, file.Name())
	if err != nil {
		return "", err
	}
	changed, err := os.ReadFile(file.Name())
	if len(changed) > maxPlan {
		return "", errors.New("the plan is too large")
	}
	return strings.ToValidUTF8(string(changed), "\ufffd"), err
}
