package approve

import (
	"context"
	"errors"
	"fmt"

	"skills/internal/agent"
)

// Recorder receives every decision before it takes effect. An error denies the call, and
// ends the run.
type Recorder interface {
	Decided(ctx context.Context, call agent.ToolCall, action agent.Summary, d agent.Decision) error
}

// Recorded returns an approver whose decisions a recorder receives.
func Recorded(approve agent.Approver, recorder Recorder) agent.Approver {
	return func(ctx context.Context, inv *agent.Invocation, a *agent.Approval) (agent.Decision, error) {
		d, err := approve(ctx, inv, a)
		recorded := d
		if err != nil { // the approval denies on error
			recorded = agent.Undecided(ctx, d, err)
		}
		failure := recorder.Decided(ctx, inv.Call, a.Action, recorded)
		if failure != nil {
			unrecorded := errors.New(kindOf(a.Action).plural + " that cannot be recorded are not run")
			inv.Stop(fmt.Errorf("%w: %w", unrecorded, failure))
			return d, unrecorded
		}
		return d, err
	}
}
