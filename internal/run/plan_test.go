package run

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"skills/internal/agent"
	"skills/internal/approve"
)

// TestPlanDecisions checks the event and the next message of each decision on a plan.
func TestPlanDecisions(t *testing.T) {
	failed := errors.New("no terminal")
	for name, tt := range map[string]struct {
		answer approve.PlanAnswer
		err    error
		want   []agent.Event
		text   string
	}{
		"yes":    {approve.PlanAnswer{Approved: true, Text: "1. Go.\n"}, nil, []agent.Event{agent.PlanEvent{Decision: "approved"}}, planApproved},
		"edited": {approve.PlanAnswer{Approved: true, Text: "2. Stop."}, nil, []agent.Event{agent.PlanEvent{Decision: "changed", Plan: "2. Stop."}}, planChanged + "2. Stop."},
		"no":     {approve.PlanAnswer{Reason: "shorter"}, nil, []agent.Event{agent.PlanEvent{Decision: "rejected", Reason: "shorter"}}, planAgain + "shorter\nAnswer with another plan."},
		"end":    {approve.PlanAnswer{}, nil, []agent.Event{agent.PlanEvent{Decision: "ended"}}, ""},
		"error":  {approve.PlanAnswer{}, failed, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &plan{active: true, confirm: func(context.Context, string) (approve.PlanAnswer, error) { return tt.answer, tt.err }}
			var events []agent.Event
			text, err := p.check(t.Context(), agent.Completion{Text: "1. Go.", Emit: func(e agent.Event) { events = append(events, e) }})
			if text != tt.text || !errors.Is(err, tt.err) || !reflect.DeepEqual(events, tt.want) {
				t.Errorf("got %q, %v, events %+v", text, err, events)
			}
			if p.active == tt.answer.Approved {
				t.Errorf("the plan is active: %v", p.active)
			}
		})
	}
}
