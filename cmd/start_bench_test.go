package cmd

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkStart measures how long the first request takes to arrive, counted
// from the start of the process: the real program, a real server. Beside it
// stands what a process costs that does nothing: this program that prints its
// version, and one that is empty. The least of the times is the program's own;
// the median tells how busy the machine is.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "skills.exe")
	build(b, program, "..")
	nothing := filepath.Join(dir, "nothing.exe")
	source := filepath.Join(dir, "nothing.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	build(b, nothing, source)
	b.Run("nothing", func(b *testing.B) { times(b, func() time.Duration { return start(b, dir, "", nothing) }) })
	b.Run("version", func(b *testing.B) { times(b, func() time.Duration { return start(b, dir, "", program, "version") }) })
	for _, test := range []struct {
		n    int
		bare bool // without scripts: to know that takes a look into every folder
	}{{n: 0}, {n: 1}, {n: 100}, {n: 500}, {n: 500, bare: true}} {
		b.Run(fmt.Sprintf("skills=%d,scripts=%t", test.n, !test.bare), func(b *testing.B) {
			work := b.TempDir()
			root := filepath.Join(work, "skills")
			for i := range test.n {
				dir := writeBenchSkill(b, root, i)
				if !test.bare {
					continue
				}
				if err := os.RemoveAll(filepath.Join(dir, "scripts")); err != nil {
					b.Fatal(err)
				}
			}
			arrived := make(chan time.Time, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				arrived <- time.Now()
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			times(b, func() time.Duration {
				began := time.Now()
				start(b, work, server.URL, program, "run", "-q", "hi")
				return (<-arrived).Sub(began)
			})
		})
	}
}

// times reports the least and the middle of what measure returns.
func times(b *testing.B, measure func() time.Duration) {
	var all []time.Duration
	for b.Loop() {
		all = append(all, measure())
	}
	slices.SortFunc(all, func(x, y time.Duration) int { return cmp.Compare(x, y) })
	b.ReportMetric(float64(all[0].Microseconds())/1000, "ms-least")
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms-median")
}

// start runs a program to its end and returns how long that took.
func start(b *testing.B, dir, server, program string, args ...string) time.Duration {
	b.Helper()
	c := exec.CommandContext(b.Context(), program, args...)
	c.Dir = dir
	c.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "OPENAI_BASE_URL=" + server, "OPENAI_API_KEY=none"}
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}

func build(b *testing.B, to, what string) {
	b.Helper()
	c := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", to, what)
	c.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("building: %v: %s", err, out)
	}
}
