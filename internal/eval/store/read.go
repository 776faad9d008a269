package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/printable"
	"skills/internal/safefile"
)

const (
	maxFile = 16 << 20 // bytes of a file
	again   = "grade the run again with skills eval grade, or restore the file"
)

// Read reads the runs of an iteration, which this program or skill-creator wrote; the
// cases may be in a folder named runs. The iteration of a workspace is the last one. An
// error is an *safefile.Error: a folder without runs, an unknown configuration, a damaged
// file.
func Read(dir string) ([]Run, Meta, error) {
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		return nil, Meta{}, &safefile.Error{Path: dir, Message: "cannot be read: " + safefile.Reason(err).Error(), Help: "name an iteration's folder, or a workspace", Err: err}
	}
	defer root.Close()
	r := reader{root: root, dir: dir}
	top := r.top()
	for _, slug := range r.folders(top) {
		r.readCase(path.Join(top, slug), len(r.runs))
	}
	meta := r.meta(top)
	if r.err == nil && len(r.runs) == 0 {
		r.err = &safefile.Error{Path: dir, Message: "no runs found", Help: "name a folder with CASE/with_skill/run-1/grading.json"}
	}
	return r.runs, meta, r.err
}

// reader reads an iteration; the first error is kept.
type reader struct {
	root *os.Root
	dir  string
	runs []Run
	err  error
}

// top returns the folder of the cases.
func (r *reader) top() string {
	top, last := ".", -1
	for _, name := range r.folders(".") {
		if n, ok := number(name, "iteration-"); ok && n > last {
			top, last = name, n
		}
	}
	if slices.Contains(r.folders(top), "runs") {
		return path.Join(top, "runs")
	}
	return top
}

func (r *reader) folders(dir string) (names []string) {
	entries, err := fs.ReadDir(r.root.FS(), dir)
	if err != nil && r.err == nil {
		r.err = &safefile.Error{Path: filepath.Join(r.dir, dir), Message: "cannot be read: " + safefile.Reason(err).Error(), Help: "check the permissions", Err: err}
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

// load decodes a file, and reports whether it exists. An optional file with other content
// is ignored.
func (r *reader) load(name string, v any, optional bool) bool {
	f, _, err := safefile.OpenIn(r.root, name, func(info fs.FileInfo) error {
		switch {
		case !info.Mode().IsRegular():
			return safefile.ErrIrregular
		case info.Size() > maxFile:
			return safefile.ErrTooLarge
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	full, data := filepath.Join(r.dir, name), []byte(nil)
	if err == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, maxFile))
	}
	if err != nil {
		err = &safefile.Error{Path: full, Message: "cannot be read: " + safefile.Reason(err).Error(), Help: again, Err: err}
	} else if data = bytes.TrimPrefix(data, []byte("\ufeff")); json.Unmarshal(data, v) != nil {
		err = safefile.Damaged(full, data, json.Unmarshal(data, v), again)
	}
	if err != nil && !optional && r.err == nil {
		r.err = err
	}
	return err == nil
}

// readCase reads a folder; one without runs is not a case.
func (r *reader) readCase(dir string, before int) {
	meta := CaseMeta{}
	if !r.load(path.Join(dir, MetadataFile), &meta, true) || meta.ID == "" {
		meta.ID = ID(strings.TrimPrefix(path.Base(dir), "eval-"))
	}
	for _, configuration := range r.folders(dir) {
		arm := path.Join(dir, configuration)
		runs := map[int]string{}
		for _, name := range r.folders(arm) {
			if n, ok := number(name, "run-"); ok {
				runs[n] = path.Join(arm, name)
			}
		}
		if _, err := r.root.Stat(path.Join(arm, GradingFile)); err == nil && len(runs) == 0 {
			runs[1] = arm
		}
		if len(runs) > 0 && rank(configuration) < 0 {
			r.err = cmp.Or(r.err, error(&safefile.Error{Path: filepath.Join(r.dir, arm), Message: "unknown configuration", Help: "name the folder with_skill, without_skill or old_skill"}))
			return
		}
		for n, folder := range runs {
			r.runs = append(r.runs, r.readRun(folder, Run{
				Case: string(meta.ID), Name: meta.Name, Slug: filepath.ToSlash(dir), Configuration: configuration, Number: n, Dir: filepath.Join(r.dir, folder),
			}))
		}
	}
	slices.SortFunc(r.runs[before:], func(a, b Run) int {
		return cmp.Or(cmp.Compare(rank(a.Configuration), rank(b.Configuration)), cmp.Compare(a.Number, b.Number))
	})
}

func (r *reader) readRun(dir string, run Run) Run {
	var t timing
	var g struct {
		grading
		Expectations []stored `json:"expectations"`
		Results      []stored `json:"assertion_results"`
	}
	r.load(path.Join(dir, TimingFile), &t, false)
	graded := r.load(path.Join(dir, GradingFile), &g, false)
	run.Tokens, run.Cost, run.Error = t.Tokens, t.Cost, t.Error
	run.Grading = seconds(t.Grader)
	if t.MS != nil {
		run.Duration = time.Duration(*t.MS) * time.Millisecond
	}
	run.Duration = cmp.Or(run.Duration, seconds(t.Executor), seconds(t.Total), seconds(g.Timing.Executor), seconds(g.Timing.Total))
	if t.Start != nil && t.End != nil {
		run.Started, run.Ended = *t.Start, *t.End
	}
	if !graded {
		run.Error = cmp.Or(run.Error, "not graded")
		return run
	}
	run.ToolCalls, run.Failures, run.Turns = g.Metrics.Calls, g.Metrics.Errors, g.Metrics.Steps
	run.Notes = slices.Concat(g.UserNotes.Uncertainties, g.UserNotes.NeedsReview, g.UserNotes.Workarounds)
	results := g.Expectations
	if len(results) == 0 {
		results = g.Results
	}
	for i, s := range results {
		if s.Passed == nil {
			run.Error = cmp.Or(run.Error, fmt.Sprintf("assertion %d has no result (%s)", i+1, printable.Truncate(printable.Line(s.Text), 60)))
			continue
		}
		o := s.Outcome
		o.Passed, o.Weight, o.Score = *s.Passed, 1, 0
		if o.Passed {
			o.Score = 1
		}
		if s.Weight != nil {
			o.Weight = *s.Weight
		}
		if s.Score != nil {
			o.Score = *s.Score
		}
		run.Outcomes = append(run.Outcomes, o)
	}
	if len(results) == 0 {
		run.summary = g.Summary
	}
	return run
}

// stored is an outcome whose writer may not know weights and scores.
type stored struct {
	Outcome
	Passed *bool    `json:"passed"`
	Weight *float64 `json:"weight"`
	Score  *float64 `json:"score"`
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// meta reads the metadata of a benchmark written before. Placeholders of skill-creator's
// aggregator are dropped, and so is what Aggregate computes.
func (r *reader) meta(top string) Meta {
	var b struct {
		Meta  Meta     `json:"metadata"`
		Notes []string `json:"notes"`
	}
	if !r.load(path.Join(top, BenchmarkFile), &b, true) && !r.load(BenchmarkFile, &b, true) {
		b.Meta = Meta{}
	}
	for _, s := range []*string{&b.Meta.Skill, &b.Meta.SkillPath, &b.Meta.Model, &b.Meta.Judge} {
		if strings.HasPrefix(*s, "<") {
			*s = ""
		}
	}
	b.Meta.Notes = b.Notes
	for _, run := range r.runs {
		b.Meta.Runs = max(b.Meta.Runs, run.Number)
	}
	return b.Meta
}
