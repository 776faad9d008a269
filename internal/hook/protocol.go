package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// schemaVersion is the version of the event.
const schemaVersion = 1

// maxReason is how many characters of a hook's text reach the model.
const maxReason = 4 << 10

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

func newResult(r agent.ToolResult) *result {
	out := &result{OK: !r.Failed, Output: r.Text, Truncated: r.Truncated}
	if r.Process != nil {
		out.ExitCode, out.TimedOut = &r.Process.ExitCode, &r.Process.TimedOut
	}
	return out
}

// encode writes a value as one line of JSON, its text as it is.
func encode(value any) ([]byte, error) {
	line, err := printable.JSON(value)
	if err != nil {
		return nil, fmt.Errorf("encoding it: %w", err)
	}
	return append(line, '\n'), nil
}

// verdict is what a hook says.
type verdict struct {
	denied    bool
	reason    string
	arguments map[string]json.RawMessage // nil for those there are
	result    *string                    // nil for the one there is
}

// read makes a verdict of what a program did. An error is a failure of the
// hook, which counts as no.
func read(kind string, r script.Result) (verdict, error) {
	switch {
	case r.TimedOut:
		return verdict{}, fmt.Errorf("it did not end within %s", r.Limit)
	case r.Interrupted:
		return verdict{}, errors.New("the run was stopped")
	case r.Signal != "":
		return verdict{}, fmt.Errorf("it was ended by %s", r.Signal)
	case r.ExitCode == 2:
		return verdict{denied: true, reason: brief(r.Stderr)}, nil
	case r.ExitCode != 0:
		why := fmt.Sprintf("it ended with exit code %d", r.ExitCode)
		if said := brief(r.Stderr); said != "" {
			why += ": " + said
		}
		return verdict{}, errors.New(why)
	case r.Truncated:
		return verdict{}, errors.New("it printed more than can be read")
	case strings.TrimSpace(r.Stdout) == "":
		return verdict{}, nil
	}
	said, err := parse(r.Stdout)
	if err != nil {
		return verdict{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	v, err := said.verdict(kind)
	if err != nil {
		return verdict{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return v, nil
}

// brief trims and bounds a text.
func brief(s string) string { return printable.Truncate(strings.TrimSpace(s), maxReason) }
