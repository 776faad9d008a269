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
	"strings"
	"testing"
	"time"

	"skills/internal/run"
	"skills/internal/testing/filetest"
)

// BenchmarkValidate checks trees of generated skills, each with about 9 KB of
// SKILL.md, two references, two scripts and two other files: the whole command,
// from its arguments to its exit code.
func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{1, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("skills=%d", n), func(b *testing.B) {
			root := b.TempDir()
			for i := range n {
				writeBenchSkill(b, root, i)
			}
			env := Env{Env: run.Env{Dir: root}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				if code := Run(b.Context(), env, []string{"validate", "--no-config", root}); code != 0 {
					b.Fatalf("exit code %d", code)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/skill")
		})
	}
}

// writeBenchSkill writes the skill of number i, as large as skills usually are,
// and returns its folder.
func writeBenchSkill(b *testing.B, root string, i int) (dir string) {
	b.Helper()
	name := fmt.Sprintf("skill-%05d", i)
	dir = filepath.Join(root, fmt.Sprintf("group-%02d", i%20), name)
	var body strings.Builder
	fmt.Fprintf(&body, "---\nname: %s\ndescription: Turns reports into tables. Use when the user asks for report %d.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n\n# Reports\n\n", name, i)
	body.WriteString("See [the guide](references/guide.md) and [forms](references/forms.md#usage). Run:\n\n```bash\npython3 scripts/run.py --in a.csv\nbash scripts/check.sh\n```\n")
	for section := 0; body.Len() < 8_700; section++ {
		fmt.Fprintf(&body, "\n## Section %d\n\n%s\n\n- **Read** the table first, then its head.\n- `column %d` holds the sum of the row.\n", section, prose(i+section, 60), section)
		if section%3 == 0 {
			body.WriteString("\n```python\nfor row in rows:\n    print(row[0], sum(row[1:]))\n```\n")
		}
		if section%4 == 0 {
			body.WriteString("\n| in | out |\n|----|-----|\n| kg | lb |\n")
		}
	}
	page := "# Usage\n\n" + strings.Repeat(prose(i, 40)+"\n\n", 8)
	script := "import sys\n\n" + strings.Repeat("def step(row):\n    return sum(row)\n\n", 25) + "print(sys.argv)\n"
	return filetest.Write(b, dir, map[string]string{
		"SKILL.md": body.String(), "references/guide.md": page, "references/forms.md": page,
		"references/data.json": "[" + strings.Repeat("1, ", 400) + "1]\n", "LICENSE.txt": prose(i, 150) + "\n",
		"scripts/run.py": "#!/usr/bin/env python3\n" + script, "scripts/check.sh": "#!/bin/bash\nset -e\n" + strings.Repeat("echo step\n", 40),
	})
}

// prose returns a paragraph of n words that differs with seed.
func prose(seed, n int) string {
	words := strings.Fields("extract text from tables when the user asks for a report then merge split and render each sheet as chart value column row filter query")
	var p strings.Builder
	for k := range n {
		p.WriteString(words[(seed*7+k*k+k)%len(words)])
		p.WriteByte(' ')
	}
	return strings.TrimSpace(p.String()) + "."
}

// BenchmarkStart measures how long the first request takes to arrive, counted
// from the start of the process: the real program, a real server. For
// comparison it measures processes that do nothing: this program printing its
// version, and an empty one. The least of the times is the program's own; the
// median shows how busy the machine is.
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
		bare bool // without scripts: finding that out requires a look into every folder
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
