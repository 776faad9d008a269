package transcript

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"skills/internal/agent"
	"skills/internal/todo"
)

const maxEvent = 64 << 20 // bytes of one event

// ReadFile reads what [JSONL] wrote into a file. It calls each for every tool call, result
// of a tool and todo list, in order, and returns the result of the run. Without one the
// run was not finished, which is an error, as is a line that is not an event.
func ReadFile(path string, each func(agent.Event)) (result Result, err error) {
	file, err := os.Open(path)
	if err != nil {
		return result, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		var head struct {
			Type string `json:"type"`
		}
		err := json.Unmarshal(lines.Bytes(), &head)
		switch head.Type {
		case "tool.call":
			err = pass[agent.ToolCallEvent](lines.Bytes(), each)
		case "tool.result":
			err = pass[agent.ToolResultEvent](lines.Bytes(), each)
		case "todo":
			err = pass[todo.Event](lines.Bytes(), each)
		case result.EventType():
			return result, json.Unmarshal(lines.Bytes(), &result)
		}
		if err != nil {
			return result, fmt.Errorf("%s: %w", path, err)
		}
	}
	return result, fmt.Errorf("%s: %w", path, cmp.Or(lines.Err(), errors.New("the run was not finished")))
}

func pass[E agent.Event](line []byte, each func(agent.Event)) error {
	var e E
	err := json.Unmarshal(line, &e)
	each(e)
	return err
}
