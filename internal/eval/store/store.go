// Package store reads and writes the folders of an eval: runs, grades and benchmarks, in
// the form that skill-creator's scripts read too.
package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Configurations are the names of the arms in files and folders.
const (
	WithSkill    = "with_skill"
	WithoutSkill = "without_skill"
	OldSkill     = "old_skill"
	newSkill     = "new_skill" // skill-creator's name for WithSkill compared with OldSkill
)

// configurations returns those that can be read, the measured ones first.
func configurations() []string { return []string{WithSkill, newSkill, WithoutSkill, OldSkill} }

// Names of files and folders in a workspace, an iteration, its cases and their runs.
const (
	IterationPrefix = "iteration-"
	TriggerPrefix   = "trigger-" // of the folders of eval trigger

	BenchmarkFile = "benchmark.json"
	TriggerFile   = "trigger.json" // the result of eval trigger
	MetadataFile  = "eval_metadata.json"
	GradingFile   = "grading.json"
	TimingFile    = "timing.json"
	OutputsFolder = "outputs" // what a run left

	TranscriptFile = "transcript.jsonl"
	TranscriptPage = "transcript.md"
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
	Stopped   string `json:"stopped,omitempty"`  // why the iteration is incomplete, or ""
	NotRun    int    `json:"not_run,omitempty"`  // planned runs that a budget prevented
	Partial   bool   `json:"partial,omitempty"`  // only selected cases were run
	Pairwise  bool   `json:"pairwise,omitempty"` // runs were compared in pairs

	Notes []string `json:"-"` // the notes of the benchmark
	Dir   string   `json:"-"` // the iteration's folder; "" if there is none
}

// CaseMeta is the content of eval_metadata.json, of a case and of each of its arms, where
// skill-creator's viewer looks for it.
type CaseMeta struct {
	ID         any      `json:"eval_id"` // see [MetaIDs]
	Name       string   `json:"eval_name"`
	Prompt     string   `json:"prompt"`
	Assertions []string `json:"assertions"`

	ShouldTrigger *bool `json:"should_trigger,omitempty"` // of a query of eval trigger
}

// MetaIDs returns the ids of cases for CaseMeta: all are numbers, or all are strings, because
// skill-creator sorts them.
func MetaIDs(ids []string) (all []any) {
	mixed := false
	for _, id := range ids {
		data, err := ID(id).MarshalJSON()
		mixed = mixed || err != nil || data[0] == '"'
	}
	for _, id := range ids {
		if mixed {
			all = append(all, id)
		} else {
			all = append(all, ID(id))
		}
	}
	return all
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
	Cut      bool    `json:"cut,omitempty"`            // whether the judge saw only parts of a long run
}

// UnmarshalJSON reads an outcome, whose writer may not know weights and scores.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	type plain Outcome
	given := struct {
		*plain
		Passed *bool    `json:"passed"`
		Score  *float64 `json:"score"`
	}{plain: (*plain)(o)}
	o.Weight = 1
	err := json.Unmarshal(data, &given)
	if given.Passed == nil {
		o.Error = cmp.Or(o.Error, "the assertion has no result")
	} else {
		o.Passed = *given.Passed
		if o.Passed {
			o.Score = 1
		}
	}
	if given.Score != nil {
		o.Score = *given.Score
	}
	return err
}

// Run is one stored run of a case in one arm.
type Run struct {
	Case          string // ID of the case
	Name          string // title of the case, or ""
	Slug          string // folder of the case, slash-separated, relative to the iteration
	Configuration string
	Number        int    // from 1
	Dir           string // folder of the run
	Prompt        string // of the case
	Answer        string // not stored

	Timing  // a run with an error has no score
	Metrics // of its tool calls

	Outcomes []Outcome
	Pair     *Pair    // with the run of the baseline of this number; nil without a comparison
	Notes    []string // of skill-creator's executor
}

// Timing is the content of timing.json: the keys of the agentskills.io guide, those of
// skill-creator, why a run failed, and what is needed to grade it again. Numbers that are
// nil or 0 are unknown.
type Timing struct {
	Tokens   *int64     `json:"total_tokens"`
	MS       *int64     `json:"duration_ms"`
	Total    float64    `json:"total_duration_seconds,omitempty"`
	Start    *time.Time `json:"executor_start,omitempty"`
	End      *time.Time `json:"executor_end,omitempty"`
	Executor float64    `json:"executor_duration_seconds,omitempty"`
	Grader   float64    `json:"grader_duration_seconds,omitempty"`
	Cost     *float64   `json:"cost,omitempty"`
	Judged   *int64     `json:"judge_tokens,omitempty"`
	Judging  *float64   `json:"judge_cost,omitempty"`
	Error    string     `json:"error,omitempty"`
	Harness  string     `json:"harness_error,omitempty"`  // the kind of an error that is no result of the skill
	Key      string     `json:"key,omitempty"`            // digest of what the run depends on; "" if it is incomplete
	Removed  []string   `json:"removed_inputs,omitempty"` // inputs that the run removed
	Answer   string     `json:"answer_file,omitempty"`    // name of the answer's copy among the outputs, or ""
}

// Kinds of errors of the model or the server that say nothing about the skill.
const (
	CallsAsText  = "calls_as_text"   // the model wrote calls that cannot be read
	EndlessReply = "endless_reply"   // a reply repeated itself, or was cut off or too long
	RefusedForm  = "refused_request" // the server refused the form of a request
)

// Metrics counts tool calls; nil numbers are unknown.
type Metrics struct {
	ToolCalls map[string]int `json:"tool_calls"` // by tool
	Calls     *int           `json:"total_tool_calls,omitempty"`
	Turns     int            `json:"total_steps,omitempty"`
	Failures  *int           `json:"errors_encountered,omitempty"`
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

// Score returns the weighted mean score of the outcomes. ok is false if there are none,
// or the run failed.
func (r Run) Score() (score float64, ok bool) {
	weights := 0.0
	for _, o := range r.Outcomes {
		score += o.Score * o.Weight
		weights += o.Weight
	}
	if weights == 0 || r.Failed() != "" {
		return 0, false
	}
	return score / weights, true
}

// SharedScore is the Score of the outcomes that both arms can pass.
func (r Run) SharedScore() (score float64, ok bool) {
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Arm == "with" })
	return r.Score()
}

// counts is the summary of a grading.
type counts struct {
	Passed int     `json:"passed"`
	Failed int     `json:"failed"`
	Total  int     `json:"total"`
	Rate   float64 `json:"pass_rate"`
}

func (r Run) count() counts {
	c := counts{Total: len(r.Outcomes)}
	for _, o := range r.Outcomes {
		if o.Passed {
			c.Passed++
		}
	}
	c.Failed, c.Rate = c.Total-c.Passed, float64(c.Passed)/float64(c.Total)
	return c
}
