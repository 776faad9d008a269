package store

// An iteration is a folder that other tools write too, and that the runs under test may have
// changed. So its files are read with limits, links are refused, and the names of both
// dialects are understood.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
)

const (
	maxFile   = 16 << 20 // bytes of a file
	maxWeight = 1e100    // of an assertion; sums of weights must be finite
	noRuns    = "no runs found"
	runsHint  = "name a folder with CASE/with_skill/run-1/grading.json"
	again     = "restore the file, or run skills eval again: it grades the runs in a new iteration"
)

// Check returns a *fault.Error if an iteration is or contains a link or a special file,
// because files elsewhere could be replaced through it. The outputs of runs are not
// checked. A missing iteration is no error.
func Check(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return pathError(name, "cannot be read: "+files.Reason(err).Error(), "check that it is a folder, and its permissions")
		case e.IsDir() && e.Name() == OutputsFolder:
			return fs.SkipDir
		case !e.IsDir() && !e.Type().IsRegular():
			return pathError("", name+" is a link or a special file", "remove it, or name another workspace; stored runs have only regular files")
		}
		return nil
	})
}

// Iterations returns the [Folders] of the iterations in a workspace.
func Iterations(workspace string) (dirs []string, last int, err error) {
	return Folders(workspace, IterationPrefix)
}

