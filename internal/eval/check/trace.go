package check

import (
	"bufio"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/safefile"
)

// Event is a tool call with its result, or a state of the todo list.
type Event struct {
	Tool      string          // name of the tool; "" for the todo list
	Arguments json.RawMessage // JSON, or a JSON string if the model wrote something else
	Output    string
	OK        bool
	ExitCode  *int // of a script that is a file
	Turn      int
	Todos     int // items on the todo list
	TodosOpen int // those that are not complete
}

const (
	maxTranscript = 256 << 20
	maxLine       = 64 << 20
)

// ReadTrace reads the tool calls and todo lists of a transcript.jsonl, which `run --format
// jsonl -v` writes. A run that was killed may have left an incomplete last line, which is
// ignored. The error is that of reading the file.
func ReadTrace(name string) (events []Event, err error) {
	src, err := safefile.ReadRegular(name, maxTranscript)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, safefile.Reason(err))
	}
	calls := map[string]int{} // indices of events by call
	lines := bufio.NewScanner(strings.NewReader(string(src)))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var line struct {
			Type      string          `json:"type"`
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
			Turn      int             `json:"turn"`
			OK        bool            `json:"ok"`
			Output    string          `json:"output"`
			ExitCode  *int            `json:"exit_code"`
			Items     []struct {
				Complete bool `json:"isComplete"`
			} `json:"items"`
		}
		if head := lines.Text()[:min(40, len(lines.Text()))]; !strings.Contains(head, `"tool.`) && !strings.Contains(head, `"todo"`) || json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		switch line.Type {
		case "tool.call":
			calls[line.ID] = len(events)
			events = append(events, Event{Tool: line.Name, Arguments: line.Arguments, Turn: line.Turn})
		case "tool.result":
			if i, ok := calls[line.ID]; ok {
				events[i].OK, events[i].Output, events[i].ExitCode = line.OK, line.Output, line.ExitCode
			}
		case "todo":
			e := Event{Todos: len(line.Items)}
			for _, item := range line.Items {
				if !item.Complete {
					e.TodosOpen++
				}
			}
			events = append(events, e)
		}
	}
	return events, lines.Err()
}

// skillCall holds the arguments of the skill tools, under the names that these accept.
type skillCall struct {
	Skill    string `json:"skillName"`
	Resource string `json:"resourceName"`
	Script   string `json:"scriptName"`

	Offset    json.RawMessage `json:"offset"`
	Arguments json.RawMessage `json:"arguments" alias:"args"`
}

// calls returns the successful calls of a skill tool for the skill under test.
func (e Evidence) calls(tool string, match func(skillCall, Event) bool) (found []Event) {
	for _, event := range e.Trace {
		var in skillCall
		if event.Tool == tool && params.Decode(event.Arguments, &in) == nil && strings.EqualFold(in.Skill, e.Skill) && match(in, event) {
			found = append(found, event)
		}
	}
	return found
}

// trace decides the checks of the trace.
func (g grader) trace() (string, error) {
	named := func(name string) bool { return strings.EqualFold(path.Clean(name), path.Clean(g.Path)) }
	switch g.Type {
	case "tool_used":
		return g.toolUsed()
	case "tool_order":
		return g.toolOrder()
	case "skill_loaded", "skill_not_loaded":
		loaded := g.e.calls("load_skill", func(_ skillCall, event Event) bool { return event.OK })
		if (len(loaded) > 0) != (g.Type == "skill_loaded") {
			return no("the skill was loaded %s", printable.Plural(len(loaded), "time"))
		}
		return "the skill was loaded " + printable.Plural(len(loaded), "time"), nil
	case "resource_read":
		if len(g.e.calls("read_skill_resource", func(in skillCall, event Event) bool { return event.OK && named(in.Resource) })) == 0 {
			return no("%s was not read", g.Path)
		}
		return g.Path + " was read", nil
	case "script_used":
		runs := g.e.calls("run_skill_script", func(in skillCall, _ Event) bool { return named(in.Script) })
		ok := slices.ContainsFunc(runs, func(event Event) bool {
			return g.ExitCode == nil && (event.OK || event.ExitCode != nil) || g.ExitCode != nil && event.ExitCode != nil && *event.ExitCode == *g.ExitCode
		})
		if !ok {
			return no("no such run among %s of %s", printable.Plural(len(runs), "call"), g.Path)
		}
		return g.Path + " was run", nil
	case "todos_complete":
		last := Event{}
		for _, event := range g.e.Trace {
			if event.Tool == "" {
				last = event
			}
		}
		if last.Todos == 0 || last.TodosOpen > 0 {
			return no("%d of %s open", last.TodosOpen, printable.Plural(last.Todos, "todo"))
		}
		return "all of " + printable.Plural(last.Todos, "todo") + " complete", nil
	}
	return "", fmt.Errorf("unknown type of check %s", printable.Quote(g.Type))
}

func (g grader) toolUsed() (string, error) {
	input, size, err := suite.CompilePattern(g.Input)
	if err != nil {
		return "", err
	}
	count := 0
	for _, event := range g.e.Trace {
		if size*len(event.Arguments) > maxSteps {
			return "", fmt.Errorf("the arguments of %d bytes are too long for the pattern", len(event.Arguments))
		}
		if event.Tool == g.Tool && input.Match(event.Arguments) {
			count++
		}
	}
	least := 1.0
	if g.Min != nil {
		least = *g.Min
	} else if g.Max != nil && *g.Max == 0 {
		least = 0
	}
	if float64(count) < least {
		return no("%s", printable.Plural(count, "call"))
	}
	return g.within(float64(count), "calls")
}

func (g grader) toolOrder() (string, error) {
	rest := g.Tools
	for _, event := range g.e.Trace {
		if len(rest) > 0 && event.Tool == rest[0] {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		return no("%s was not called after %s", rest[0], strings.Join(g.Tools[:len(g.Tools)-len(rest)], ", "))
	}
	return strings.Join(g.Tools, ", ") + " in this order", nil
}
