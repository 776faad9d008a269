package transcript

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"skills/internal/agent"
	"skills/internal/todo"
)

const maxEvent = 64 << 20 // bytes of one event

// ReadFile reads what [JSONL] wrote into a file. It calls each for every event that a
// printer also gets, in order, and returns the result. Without a result the run was not
// finished, which is an error, as is a line that is not an event.
func ReadFile(path string, each func(agent.Event)) (result Result, err error) {
	file, err := os.Open(path)
	if err != nil {
		return result, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxEvent)
	for n := 1; lines.Scan(); n++ {
		var head struct {
			Type string `json:"type"`
		}
		if err = json.Unmarshal(lines.Bytes(), &head); err == nil && head.Type == result.EventType() {
			return result, json.Unmarshal(lines.Bytes(), &result)
		}
		var event agent.Event
		if decode := decoders()[head.Type]; decode != nil {
			event, err = decode(lines.Bytes())
		}
		if err != nil {
			return result, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if event != nil {
			each(event)
		}
	}
	if err = lines.Err(); err == nil {
		err = errors.New("there is no result: the run was not finished")
	}
	return result, fmt.Errorf("%s: %w", path, err)
}

// decoders returns the types of events that are printed.
func decoders() map[string]func([]byte) (agent.Event, error) {
	return map[string]func([]byte) (agent.Event, error){
		"run.started": decode[Started], "message": decode[agent.MessageEvent], "tool.call": decode[agent.ToolCallEvent],
		"tool.approval": decode[agent.ToolApproval], "tool.result": decode[agent.ToolResultEvent],
		"todo": decode[todo.Event], "usage": decode[agent.UsageEvent], "warning": decode[agent.WarningEvent],
	}
}

func decode[E agent.Event](line []byte) (agent.Event, error) {
	var e E
	err := json.Unmarshal(line, &e)
	return e, err
}
