package store

// Several models that were evaluated with the same cases are a table, computed from their
// benchmarks. Each model has a folder in the iteration, which is read like any other.

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"skills/internal/eval/stats"
)

// An iteration of several models has a folder for each, which is like an iteration itself.
const (
	ModelsFolder = "models"
	ModelsFile   = "models.json" // exists once the iteration is complete
)

// Models is an eval of a skill with several models, in their order.
type Models struct {
	Schema  int     `json:"schema_version"`
	Skill   string  `json:"skill_name"`
	Partial bool    `json:"partial,omitempty"` // only selected cases were run
	Models  []Model `json:"models"`

	Comparisons []*Comparison `json:"comparisons"` // of every other model with the first
}

// Model is the result of one model; nil numbers are unknown. Tokens, cost and time are sums
// over the runs of both arms; the cost is also that of the judge.
type Model struct {
	Model     string      `json:"executor_model"`
	Directory string      `json:"directory"`       // slash-separated, relative to the iteration
	Error     string      `json:"error,omitempty"` // why there is no result, or ""
	With      *float64    `json:"with"`
	Baseline  *float64    `json:"baseline"`
	Delta     *float64    `json:"delta"`
	CI        *[2]float64 `json:"ci95"`
	P         *float64    `json:"p_signflip"`
	Cases     int         `json:"n_cases"`
	Verdict   string      `json:"verdict"` // "" without a result
	Tokens    *int64      `json:"tokens"`
	Cost      *float64    `json:"cost"`
	Time      *float64    `json:"time_seconds"`

	Stopped   string     `json:"stopped,omitempty"`
	Benchmark *Benchmark `json:"benchmark,omitempty"` // nil in ModelsFile
}

// Tabulate returns the table of models. Those with a benchmark get its numbers.
func Tabulate(skill string, models []Model) *Models {
	t := &Models{Schema: 1, Skill: skill, Models: models, Comparisons: []*Comparison{}}
	first := -1
	for i := range models {
		m := &models[i]
		b := m.Benchmark
		if b == nil {
			continue
		}
		m.fill(b)
		t.Skill, t.Partial = cmp.Or(t.Skill, b.Meta.Skill), t.Partial || b.Meta.Partial
		if first < 0 {
			first = i
			continue
		}
		side := func(m Model) Stored { return Stored{Path: m.Directory} }
		t.Comparisons = append(t.Comparisons, compare(side(models[first]), named(models[first]), side(*m), named(*m)))
	}
	return t
}

// named returns the benchmark with the name that the user gave to the model.
func named(m Model) *Benchmark {
	b := *m.Benchmark
	b.Meta.Model = m.Model
	return &b
}

// fill sets the numbers of a benchmark.
func (m *Model) fill(b *Benchmark) {
	s := b.Statistics
	m.With, m.Delta, m.CI, m.P, m.Cases, m.Verdict, m.Stopped = s.Score, s.Delta, s.CI, s.P, s.Cases, s.Verdict, b.Meta.Stopped
	var means []float64
	for _, c := range b.Cases {
		if c.Baseline.Mean != nil {
			means = append(means, *c.Baseline.Mean)
		}
	}
	m.Baseline = meanOf(means)
	if u := b.Usage; len(u) > 0 {
		total := u[len(u)-1]
		m.Tokens = total.Tokens
		if total.Cost != nil {
			m.Cost = new(*total.Cost)
			add(&m.Cost, total.JudgeCost)
		}
	}
	m.Time = new(float64)
	for _, r := range b.Runs {
		add(&m.Time, r.Result.Time)
	}
	if len(b.Runs) == 0 {
		m.Time, m.Tokens, m.Cost = nil, nil, nil
	} else if m.Time != nil {
		m.Time = new(stats.Round(*m.Time))
	}
}

// Short returns the table without the benchmarks, which are in files of their own.
func (t *Models) Short() *Models {
	short := *t
	short.Models = slices.Clone(t.Models)
	for i := range short.Models {
		short.Models[i].Benchmark = nil
	}
	return &short
}

// Complete reports whether an iteration is complete.
func Complete(dir string) bool {
	for _, name := range []string{BenchmarkFile, ModelsFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// ModelFolders returns the folders of the models in an iteration, none if it has one model.
func ModelFolders(iteration string) (dirs []string) {
	entries, _ := os.ReadDir(filepath.Join(iteration, ModelsFolder)) // without one, there are none
	for _, e := range entries {
		if e.IsDir() && rank(e.Name()) < 0 { // else it is a case of this name
			dirs = append(dirs, filepath.Join(iteration, ModelsFolder, e.Name()))
		}
	}
	return dirs
}

// ReadModels reads an iteration of several models, or the last iteration of a workspace if
// it is one. The table is nil if there is one model.
func ReadModels(dir string) (*Models, error) {
	iterations, _, err := Iterations(dir)
	if err != nil {
		return nil, nil // Read reports it
	}
	if len(iterations) > 0 {
		dir = Latest(iterations)
	}
	folders := ModelFolders(dir)
	if len(folders) == 0 {
		return nil, nil
	}
	var stored Models
	if err := Load(filepath.Join(dir, ModelsFile), &stored); err != nil {
		return nil, err
	}
	var models []Model
	for _, folder := range folders {
		if names, _ := fs.Glob(os.DirFS(folder), "*/*/run-*"); len(names) == 0 {
			continue // interrupted before its first run; the pattern is correct
		}
		runs, meta, err := Read(folder)
		if err != nil {
			return nil, err
		}
		m := Model{Model: meta.Model, Directory: ModelsFolder + "/" + filepath.Base(folder), Benchmark: Aggregate(runs, meta)}
		models = append(models, m)
	}
	position := func(m Model) int {
		i := slices.IndexFunc(stored.Models, func(other Model) bool { return other.Directory == m.Directory })
		if i < 0 {
			return len(stored.Models)
		}
		return i
	}
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(position(a), position(b)) })
	for i := range models {
		if at := position(models[i]); at < len(stored.Models) {
			models[i].Model = stored.Models[at].Model
		}
	}
	if len(models) == 0 {
		return nil, pathError(dir, noRuns, runsHint)
	}
	return Tabulate("", models), nil
}

// severalModels is the error for a folder that has runs of several models.
func severalModels(dir string, folders []string) error {
	return pathError(dir, fmt.Sprintf("has runs of %d models", len(folders)), "name the folder of one: "+folders[0])
}
