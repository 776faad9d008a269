package store

import "skills/internal/eval/stats"

// Names in a workspace that has an ablation.
const (
	AblationFolder = "ablation"
	AblationFile   = "ablation.json"
	AblationPage   = "ablation.md"
)

// Ablation is what leaving out the parts of a skill does, one at a time.
type Ablation struct {
	Schema    int       `json:"schema_version"`
	Skill     string    `json:"skill_name"`
	Model     string    `json:"executor_model"`
	Judge     string    `json:"analyzer_model"`
	Timestamp string    `json:"timestamp"`
	Margin    float64   `json:"margin"`  // the mean loss that must be excluded before a part can go
	Cases     int       `json:"n_cases"` // with a score with the whole skill
	Runs      int       `json:"runs_per_case"`
	Score     *float64  `json:"score"`    // mean over cases with the whole skill; nil if it is unknown
	Parts     []Removal `json:"parts"`    // in the order in which they are left out
	Combined  *Removal  `json:"combined"` // all that can go, left out together; nil if there are fewer than two
	Stopped   string    `json:"stopped,omitempty"`
}

// Kinds of parts.
const (
	SectionPart     = "section"
	FilePart        = "file"
	DescriptionPart = "description"
)

// Where the tokens of a part are.
const (
	InBody      = "body"      // which is loaded with the skill
	InResource  = "resource"  // which is read when it is needed
	InCatalogue = "catalogue" // which every run has
)

// NotMeasured is the outcome of a part that a budget left unfinished, or that has no
// recording.
const NotMeasured = "not measured"

// Removal is what leaving out a part does.
type Removal struct {
	Name      string         `json:"part"`
	Kind      string         `json:"kind"`
	Tokens    int            `json:"tokens"` // an estimate of what leaving it out saves
	Saved     map[string]int `json:"saved"`  // by where they are
	Mentions  []string       `json:"mentions"`
	Directory string         `json:"directory"`     // of the runs, slash-separated, relative to the ablation's
	Units     string         `json:"measured_with"` // cases, or queries of the trigger list
	Whole     *float64       `json:"score_whole"`   // mean over the compared cases; nil without any
	Part      *float64       `json:"score_without"`
	NotRun    int            `json:"not_run"`
	Errored   int            `json:"n_errored_runs"` // in both arms
	Reason    string         `json:"reason,omitempty"`
	Rows      []RemovalCase  `json:"cases"`
	stats.Loss
}

// RemovalCase is a case with the whole skill and without a part.
type RemovalCase struct {
	ID    ID      `json:"eval_id"`
	Whole float64 `json:"whole"`
	Part  float64 `json:"without"`
}

// Compare compares the runs with the whole skill and without the part, case by case. Checks
// that only runs with a whole skill can pass, such as reading a left-out file, do not count.
func (r *Removal) Compare(whole, part []Run, margin float64) {
	a, b := Aggregate(whole, Meta{}), Aggregate(part, Meta{})
	r.Errored, r.Rows = a.Statistics.ErroredRuns+b.Statistics.ErroredRuns, []RemovalCase{}
	var scores, others []float64
	for _, c := range a.Cases {
		for _, other := range b.Cases {
			if other.ID != c.ID || len(c.With.shared) == 0 || len(other.With.shared) == 0 {
				continue
			}
			x, y := stats.Mean(c.With.shared), stats.Mean(other.With.shared)
			scores, others = append(scores, x), append(others, y)
			r.Rows = append(r.Rows, RemovalCase{c.ID, stats.Round(x), stats.Round(y)})
		}
	}
	r.Whole, r.Part = meanOf(scores), meanOf(others)
	r.Loss = stats.Without(scores, others, margin)
}
