package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"skills/internal/agent"
	"skills/internal/todo"
)

const maxEvent = 64 << 20 // bytes of one event

// ReadJSONL reads what [JSONL] wrote. It calls each for every event that a printer also
// gets, in order, and returns the result. Without a result the run was not finished, which
// is an error, as is a line that is not an event.
func ReadJSONL(r io.Reader, each func(agent.Event)) (Result, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	for n := 1; lines.Scan(); n++ {
		var head struct {
			Type string `json:"type"`
		}
		err := json.Unmarshal(lines.Bytes(), &head)
		if err == nil && head.Type == (Result{}).EventType() {
			var result Result
			return result, json.Unmarshal(lines.Bytes(), &result)
		}
		var event agent.Event
		if err == nil {
			event, err = decodeEvent(head.Type, lines.Bytes())
		}
		if err != nil {
			return Result{}, fmt.Errorf("line %d: %w", n, err)
		}
		if event != nil {
			each(event)
		}
	}
	if err := lines.Err(); err != nil {
		return Result{}, err
	}
	return Result{}, errors.New("it has no result: the run was not finished")
}

// decodeEvent decodes an event, nil for types that are not printed.
func decodeEvent(kind string, line []byte) (agent.Event, error) {
	switch kind {
	case "run.started":
		return decode[Started](line)
	case "message":
		return decode[agent.MessageEvent](line)
	case "tool.call":
		return decode[agent.ToolCallEvent](line)
	case "tool.approval":
		return decode[agent.ToolApproval](line)
	case "tool.result":
		return decode[agent.ToolResultEvent](line)
	case "todo":
		return decode[todo.Event](line)
	case "usage":
		return decode[agent.UsageEvent](line)
	case "warning":
		return decode[agent.WarningEvent](line)
	}
	return nil, nil
}

func decode[E agent.Event](line []byte) (agent.Event, error) {
	var e E
	err := json.Unmarshal(line, &e)
	return e, err
}
