package store

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"

	"skills/internal/printable"
	"skills/internal/safefile"
)

// grading is the content of grading.json. The outcomes have the names of the guide and of
// skill-creator.
type grading struct {
	Results      []Outcome `json:"assertion_results"`
	Expectations []Outcome `json:"expectations"`
	Summary      counts    `json:"summary"`
	Metrics      Metrics   `json:"execution_metrics"`
	Timing       Timing    `json:"timing"`
	UserNotes    struct {
		Uncertainties []string `json:"uncertainties"`
		NeedsReview   []string `json:"needs_review"`
		Workarounds   []string `json:"workarounds"`
	} `json:"user_notes_summary,omitzero"`
}

// WriteRun writes timing.json and grading.json into the run's folder. A failed run has no
// grading.json, so that no reader takes it for a score of 0; its timing.json says why.
func WriteRun(ctx context.Context, r Run) error {
	t := r.Timing
	t.Total, t.Error = t.Executor+t.Grader, r.Failed()
	if t.Executor > 0 {
		t.MS = new(int64(math.Round(t.Executor * 1000)))
	}
	if err := write(ctx, filepath.Join(r.Dir, TimingFile), t); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, GradingFile)
	if t.Error != "" {
		return os.RemoveAll(path)
	}
	// skill-creator's aggregator reads the tokens of timing.json only if the grading has
	// no total duration.
	t.Total, t.Start, t.End = 0, nil, nil
	g := grading{Results: r.Outcomes, Expectations: r.Outcomes, Summary: r.count(), Metrics: r.Metrics, Timing: t}
	return write(ctx, path, g)
}

// WriteCase writes eval_metadata.json into a case's folder.
func WriteCase(ctx context.Context, dir string, c CaseMeta) error {
	if c.Assertions == nil {
		c.Assertions = []string{}
	}
	return write(ctx, filepath.Join(dir, MetadataFile), c)
}

// Write writes benchmark.json into an iteration's folder.
func Write(ctx context.Context, dir string, b *Benchmark) error {
	return write(ctx, filepath.Join(dir, BenchmarkFile), b)
}

func write(ctx context.Context, path string, v any) error {
	var text bytes.Buffer
	if err := printable.WriteJSON(&text, v); err != nil {
		return err
	}
	return safefile.Save(ctx, path, text.Bytes())
}
