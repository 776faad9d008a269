// Package probe finds out by a few small requests what a server and its model can do, and
// says what a run does about each result.
package probe

import (
	"slices"

	"skills/internal/agent"
)

// MaxRequests is the maximum number of requests of one [Server].
const MaxRequests = 8

// State is the result of a check.
type State string

const (
	OK      State = "ok"
	Warning State = "warning" // a run works, but not with everything
	Failed  State = "failed"  // a run does not work
	Unknown State = "unknown" // it could not be found out
)

// Check is the result for one ability.
type Check struct {
	Name  string   `json:"name"`
	State State    `json:"state"`
	Found string   `json:"found"`
	Run   string   `json:"run"`   // what a run does about it
	Flags []string `json:"flags"` // the flags to use
}

// Report is the result for a server and a model. It contains no key.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	OK            bool    `json:"ok"` // a run works
	Kind          string  `json:"kind"`
	Model         string  `json:"model"`
	Window        int64   `json:"window"` // tokens of the context, 0 if unknown
	Requests      int     `json:"requests"`
	Checks        []Check `json:"checks"`
	// Flags are those of all checks.
	Flags []string `json:"flags"`
}

// Target is what is examined.
type Target struct {
	Server agent.Server
	Model  string // "" for the first one of the server
	Window int64  // of the configuration, 0 if unknown
}

// finish completes a report.
func (r *Report) finish() {
	r.OK = !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.State == Failed })
	r.Flags = []string{}
	for i := range r.Checks {
		if r.Checks[i].Flags == nil {
			r.Checks[i].Flags = []string{}
		}
		for _, flag := range r.Checks[i].Flags {
			if !slices.Contains(r.Flags, flag) {
				r.Flags = append(r.Flags, flag)
			}
		}
	}
}
