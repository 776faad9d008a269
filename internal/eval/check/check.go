// Package check grades a run by the checks that need no judge.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"skills/internal/eval/store"
	"skills/internal/eval/suite"
)

// Evidence is what a run left.
type Evidence struct {
	Skill   string       // the name of the skill under test
	Answer  string       // the text of the final answer
	Dir     string       // the folder of outputs
	Inputs  []suite.File // what the run started with
	Trace   []Event
	Arm     string // suite.With or suite.Without
	Turns   int
	Calls   int
	Tokens  *int64 // nil if the server reported none
	Seconds float64
	// Command runs a program, confined, in the run's folder; nil if programs may not run.
	Command func(ctx context.Context, argv []string, timeout time.Duration) (stdout string, exit int, err error)
}

// Event is a tool call with its result, or a change of the todo list, in a run's
// transcript.
type Event struct {
	Tool      string          // name of the tool, "" for a todo list
	Arguments json.RawMessage // as the model wrote them
	Output    string
	OK        bool
	ExitCode  *int // of a script that is a file
	Turn      int

	Skills   []string // skills loaded up to the end, of the last event only
	TodoOpen int      // items of a todo list that are not complete
	TodoAll  int      // items of a todo list
}

// ReadTrace reads the events of a transcript.jsonl, as `run --format jsonl -v` writes it.
func ReadTrace(path string) ([]Event, error) { return nil, errors.New("not implemented") }

// Grade decides a check of any type but judge. A check that cannot be decided, such as a
// command that does not start, has an Error.
func Grade(ctx context.Context, c suite.Check, e Evidence) store.Outcome {
	return store.Outcome{Error: "not implemented"}
}
