package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/safefile"
)

const (
	maxFile = 16 << 20 // bytes of a file
	again   = "grade the runs again with skills eval grade, or restore the file"
)

// Read reads the runs of an iteration, which this program or skill-creator wrote. The
// cases may be in a folder named runs; the iteration of a workspace is the last one. An
// error is a *safefile.Error: a folder without runs, an unknown configuration, a damaged
// file.
func Read(dir string) ([]Run, Meta, error) {
	r := reader{}
	top, last := dir, -1
	for _, name := range r.folders(dir) {
		if n, ok := number(name, "iteration-"); ok && n > last {
			top, last = filepath.Join(dir, name), n
		}
	}
	var b struct {
		Meta  Meta     `json:"metadata"`
		Notes []string `json:"notes"`
	}
	r.load(filepath.Join(top, BenchmarkFile), &b)
	cases := top
	if slices.Contains(r.folders(top), "runs") {
		cases = filepath.Join(top, "runs")
	}
	for _, slug := range r.folders(cases) {
		r.readCase(filepath.Join(cases, slug), top)
	}
	if r.err == nil && len(r.runs) == 0 {
		r.fail(dir, "no runs found", "name a folder with CASE/with_skill/run-1/grading.json")
	}
	b.Meta.Notes = b.Notes
	for _, run := range r.runs {
		b.Meta.Runs = max(b.Meta.Runs, run.Number)
	}
	return r.runs, b.Meta, r.err
}

// reader collects runs, and the first error.
type reader struct {
	runs []Run
	err  error
}

func (r *reader) fail(path, message, help string) {
	r.err = cmp.Or(r.err, error(&safefile.Error{Path: path, Message: message, Help: help}))
}

func (r *reader) folders(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.fail(dir, "cannot be read: "+safefile.Reason(err).Error(), "name the folder of an iteration or a workspace")
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func number(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// load decodes a file, and reports whether it exists.
func (r *reader) load(path string, v any) bool {
	data, err := safefile.Load(path, maxFile, "", again)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = safefile.DecodeJSON(path, bytes.TrimPrefix(data, []byte("\ufeff")), v, again)
	}
	r.err = cmp.Or(r.err, err)
	return true
}

// readCase reads a folder; one without runs is not a case.
func (r *reader) readCase(dir, top string) {
	meta := CaseMeta{ID: ID(strings.TrimPrefix(filepath.Base(dir), "eval-"))}
	r.load(filepath.Join(dir, MetadataFile), &meta)
	slug, _ := filepath.Rel(top, dir)
	run := Run{Case: string(meta.ID), Name: meta.Name, Slug: filepath.ToSlash(slug)}
	for _, run.Configuration = range r.folders(dir) {
		arm, before := filepath.Join(dir, run.Configuration), len(r.runs)
		for _, name := range r.folders(arm) {
			if n, ok := number(name, "run-"); ok {
				run.Number, run.Dir = n, filepath.Join(arm, name)
				r.readRun(run)
			}
		}
		if _, err := os.Stat(filepath.Join(arm, GradingFile)); err == nil && len(r.runs) == before {
			run.Number, run.Dir = 1, arm
			r.readRun(run)
		}
		if len(r.runs) > before && rank(run.Configuration) < 0 {
			r.fail(arm, "unknown configuration", "name the folder with_skill, without_skill or old_skill")
		}
	}
}

func (r *reader) readRun(run Run) {
	var t timing
	var g struct {
		grading
		Expectations []stored `json:"expectations"`
		Results      []stored `json:"assertion_results"`
	}
	r.load(filepath.Join(run.Dir, TimingFile), &t)
	r.load(filepath.Join(run.Dir, GradingFile), &g)
	run.Tokens, run.Cost, run.Error = t.Tokens, t.Cost, t.Error
	if t.MS != nil {
		run.Duration = time.Duration(*t.MS) * time.Millisecond
	}
	run.Duration = cmp.Or(run.Duration, seconds(t.Executor), seconds(t.Total), seconds(g.Timing.Executor), seconds(g.Timing.Total))
	run.Grading = seconds(t.Grader)
	if t.Start != nil && t.End != nil {
		run.Started, run.Ended = *t.Start, *t.End
	}
	run.ToolCalls, run.Failures, run.Turns = g.Metrics.Calls, g.Metrics.Errors, g.Metrics.Steps
	run.Notes = slices.Concat(g.UserNotes.Uncertainties, g.UserNotes.NeedsReview, g.UserNotes.Workarounds)
	for i, s := range slices.Concat(g.Expectations, g.Results) {
		if i > 0 && i == len(g.Expectations) {
			break // the same outcomes under another name
		}
		o := s.Outcome
		o.Weight = 1
		if s.Weight != nil {
			o.Weight = *s.Weight
		}
		switch {
		case s.Passed == nil:
			o.Error = cmp.Or(o.Error, fmt.Sprintf("assertion %d has no result", i+1))
		case s.Score != nil:
			o.Passed, o.Score = *s.Passed, *s.Score
		case *s.Passed:
			o.Passed, o.Score = true, 1
		}
		run.Outcomes = append(run.Outcomes, o)
	}
	r.runs = append(r.runs, run)
}

// stored is an outcome whose writer may not know weights and scores.
type stored struct {
	Outcome
	Passed *bool    `json:"passed"`
	Weight *float64 `json:"weight"`
	Score  *float64 `json:"score"`
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
