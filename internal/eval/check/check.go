// Package check grades a run by the checks that need no judge.
package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/params"
	"skills/internal/printable"
)

// Evidence is what a run left.
type Evidence struct {
	Skill  string // name of the skill under test
	Answer string // text of the final answer
	// Dir is the folder of outputs. It may leave out inputs that did not change: a file
	// that is missing in it is that of Inputs, unless Removed names it.
	Dir     string
	Inputs  []suite.File
	Removed []string // paths of inputs that the run deleted
	Trace   []Event
	Arm     string // suite.With or suite.Without
	Turns   int
	Calls   int
	Tokens  *int64 // nil if the server reported none
	Seconds float64
	// Command runs a confined program in the run's folder; nil if programs may not run.
	Command func(ctx context.Context, argv []string, timeout time.Duration) (stdout string, exit int, err error)
}

// DefaultTimeout is the time limit of a command check without its own.
const DefaultTimeout = time.Minute

// errNo is the result of a check that failed; its text is the evidence.
type errNo struct{ evidence string }

func (e errNo) Error() string { return e.evidence }

// no returns a failure with its evidence.
func no(format string, args ...any) (string, error) { return "", errNo{fmt.Sprintf(format, args...)} }

// Grade decides a check of any type but judge. A check that cannot be decided, because a
// file is too large or a command does not start, fails with an Error.
func Grade(ctx context.Context, c suite.Check, e Evidence) store.Outcome {
	o := store.Outcome{Text: c.Text(), Type: c.Type, Arm: c.Arm, Weight: 1}
	if c.Weight != nil {
		o.Weight = *c.Weight
	}
	g := grader{c, e}
	var err error
	if c.Type == "command" {
		o.Score, o.Evidence, err = g.command(ctx)
	} else if o.Evidence, err = g.decide(); err == nil {
		o.Score = 1
	}
	o.Passed = o.Score == 1
	var failed errNo
	if errors.As(err, &failed) {
		o.Evidence = failed.evidence
	} else if err != nil {
		o.Error = printable.Line(err.Error())
	}
	o.Evidence = printable.Text(printable.Truncate(o.Evidence, 500))
	return o
}

// grader decides one check.
type grader struct {
	suite.Check
	e Evidence
}

// decide returns the evidence of a check that passes. The error is an errNo if it fails.
func (g grader) decide() (string, error) {
	switch g.Type {
	case "contains", "not_contains":
		return contains(g.e.Answer, g.Value, g.Type == "contains")
	case "equals":
		if strings.TrimSpace(g.e.Answer) != strings.TrimSpace(g.Value) {
			return no("the answer is %s", printable.Quote(printable.Truncate(g.e.Answer, 200)))
		}
		return "the answer is equal", nil
	case "regex":
		return search(g.e.Answer, g.Pattern)
	case "json":
		return g.jsonValue(unfenced(g.e.Answer))
	case "json_schema":
		return matches(string(g.Schema), unfenced(g.e.Answer))
	case "file_exists", "file_absent", "file_contains", "file_regex", "file_json", "csv_rows", "unchanged":
		return g.file()
	case "max_turns":
		return g.within(float64(g.e.Turns), "turns")
	case "max_tool_calls":
		return g.within(float64(g.e.Calls), "tool calls")
	case "max_seconds":
		return g.within(g.e.Seconds, "seconds")
	case "max_tokens":
		if g.e.Tokens == nil {
			return "", errors.New("the server reported no token usage")
		}
		return g.within(float64(*g.e.Tokens), "tokens")
	}
	return g.trace()
}

func contains(text, value string, want bool) (string, error) {
	at := strings.Index(text, value)
	switch {
	case at < 0 && want:
		return no("%s was not found", printable.Quote(value))
	case at < 0:
		return printable.Quote(value) + " was not found", nil
	}
	before, after := []rune(text[:at]), []rune(text[at+len(value):])
	found := "found: " + string(before[max(0, len(before)-40):]) + value + string(after[:min(40, len(after))])
	if !want {
		return no("%s", found)
	}
	return found, nil
}

// maxSteps bounds the time of a search, which is proportional to the size of the pattern
// times the length of the text.
const maxSteps = 200 << 20

