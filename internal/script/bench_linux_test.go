package script

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRun is the whole of an empty script: without a supervisor, with one,
// and behind each fence.
func BenchmarkRun(b *testing.B) {
	for _, kind := range []string{bare, off, kindOf, kindBubble} {
		b.Run(kind, func(b *testing.B) {
			r := confinedRunner(b, kind, nil)
			if r == nil {
				return
			}
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "true.sh"), []byte("#!/bin/sh\n"), 0o600); err != nil {
				b.Fatal(err)
			}
			s := Script{Name: "true.sh", Dir: dir}
			for b.Loop() {
				if result, err := r.Run(b.Context(), s, nil); err != nil || !result.OK() {
					b.Fatal(result, err)
				}
			}
		})
	}
}
