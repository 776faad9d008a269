// Package hook runs programs of the user's around tool calls: before a call
// they may deny it, change its arguments or answer in its place; after it they
// may change or withhold its result.
//
// What a hook does not say clearly, it does not allow: a program that cannot be
// started, fails, takes too long or answers something unreadable denies the
// call, or withholds the result. So does an answer that leaves open what is
// meant: null, a key given twice, a reason without a decision. One that prints
// nothing, or an empty object, has nothing against it. A hook that allows a call
// says nothing about whether a person would: hooks run outside of approvals, so
// that what a person is asked about is what the hooks have made of it.
package hook

import (
	"context"
	"encoding/json"

	"skills/internal/script"
)

// The events, as hooks see them.
const (
	before = "before"
	after  = "after"
)

// EventVariable is the environment variable that names the event.
const EventVariable = "SKILLS_HOOK_EVENT"

// schemaVersion is the version of the event.
const schemaVersion = 1

// Command is a hook's command line.
type Command struct {
	Text  string // as it was written
	Words []string
}

// Runner runs the programs; [script.Runner] is one.
type Runner interface {
	Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error)
}

// Options are the hooks of a run, each kind in its order.
type Options struct {
	Before, After []Command
	Runner        Runner
	Dir           string // the working directory, for the hooks to know
	RunID         string
}

// event is what a hook reads.
type event struct {
	Event         string          `json:"event"`
	SchemaVersion int             `json:"schema_version"`
	RunID         string          `json:"run_id"`
	Cwd           string          `json:"cwd"`
	Tool          string          `json:"tool"`
	CallID        string          `json:"call_id"`
	Arguments     json.RawMessage `json:"arguments"`
	Turn          int             `json:"turn"`
	Index         int             `json:"index"`
	Count         int             `json:"count"`
	Result        *result         `json:"result,omitempty"` // after the call
}

type result struct {
	OK        bool   `json:"ok"`
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
	ExitCode  *int   `json:"exit_code,omitempty"`
	TimedOut  *bool  `json:"timed_out,omitempty"`
}
