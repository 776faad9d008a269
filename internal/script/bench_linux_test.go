package script

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkRun is the whole of an empty script on each kind: without a
// supervisor, with one, in each sandbox. The kinds take turns, so that what
// else the machine does affects all of them alike.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "true.sh"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	s := Script{Name: "true.sh", Dir: dir}
	kinds := []string{bare, off, kindLandlock, kindBubblewrap}
	runners, took := map[string]*Runner{}, map[string][]time.Duration{}
	for _, kind := range kinds {
		if unsupported(b, kind) == nil {
			runners[kind] = sandboxedRunner(b, kind, nil)
		}
	}
	for b.Loop() {
		for _, kind := range kinds {
			if runners[kind] == nil {
				continue
			}
			began := time.Now()
			if result, err := runners[kind].Run(b.Context(), s, nil); err != nil || !result.OK() {
				b.Fatal(result, err)
			}
			took[kind] = append(took[kind], time.Since(began))
		}
	}
	for kind, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, kind+"-median-ms")
		b.ReportMetric(float64(all[0].Microseconds())/1000, kind+"-least-ms")
	}
}