func search(text, pattern string) (string, error) {
	re, size, err := suite.CompilePattern(pattern)
	switch {
	case err != nil:
		return "", err
	case size*len(text) > maxSteps:
		return "", fmt.Errorf("the text of %d bytes is too long for the pattern", len(text))
	}
	if at := re.FindStringIndex(text); at != nil {
		return "found: " + text[at[0]:at[1]], nil
	}
	return no("%s does not match", printable.Quote(pattern))
}

// jsonValue compares the value at a pointer in a JSON text.
func (g grader) jsonValue(text string) (string, error) {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return no("not JSON: %v", err)
	}
	steps := strings.Split(g.Pointer, "/")[1:]
	if g.Pointer == "" {
		steps = nil
	}
	raw := json.RawMessage(text)
	for _, step := range steps {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		var object map[string]json.RawMessage
		var list []json.RawMessage
		i := 0
		_, isIndex := fmt.Sscanf(step, "%d", &i)
		switch {
		case json.Unmarshal(raw, &object) == nil && object[step] != nil:
			raw = object[step]
		case isIndex == nil && json.Unmarshal(raw, &list) == nil && i >= 0 && i < len(list) && step == fmt.Sprint(i):
			raw = list[i]
		default:
			return no("nothing at %s", g.Pointer)
		}
	}
	found := fmt.Sprintf("%s is %s", cmp.Or(g.Pointer, "the value"), printable.Truncate(string(raw), 200))
	if g.Equals == nil {
		return found, nil
	}
	if _, err := matches(`{"const":`+string(g.Equals)+`}`, string(raw)); err != nil {
		return no("%s", found)
	}
	return found, nil
}

// matches validates a JSON text.
func matches(schema, text string) (string, error) {
	if schema == "true" || schema == "false" { // schemas that are not objects
		schema = `{"allOf":[` + schema + `]}`
	}
	compiled, err := params.CompileSchema(schema)
	if err != nil {
		return "", err
	}
	if why := params.Mismatch(compiled, text); why != "" {
		return no("%s", why)
	}
	return "matches the schema", nil
}

// unfenced returns the text in the only code block of an answer, or the answer.
func unfenced(answer string) string {
	parts := strings.Split(answer, "```")
	if len(parts) != 3 {
		return strings.TrimSpace(answer)
	}
	_, text, _ := strings.Cut(parts[1], "\n") // the first line names the language
	return strings.TrimSpace(text)
}

func (g grader) within(value float64, unit string) (string, error) {
	evidence := fmt.Sprintf("%v %s", math.Round(value*1000)/1000, unit)
	if g.Max != nil && value > *g.Max {
		return no("%s", evidence)
	}
	return evidence, nil
}

// command runs a program, which passes with exit code 0, or gives its own score.
func (g grader) command(ctx context.Context) (float64, string, error) {
	if g.e.Command == nil {
		return 0, "", errors.New("programs may not run here")
	}
	timeout := cmp.Or(time.Duration(min(g.Check.Seconds, 1e6)*float64(time.Second)), DefaultTimeout)
	out, exit, err := g.e.Command(ctx, g.Check.Command, timeout)
	if err != nil {
		return 0, "", err
	}
	var scored struct {
		Score  *float64 `json:"score"`
		Checks []struct {
			Text     string `json:"text"`
			Passed   bool   `json:"passed"`
			Evidence string `json:"evidence"`
		} `json:"checks"`
	}
	if json.Unmarshal([]byte(out), &scored) != nil || scored.Score == nil {
		evidence := fmt.Sprintf("exit code %d: %s", exit, strings.TrimSpace(printable.TruncateMiddle(out, 400)))
		if exit != 0 {
			return 0, evidence, nil
		}
		return 1, evidence, nil
	}
	if *scored.Score < 0 || *scored.Score > 1 {
		return 0, "", fmt.Errorf("the score %v is not between 0 and 1", *scored.Score)
	}
	evidence := fmt.Sprintf("score %v", *scored.Score)
	for _, one := range scored.Checks {
		if !one.Passed {
			evidence += fmt.Sprintf("; failed: %s (%s)", one.Text, one.Evidence)
		}
	}
	return *scored.Score, evidence, nil
}
