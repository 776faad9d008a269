// Package store reads and writes the folders of an eval: runs, grades and benchmarks, in
// the form that skill-creator's scripts read too.
package store

import "time"

// Configurations are the names of the arms in files and folders.
const (
	WithSkill    = "with_skill"
	WithoutSkill = "without_skill"
	OldSkill     = "old_skill"
	newSkill     = "new_skill" // skill-creator's name for WithSkill beside OldSkill
)

// configurations returns those that can be read, the measured ones first.
func configurations() []string { return []string{WithSkill, newSkill, WithoutSkill, OldSkill} }

// File names in an iteration, its cases and their runs.
const (
	BenchmarkFile = "benchmark.json"
	MetadataFile  = "eval_metadata.json"
	GradingFile   = "grading.json"
	TimingFile    = "timing.json"
)

// Meta is what an iteration records besides its runs.
type Meta struct {
	Skill     string `json:"skill_name"`
	SkillPath string `json:"skill_path"`
	Model     string `json:"executor_model"`
	Judge     string `json:"analyzer_model"`
	BaseURL   string `json:"base_url,omitempty"`
	Timestamp string `json:"timestamp"` // RFC 3339
	Evals     []ID   `json:"evals_run"` // set by Aggregate
	Runs      int    `json:"runs_per_configuration"`
	Stopped   string `json:"stopped,omitempty"` // why the iteration is incomplete, or ""
	NotRun    int    `json:"not_run,omitempty"` // planned runs that a budget prevented

	Notes []string `json:"-"` // the notes of the benchmark
}

// CaseMeta is the content of a case's eval_metadata.json.
type CaseMeta struct {
	ID         ID       `json:"eval_id"`
	Name       string   `json:"eval_name"`
	Prompt     string   `json:"prompt"`
	Assertions []string `json:"assertions"`
}

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
	Failures  *int   // failed tool calls; nil if unknown
	Tokens    *int64 // nil if the server reported none
	Cost      *float64
	Duration  time.Duration // 0 if unknown
	Grading   time.Duration // time for grading, 0 if unknown
	Started   time.Time
	Ended     time.Time
	Notes     []string // of skill-creator's executor
}

// Failed returns why the run has no score, or "": its own error, or that of a check.
func (r Run) Failed() string {
	if r.Error == "" && len(r.Outcomes) == 0 {
		return "not graded"
	}
	for _, o := range r.Outcomes {
		if r.Error == "" && o.Error != "" {
			return o.Error
		}
	}
	return r.Error
}

// Score returns the weighted mean score of the outcomes; shared leaves out those that only
// one arm can pass. ok is false if there are none, or the run failed.
func (r Run) Score(shared bool) (score float64, ok bool) {
	weights := 0.0
	for _, o := range r.Outcomes {
		if !shared || o.Arm != "with" {
			score += o.Score * o.Weight
			weights += o.Weight
		}
	}
	if weights == 0 || r.Failed() != "" {
		return 0, false
	}
	return score / weights, true
}

// counts is the summary of a grading.
type counts struct {
	Passed int     `json:"passed"`
	Failed int     `json:"failed"`
	Total  int     `json:"total"`
	Rate   float64 `json:"pass_rate"`
}

func (r Run) count() (c counts) {
	c.Total = len(r.Outcomes)
	for _, o := range r.Outcomes {
		if o.Passed {
			c.Passed++
		}
	}
	c.Failed, c.Rate = c.Total-c.Passed, float64(c.Passed)/float64(c.Total)
	return c
}

// calls returns the number of tool calls, nil if it is unknown.
func (r Run) calls() *int {
	if r.ToolCalls == nil {
		return nil
	}
	total := 0
	for _, n := range r.ToolCalls {
		total += n
	}
	return &total
}
