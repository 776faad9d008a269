// Package check grades a run by the checks that need no judge.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/lazyregexp"
	"skills/internal/params"
	"skills/internal/printable"
)

// Evidence is what a run left.
type Evidence struct {
	Skill  string    // name of the skill under test
	Run    store.Run // its answer and its numbers
	Dir    string    // the run's folder
	Inputs []suite.File
	Trace  Trace
	// Command runs a sandboxed program in the run's folder; nil if programs may not run.
	// A timeout of 0 is the default.
	Command func(ctx context.Context, argv []string, timeout time.Duration) (stdout string, exit int, err error)
}

// Grade decides a check of any type but judge. A check that cannot be decided, because a
// file is too large or a command does not start, fails with an Error.
func Grade(ctx context.Context, c suite.Check, e Evidence) store.Outcome {
	o := store.Outcome{Text: c.Text()}
	g := grader{c, e}
	var err error
	if c.Type == "command" {
		o.Score, o.Evidence, err = g.command(ctx)
		o.Passed = o.Score == 1
	} else {
		o.Passed, o.Evidence, err = g.decide()
		if o.Passed {
			o.Score = 1
		}
	}
	if c.Not && err == nil {
		o.Passed, o.Score = !o.Passed, 1-o.Score
	}
	if err != nil {
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

// decide returns whether a check passes, and why.
func (g grader) decide() (passed bool, evidence string, err error) {
	answer := g.e.Run.Answer
	switch g.Type {
	case "contains", "not_contains":
		return contains(answer, g.Value, g.Type == "contains")
	case "equals":
		return strings.TrimSpace(answer) == strings.TrimSpace(g.Value), "the answer is " + answer, nil
	case "regex":
		return search(answer, g.Pattern)
	case "trace_regex":
		var calls strings.Builder
		for _, call := range g.e.Trace.Calls {
			fmt.Fprintf(&calls, "%s %s\n%s\n", call.Name, call.Arguments, call.Result.Output)
		}
		return search(calls.String(), g.Pattern)
	case "json":
		return g.jsonValue(params.AnswerJSON(answer))
	case "json_schema":
		schema, err := params.CompileSchema(string(g.Schema))
		if err != nil {
			return false, "", err
		}
		fault := params.Mismatch(schema, params.AnswerJSON(answer))
		return fault == "", fault, nil
	case "max_turns":
		return g.within(float64(g.e.Run.Turns), "turns")
	case "max_tool_calls":
		return g.within(float64(len(g.e.Trace.Calls)), "tool calls")
	case "max_seconds":
		return g.within(g.e.Run.Executor, "seconds")
	case "max_tokens":
		if g.e.Run.Tokens == nil {
			return false, "", errors.New("the server reported no token usage")
		}
		return g.within(float64(*g.e.Run.Tokens), "tokens")
	case "file_exists", "file_absent", "file_contains", "file_regex", "file_json", "csv_rows", "unchanged", "names_regex":
		return g.file()
	}
	return g.trace()
}

// contains decides whether a text contains a value, or does not.
func contains(text, value string, want bool) (bool, string, error) {
	before, after, found := strings.Cut(text, value)
	if !found {
		return !want, printable.Quote(value) + " was not found", nil
	}
	tail := []rune(before)
	return want, "found: " + string(tail[max(0, len(tail)-40):]) + value + printable.Truncate(after, 40), nil
}

// maxSteps bounds the time of a search, which is proportional to the size of the compiled
// pattern times the length of the text.
const maxSteps = 200 << 20

func search(text, pattern string) (bool, string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false, "", err
	}
	tree, _ := syntax.Parse(pattern, syntax.Perl) // compiled above
	program, _ := syntax.Compile(tree.Simplify())
	if len(program.Inst)*len(text) > maxSteps {
		return false, "", fmt.Errorf("the text of %d bytes is too long for the pattern", len(text))
	}
	if at := re.FindStringIndex(text); at != nil {
		return true, "found: " + text[at[0]:at[1]], nil
	}
	return false, printable.Quote(pattern) + " does not match", nil
}

// jsonValue compares the value at a pointer in a JSON text.
func (g grader) jsonValue(text string) (bool, string, error) {
	value, err := decode(text)
	if err != nil {
		return false, "not JSON: " + err.Error(), nil
	}
	value, found := params.At(value, g.Pointer)
	if !found {
		return false, "nothing at " + g.Pointer, nil
	}
	evidence := "the value is " + printable.JSONText(value)
	if g.Equals == nil {
		return true, evidence, nil
	}
	want, err := decode(string(g.Equals))
	return equal(value, want), evidence, err
}

// decode decodes a JSON text; numbers keep all their digits.
func decode(text string) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	if err != nil {
		return nil, err
	}
	if _, end := d.Token(); end != io.EOF {
		err = errors.New("there is more text after the value")
	}
	return value, err
}

// equal compares decoded values. Integers are compared exactly, other numbers by value.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		m, _ := x.Float64() // out of range it is infinite
		n, _ := y.Float64()
		return ok && (x == y || m == n && (m == 0 || strings.ContainsAny(string(x+y), ".eE")))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equal)
	}
	return a == b
}

// within decides whether a value is between Min and Max.
func (g grader) within(value float64, unit string) (bool, string, error) {
	passed := (g.Min == nil || value >= *g.Min) && (g.Max == nil || value <= *g.Max)
	return passed, fmt.Sprintf("%v %s", math.Round(value*1000)/1000, unit), nil
}

var hasScore = lazyregexp.New(`"score"\s*:`)

// command runs a program, which passes with exit code 0, or gives its own score.
func (g grader) command(ctx context.Context) (score float64, evidence string, err error) {
	if g.e.Command == nil {
		return 0, "", errors.New("programs may not run here")
	}
	out, exit, err := g.e.Command(ctx, g.Check.Command, time.Duration(min(g.Seconds, 1e6)*float64(time.Second)))
	if err != nil {
		return 0, "", err
	}
	var scored struct {
		Score  *float64
		Checks []struct {
			Text     string
			Passed   bool
			Evidence string
		}
	}
	if err := json.Unmarshal([]byte(out), &scored); err != nil || scored.Score == nil {
		if hasScore().MatchString(out) { // the exit code may contradict the score
			return 0, "", fmt.Errorf("the output has a score, but is not {\"score\": 0 to 1}: %s", printable.TruncateMiddle(strings.TrimSpace(out), 200))
		}
		if exit == 0 {
			score = 1
		}
		return score, fmt.Sprintf("exit code %d: %s", exit, printable.TruncateMiddle(strings.TrimSpace(out), 400)), nil
	}
	if *scored.Score < 0 || *scored.Score > 1 {
		return 0, "", fmt.Errorf("the score %v is not between 0 and 1", *scored.Score)
	}
	evidence = fmt.Sprintf("score %v", *scored.Score)
	for _, one := range scored.Checks {
		if !one.Passed {
			evidence += fmt.Sprintf("; failed: %s (%s)", one.Text, one.Evidence)
		}
	}
	return *scored.Score, evidence, nil
}
