package workspace

import (
	"context"
	"errors"
	"fmt"

	"skills/internal/agent"
)

// Recorder receives every command that is run and every change that is made. An error of
// Started keeps it from starting, and ends the run.
type Recorder interface {
	Started(ctx context.Context, call agent.ToolCall, action agent.Summary) error
	Ended(ctx context.Context, call agent.ToolCall, action agent.Summary, result agent.ToolResult, err error) error
	Left(ctx context.Context, call agent.ToolCall, action agent.Summary, names []string) error
}

// errNoRecord ends a run whose record failed.
var errNoRecord = errors.New("commands and changes that cannot be recorded are not made")

// recorded runs an action between its two records. The error of run is recorded; the result
// says it to the model.
func (t toolSet) recorded(ctx context.Context, inv *agent.Invocation, action agent.Summary, run func() (agent.ToolResult, error)) (agent.ToolResult, error) {
	recorder := t.opt.Recorder
	if recorder != nil {
		err := recorder.Started(ctx, inv.Call, action)
		if err != nil {
			inv.Stop(fmt.Errorf("%w: %w", errNoRecord, err))
			return agent.ErrorResult(errNoRecord.Error() + "."), context.Cause(ctx)
		}
	}
	result, err := run()
	if recorder != nil {
		failure := recorder.Ended(ctx, inv.Call, action, result, err)
		if failure != nil {
			inv.Stop(fmt.Errorf("recording the end of a %s: %w", action.Kind, failure))
		}
	}
	if err != nil {
		return result, context.Cause(ctx)
	}
	return result, nil
}
