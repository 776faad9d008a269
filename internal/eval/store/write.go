package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skills/internal/printable"
	"skills/internal/safefile"
)

// timing is the content of timing.json: the keys of the agentskills.io guide, those of
// skill-creator, and why a run failed.
type timing struct {
	Tokens   *int64     `json:"total_tokens"`
	MS       *int64     `json:"duration_ms"`
	Total    float64    `json:"total_duration_seconds,omitempty"`
	Start    *time.Time `json:"executor_start,omitempty"`
	End      *time.Time `json:"executor_end,omitempty"`
	Executor float64    `json:"executor_duration_seconds,omitempty"`
	Grader   float64    `json:"grader_duration_seconds,omitempty"`
	Cost     *float64   `json:"cost,omitempty"`
	Error    string     `json:"error,omitempty"`
}

// grading is the content of grading.json. The outcomes have the names of the guide and of
// skill-creator.
type grading struct {
	Results      []Outcome `json:"assertion_results"`
	Expectations []Outcome `json:"expectations"`
	Summary      *counts   `json:"summary"`
	Metrics      metrics   `json:"execution_metrics"`
	Timing       timing    `json:"timing"`
	UserNotes    userNotes `json:"user_notes_summary"`
}

type metrics struct {
	Calls  map[string]int `json:"tool_calls"`
	Total  *int           `json:"total_tool_calls,omitempty"`
	Steps  int            `json:"total_steps,omitempty"`
	Errors *int           `json:"errors_encountered,omitempty"`
}

type userNotes struct {
	Uncertainties []string `json:"uncertainties,omitempty"`
	NeedsReview   []string `json:"needs_review,omitempty"`
	Workarounds   []string `json:"workarounds,omitempty"`
}

// WriteRun writes timing.json and grading.json into the run's folder. A failed run has no
// grading.json, so that no reader takes it for a score of 0; its timing.json says why.
// Errors are *safefile.Error.
func WriteRun(ctx context.Context, r Run) error {
	t := timing{Tokens: r.Tokens, Cost: r.Cost, Executor: r.Duration.Seconds(), Grader: r.Grading.Seconds(), Error: r.Failed()}
	t.Total = t.Executor + t.Grader
	if r.Duration > 0 {
		t.MS = new(r.Duration.Milliseconds())
	}
	if !r.Started.IsZero() {
		t.Start, t.End = new(r.Started.UTC()), new(r.Ended.UTC())
	}
	if err := write(ctx, filepath.Join(r.Dir, TimingFile), t); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, GradingFile)
	if t.Error != "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &safefile.Error{Path: path, Message: "cannot be removed: " + safefile.Reason(err).Error(), Help: "check the folder and its permissions", Err: err}
		}
		return nil
	}
	// skill-creator's aggregator reads the tokens of timing.json only if the grading has
	// no total duration.
	g := grading{Results: r.Outcomes, Expectations: r.Outcomes, Summary: new(r.count()), Timing: timing{Executor: t.Executor, Grader: t.Grader, Tokens: t.Tokens, MS: t.MS}}
	g.Metrics = metrics{Calls: r.ToolCalls, Total: r.calls(), Steps: r.Turns, Errors: r.Failures}
	g.UserNotes.NeedsReview = r.Notes
	return write(ctx, path, g)
}

// WriteCase writes eval_metadata.json into a case's folder.
func WriteCase(ctx context.Context, dir string, c CaseMeta) error {
	if c.Assertions == nil {
		c.Assertions = []string{}
	}
	return write(ctx, filepath.Join(dir, MetadataFile), c)
}

// Write writes benchmark.json into an iteration's folder. skillCreator writes the deltas
// as signed strings, as skill-creator does.
func Write(ctx context.Context, dir string, b *Benchmark, skillCreator bool) error {
	return write(ctx, filepath.Join(dir, BenchmarkFile), b.Dialect(skillCreator))
}

// Dialect returns the benchmark with deltas as numbers, or as skill-creator's signed
// strings.
func (b *Benchmark) Dialect(skillCreator bool) *Benchmark {
	out := *b
	out.Summary.text = skillCreator
	return &out
}

func write(ctx context.Context, path string, v any) error {
	var text bytes.Buffer
	if err := printable.WriteJSON(&text, v); err != nil {
		return err
	}
	return safefile.Save(ctx, path, text.Bytes())
}
