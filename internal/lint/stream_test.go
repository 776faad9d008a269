package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"skills/internal/report"
	"skills/internal/spec"
)

// many writes skills with two findings each.
func many(tb testing.TB, n int) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	for i := range n {
		skill := filepath.Join(dir, fmt.Sprintf("skill-%05d", i))
		text := "---\nname: Skill\ndescription: Does a thing. Use when testing.\n---\n# Body\n\nSee [it](references/it.md).\n"
		if err := errors.Join(os.Mkdir(skill, 0o755), os.WriteFile(filepath.Join(skill, spec.FileName), []byte(text), 0o644)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// TestFindingsComeEarly passes on the findings of a skill long before the last skill
// is opened: that one is made good when those of the first arrive.
func TestFindingsComeEarly(t *testing.T) {
	dir := many(t, 200)
	t.Chdir(dir)
	r, err := Start(t.Context(), Options{Dir: dir, NoConfig: true, Levels: map[string]spec.Level{"name-collision": spec.Off, "name-directory": spec.Off}})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	var last report.Skill
	err = r.Check(t.Context(), func(s report.Skill) error {
		paths = append(paths, s.Path)
		if len(paths) == 1 {
			if len(s.Diagnostics) != 2 {
				t.Errorf("got %v of the first skill, want two findings", s.Diagnostics)
			}
			return os.WriteFile(filepath.Join("skill-00199", spec.FileName), []byte(strings.Replace(good, "good", "skill-00199", 1)), 0o644)
		}
		last = s
		return nil
	})
	if err != nil || len(paths) != 200 || !slices.IsSorted(paths) || len(last.Diagnostics) != 0 {
		t.Errorf("got %d skills, sorted %v, the last with %v, %v; want it to have no findings", len(paths), slices.IsSorted(paths), last.Diagnostics, err)
	}
}

// TestInOrder starts few items before the first is used, uses them in order, and ends
// with an error or the context.
func TestInOrder(t *testing.T) {
	const n = 1000
	broken := errors.New("broken")
	for _, end := range []error{nil, broken, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		var started atomic.Int64
		used := 0
		err := inOrder(ctx, n, func(i int) int {
			started.Add(1)
			if i%7 == 0 {
				runtime.Gosched()
			}
			return i
		}, func(i, result int) error {
			if most := int64(i + maxWaiting + 2); i != used || result != i || started.Load() > most {
				t.Fatalf("got %d, %d after %d, with %d started, want at most %d", i, result, used, started.Load(), most)
			}
			used++
			if used == 10 && end == broken {
				return broken
			} else if used == 10 && end != nil {
				cancel()
			}
			return nil
		})
		want := map[bool]int{true: n, false: 10}[end == nil]
		if !errors.Is(err, end) || used != want {
			t.Errorf("got %v after %d, want %v after %d", err, used, end, want)
		}
		cancel()
	}
}

// BenchmarkCheck shows that the time and memory of a skill do not grow with their
// number.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := many(b, n)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Start(b.Context(), Options{Dir: dir, Input: Input{Paths: []string{dir}}, NoConfig: true})
				if err == nil {
					err = r.Check(b.Context(), func(report.Skill) error { return nil })
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/skill")
		})
	}
}
