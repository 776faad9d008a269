package store

import (
	"errors"
	"path/filepath"
	"strings"
)

// Point is the result of one iteration.
type Point struct {
	Name       string // of its folder
	Meta       Meta
	Statistics Statistics
	Usage      []Usage
}

// maxPoints is how many iterations a trend has at most.
const maxPoints = 40

// Trend returns the results of the iterations that a benchmark's workspace has, in their
// order, with the benchmark itself. The last ones are returned if there are many; what
// cannot be read is left out.
func Trend(b *Benchmark) (points []Point) {
	dirs, _, err := Iterations(filepath.Dir(b.Meta.Dir))
	if err != nil || b.Meta.Dir == "" || !strings.HasPrefix(filepath.Base(b.Meta.Dir), "iteration-") {
		return nil
	}
	for _, dir := range dirs[max(0, len(dirs)-maxPoints):] {
		p := Point{Name: filepath.Base(dir), Meta: b.Meta, Statistics: b.Statistics, Usage: b.Usage}
		if p.Name != filepath.Base(b.Meta.Dir) {
			p, err = readPoint(dir)
			if err != nil {
				continue
			}
		}
		points = append(points, p)
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
	p := Point{Name: filepath.Base(dir), Meta: stored.Meta, Usage: stored.Usage}
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
