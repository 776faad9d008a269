// Package store reads and writes the folders of an eval: runs, grades and benchmarks, in
// the form that skill-creator's scripts read too.
package store

import "time"

// Configurations are the names of the arms in files and folders.
const (
	WithSkill    = "with_skill"
	WithoutSkill = "without_skill"
	OldSkill     = "old_skill"
)

// Outcome is the result of one check.
type Outcome struct {
	Text     string  `json:"text"`
	Passed   bool    `json:"passed"`
	Evidence string  `json:"evidence"`
	Type     string  `json:"type,omitempty"`
	Weight   float64 `json:"weight"`
	Score    float64 `json:"score"` // 0 to 1
	Arm      string  `json:"arm,omitempty"`
	Judge    string  `json:"judge,omitempty"`          // the judge's model, or ""
	Found    *bool   `json:"evidence_found,omitempty"` // nil where no judge quoted anything
	Error    string  `json:"error,omitempty"`          // why the check could not be decided, or ""
	Votes    *[2]int `json:"votes,omitempty"`          // passes and failures of several votes
}

// Run is one stored run of a case in one arm.
type Run struct {
	Case          string // ID of the case
	Name          string // title of the case, or ""
	Slug          string // folder of the case
	Configuration string
	Number        int    // from 1
	Dir           string // folder of the run, absolute
	Error         string // why the run counts as an error, or ""; it has no score then

	Outcomes  []Outcome
	Answer    string
	ToolCalls map[string]int // calls a tool
	Turns     int
	Tokens    *int64 // nil if the server reported none
	Cost      *float64
	Duration  time.Duration
	Started   time.Time
	Ended     time.Time
}
