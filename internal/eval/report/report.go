// Package report writes benchmarks in formats for users, scripts and CI services.
package report

import (
	"errors"
	"io"

	"skills/internal/eval/store"
)

// Formats returns the names of the formats, the default first.
func Formats() []string {
	return []string{"text", "json", "jsonl", "junit", "markdown", "html"}
}

// Write writes a benchmark in a format. Errors are those of w, and an unknown format.
func Write(w io.Writer, format string, b *store.Benchmark) error {
	return errors.ErrUnsupported
}
