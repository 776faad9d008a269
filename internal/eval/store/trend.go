package store

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// Point is the result of one iteration with one model.
type Point struct {
	Number     int  // of the iteration
	Current    bool // it is the one that is reported
	Meta       Meta
	Statistics Statistics
	Usage      []Usage
}

// maxPoints is how many iterations a trend has at most.
const maxPoints = 40

// Trend returns the results of the iterations that a benchmark's workspace has, in their
// order, with the benchmarks of the current one: one, or those of its models. The last
// iterations are returned if there are many; what cannot be read is left out.
func Trend(current []*Benchmark) (points []Point) {
	if len(current) == 0 || current[0].Meta.Dir == "" {
		return nil
	}
	here := current[0].Meta.Dir
	if parent := filepath.Dir(here); filepath.Base(parent) == ModelsFolder {
		here = filepath.Dir(parent)
	}
	dirs, _, err := Iterations(filepath.Dir(here))
	if err != nil || !strings.HasPrefix(filepath.Base(here), "iteration-") {
		return nil
	}
	for _, dir := range dirs[max(0, len(dirs)-maxPoints):] {
		number, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "iteration-"))
		if err != nil {
			continue
		}
		if filepath.Base(dir) == filepath.Base(here) {
			for _, b := range current {
				points = append(points, Point{Number: number, Current: true, Meta: b.Meta, Statistics: b.Statistics, Usage: b.Usage})
			}
			continue
		}
		folders := ModelFolders(dir)
		if len(folders) == 0 {
			folders = []string{dir}
		}
		for _, folder := range folders {
			if p, err := readPoint(folder); err == nil {
				p.Number = number
				points = append(points, p)
			}
		}
	}
	return points
}

// readPoint reads the result of an iteration. That of skill-creator has no statistics.
func readPoint(dir string) (Point, error) {
	stored := struct {
		Meta       Meta        `json:"metadata"`
		Statistics *Statistics `json:"statistics"`
		Usage      []Usage     `json:"usage"`
	}{}
	if err := Check(dir); err != nil {
		return Point{}, err
	}
	if err := Load(filepath.Join(dir, BenchmarkFile), &stored); err != nil {
		return Point{}, err
	}
	p := Point{Meta: stored.Meta, Usage: stored.Usage}
	if stored.Statistics == nil {
		runs, meta, err := Read(dir)
		if err != nil {
			return p, err
		}
		if len(meta.Evals) == 0 && meta.Skill == "" {
			return p, errors.New("it has no benchmark") // it is not finished
		}
		b := Aggregate(runs, meta)
		stored.Statistics, p.Usage = &b.Statistics, b.Usage
	}
	p.Statistics = *stored.Statistics
	return p, nil
}