// Folders returns the folders in a workspace that are called by a prefix and a number, by
// their numbers, of which any may be missing, and the highest number, 0 without any.
func Folders(workspace, prefix string) (dirs []string, last int, err error) {
	entries, err := os.ReadDir(workspace)
	numbers := map[string]int{}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if n, err := strconv.ParseUint(digits, 10, 31); ok && err == nil && !e.Type().IsRegular() {
			dir := filepath.Join(workspace, e.Name())
			dirs, numbers[dir], last = append(dirs, dir), int(n), max(last, int(n))
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return dirs, last, err
}

// Workspace returns the workspace next to a skill, or the path if it is none.
func Workspace(dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if _, err := os.Stat(filepath.Join(full, "SKILL.md")); err != nil {
		return dir
	}
	info, err := os.Stat(full + "-workspace")
	if err != nil || !info.IsDir() {
		return dir
	}
	return full + "-workspace"
}

// Latest returns the last of the iterations, in their order, that is not of selected cases
// only; the last one if all are.
func Latest(dirs []string) string {
	for _, dir := range slices.Backward(dirs) {
		var b struct {
			Meta    Meta `json:"metadata"`
			Partial bool `json:"partial"`
		}
		file := BenchmarkFile
		if len(ModelFolders(dir)) > 0 {
			file = ModelsFile
		}
		if err := Load(filepath.Join(dir, file), &b); err != nil || !b.Meta.Partial && !b.Partial {
			return dir // what is damaged is reported by whoever reads it
		}
	}
	return dirs[len(dirs)-1]
}

// Read reads the runs of an iteration, which this program or skill-creator wrote. The
// cases may be in a folder named runs; the iteration of a workspace is the [Latest] one. An
// error is a *fault.Error: a folder without runs, an unknown configuration, a damaged
// file.
func Read(dir string) ([]Run, Meta, error) {
	iterations, _, err := Iterations(dir)
	if err != nil {
		why := "cannot be read: " + files.Reason(err).Error()
		return nil, Meta{}, pathError(dir, why, "name the folder of an iteration or a workspace")
	}
	top, checked := dir, files.Resolved(dir) // dir itself may be a link
	if len(iterations) > 0 {
		top = Latest(iterations)
		checked = top
	}
	if err := Check(checked); err != nil {
		return nil, Meta{}, err
	}
	meta, err := readMeta(top)
	if err != nil {
		return nil, Meta{}, err
	}
	var runs []Run
	folders, seen := map[string]string{}, map[string]bool{} // of the cases, by id; of runs
	for _, pattern := range []string{"*/*/run-*", "*/*/grading.json", "runs/*/*/run-*", "runs/*/*/grading.json", "*/*/outputs/grading.json"} {
		names, _ := fs.Glob(os.DirFS(top), pattern) // the pattern is correct
		for _, name := range names {
			n, err := strconv.Atoi(strings.TrimPrefix(path.Base(name), "run-"))
			arm := path.Dir(name)
			if path.Base(arm) == OutputsFolder {
				arm = path.Dir(arm)
			}
			if path.Base(name) == GradingFile {
				name, n, err = arm, 1, nil
			}
			if err != nil || seen[name] {
				continue
			}
			seen[name] = true
			run, err := readRun(top, name, arm)
			if err != nil {
				return nil, Meta{}, err
			}
			if other := cmp.Or(folders[run.Case], run.Slug); other != run.Slug {
				folder := filepath.Join(top, filepath.FromSlash(run.Slug))
				return nil, Meta{}, pathError(folder, "has the same eval_id as "+other+": "+run.Case, "give each case its own eval_id in "+MetadataFile+", or remove one of the folders")
			}
			folders[run.Case] = run.Slug
			run.Number, meta.Runs = n, max(meta.Runs, n)
			runs = append(runs, run)
		}
	}
	if folders := ModelFolders(top); len(runs) == 0 && len(folders) > 0 {
		return nil, Meta{}, severalModels(dir, folders)
	}
	if len(runs) == 0 {
		return nil, Meta{}, pathError(dir, noRuns, whereRuns(dir))
	}
	return runs, meta, nil
}

// whereRuns is the hint for a folder without runs.
func whereRuns(dir string) string {
	parts, _ := fs.Glob(os.DirFS(dir), "part-*-of-*/"+PartFile) // the patterns are correct
	skills, _ := fs.Glob(os.DirFS(dir), "*/"+IterationPrefix+"*")
	_, err := os.Stat(filepath.Join(dir, AblationFile))
	switch {
	case err == nil:
		return "read " + filepath.Join(dir, AblationPage) + ", the report of skills eval ablate"
	case len(parts) > 0:
		return "join the parts with skills eval merge " + dir
	case len(skills) > 0: // of a workspace for several skills
		return "name the folder of one skill, such as " + filepath.Join(dir, path.Dir(skills[0]))
	}
	if _, err := os.Stat(filepath.Join(dir, "SKILL.md")); err == nil {
		return "run skills eval " + dir + " first: a report is of stored runs"
	}
	return runsHint
}

// readMeta reads what the iteration or the part in a folder records besides its runs.
func readMeta(dir string) (Meta, error) {
	var b struct {
		Meta  Meta     `json:"metadata"`
		Notes []string `json:"notes"`
	}
	var p Part
	if err := Load(filepath.Join(dir, BenchmarkFile), &b); err != nil {
		return Meta{}, err
	}
	if err := Load(filepath.Join(dir, PartFile), &p); err != nil {
		return Meta{}, err
	}
	b.Meta.Notes = b.Notes
	if p.Number > 0 {
		b.Meta = p.Meta
		b.Meta.Partial, b.Meta.Notes = true, []string{"this is " + p.String() + "; join the parts with skills eval merge"}
	}
	b.Meta.Dir = dir
	return b.Meta, nil
}

func pathError(path, message, help string) error {
	return &fault.Error{Path: path, Message: message, Hint: help}
}

// Load decodes a file of an iteration if it exists.
func Load(path string, v any) error {
	data, err := files.Load(path, maxFile, "", again)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = jsonpos.DecodeJSON(path, bytes.TrimPrefix(data, []byte("\ufeff")), v, again)
	}
	return err
}

