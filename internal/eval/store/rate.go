package store

import (
	"fmt"

	"skills/internal/eval/stats"
)

// Rate is a share with its 95 % interval.
type Rate struct {
	Count
	CI [2]float64 `json:"ci95"` // set by Finish
}

// Finish computes the interval.
func (r *Rate) Finish() { r.CI[0], r.CI[1] = stats.Wilson(r.Passed, r.Total) }

// String returns the numbers and the interval.
func (r Rate) String() string {
	if r.Total == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d/%d (%.0f to %.0f %%)", r.Passed, r.Total, 100*r.CI[0], 100*r.CI[1])
}