// readRun reads the run in the folder name of an arm; both are relative to top.
func readRun(top, name, arm string) (Run, error) {
	run := Run{Slug: path.Dir(arm), Configuration: path.Base(arm)}
	run.Dir = filepath.Join(top, filepath.FromSlash(name))
	if rank(run.Configuration) < 0 {
		folder := filepath.Join(top, filepath.FromSlash(arm))
		return run, pathError(folder, "unknown configuration", "name it with_skill, without_skill or old_skill")
	}
	c := struct { // what other tools assert has many forms, and is not used
		ID     ID     `json:"eval_id"`
		Name   string `json:"eval_name"`
		Prompt any    `json:"prompt"`
	}{ID: ID(strings.TrimPrefix(path.Base(run.Slug), "eval-"))}
	var g grading
	var err error
	load := func(path string, into any) {
		if e := Load(path, into); err == nil {
			err = e // the first; what the other files have is read nevertheless
		}
	}
	load(metadataPath(filepath.Join(top, filepath.FromSlash(run.Slug))), &c)
	load(filepath.Join(run.Dir, TimingFile), &run.Timing)
	load(gradingPath(run), &g)
	run.Case, run.Name, run.Metrics, run.Outcomes = string(c.ID), c.Name, g.Metrics, g.Expectations
	if text, ok := c.Prompt.(string); ok {
		run.Prompt = text
	}
	if len(run.Outcomes) == 0 {
		run.Outcomes = g.Results
	}
	for _, o := range run.Outcomes {
		isValid := o.Score >= 0 && o.Score <= 1 && o.Weight >= 0 && o.Weight <= maxWeight // false for NaN
		if err == nil && !isValid {
			err = pathError(filepath.Join(run.Dir, GradingFile), fmt.Sprintf("is damaged: score %v with weight %v", o.Score, o.Weight), again)
		}
	}
	if with(run.Configuration) && err == nil {
		run.Pair, err = readPair(run.Dir)
	}
	milliseconds := 0.0
	if run.MS != nil {
		milliseconds = float64(*run.MS)
	}
	run.Executor = cmp.Or(milliseconds/1000, run.Executor, run.Total, g.Timing.Executor, g.Timing.Total)
	run.Notes = slices.Concat(g.UserNotes.Uncertainties, g.UserNotes.NeedsReview, g.UserNotes.Workarounds)
	return run, err
}

// MeanTurns returns the mean number of requests of the graded runs in the folder of an arm, 0
// without any.
func MeanTurns(arm string) float64 {
	names, _ := fs.Glob(os.DirFS(arm), "run-*/"+GradingFile) // the pattern is correct
	sum, n := 0, 0
	for _, name := range names {
		var g struct {
			Metrics Metrics `json:"execution_metrics"`
		}
		if err := Load(filepath.Join(arm, filepath.FromSlash(name)), &g); err == nil && g.Metrics.Turns > 0 {
			sum, n = sum+g.Metrics.Turns, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// metadataPath returns the path of what a case is: in its folder, or in that of an arm or run.
func metadataPath(dir string) string {
	for _, pattern := range []string{MetadataFile, "*/" + MetadataFile, "*/run-*/" + MetadataFile} {
		if names, _ := fs.Glob(os.DirFS(dir), pattern); len(names) > 0 { // the pattern is correct
			return filepath.Join(dir, filepath.FromSlash(names[0]))
		}
	}
	return filepath.Join(dir, MetadataFile)
}

// gradingPath returns the path of a run's grades. Some graders write them among the outputs;
// those of our own runs are not believed, because the run itself may have written them.
func gradingPath(r Run) string {
	at := filepath.Join(r.Dir, GradingFile)
	among := filepath.Join(r.Dir, OutputsFolder, GradingFile)
	isOurs := r.Key != "" || r.Error != ""
	if info, err := os.Lstat(among); err != nil || !info.Mode().IsRegular() || isOurs {
		return at
	}
	if _, err := os.Lstat(at); err == nil {
		return at
	}
	return among
}

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
// grading.json, so that no reader takes it for a score of 0; its timing.json has the reason.
func WriteRun(ctx context.Context, r Run) error {
	t := r.Timing
	t.Total, t.Error = t.Executor+t.Grader, r.Failed()
	if t.Executor > 0 {
		t.MS = new(int64(math.Round(t.Executor * 1000)))
	}
	if err := files.SaveJSON(ctx, filepath.Join(r.Dir, TimingFile), t); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, GradingFile)
	if t.Error != "" {
		return os.RemoveAll(path)
	}
	// skill-creator's aggregator reads the tokens of timing.json only if the grading has
	// no total duration.
	t.Total, t.Start, t.End, t.Key, t.Removed, t.Answer = 0, nil, nil, "", nil, ""
	g := grading{Results: r.Outcomes, Expectations: r.Outcomes, Summary: r.count(), Metrics: r.Metrics, Timing: t}
	return files.SaveJSON(ctx, path, g)
}
