// Package suite reads the eval files of a skill in their three dialects into one form.
package suite

import (
	"encoding/json"
	"fmt"
	"time"

	"skills/internal/files"
)

// Suite is what a skill's eval files contain.
type Suite struct {
	Skill   string // name of the skill
	Dir     string // the skill's folder, absolute
	Cases   []Case
	Queries []Query
	Read    []string // the files that were read, relative to Dir
}

// Case is one task for the agent.
type Case struct {
	ID       string  `json:"-"` // as in the file, unique in the suite
	Slug     string  `json:"-"` // folder below an iteration: "eval-" and the ID with its name, file-safe
	Prompt   string  `json:"-"` // the first message of the user
	Baseline string  `json:"-"` // the prompt without the skill, or "" for the same
	Expected string  `json:"-"` // expected output in words, for the judge; or ""
	Files    []File  `json:"-"`
	Checks   []Check `json:"-"`
	Path     string  `json:"-"` // the file of the case, for messages
	Line     int     `json:"-"` // its line there, from 1
	Settings
}

// Settings are the keys of a case in evals/checks.json, and in the frontmatter of a
// prompt.md.
type Settings struct {
	Name     string        `json:"name"`
	Tags     []string      `json:"tags"`
	Seconds  float64       `json:"timeout_seconds"`
	Timeout  time.Duration `json:"-"`         // of Seconds; 0 for the default
	MaxTurns int           `json:"max_turns"` // 0 for the default
	Runs     int           `json:"runs"`      // 0 for the default
	Model    string        `json:"model"`     // "" for the default
	System   string        `json:"system"`    // appended to the system text, or ""
	Turns    []string      `json:"turns"`     // what the user says after each answer, in the same conversation
}

// Said returns all that the user says, for readers: a first message, and those that follow
// the answers.
func (c Case) Said(first string) string {
	for i, turn := range c.Turns {
		first += fmt.Sprintf("\n\nAfter answer %d, the user says:\n\n%s", i+1, turn)
	}
	return first
}

// File is an input of a case.
type File struct {
	Path    string  // slash-separated, relative to the run's folder
	Source  string  // absolute path, or ""
	Content *string // the text itself; nil if it is at Source
}

// Read returns the input, of at most so many bytes.
func (f File) Read(most int64) ([]byte, error) {
	if f.Content != nil {
		return []byte(*f.Content), nil
	}
	return files.ReadRegular(f.Source, most)
}

// Query is a prompt that should load the skill, or should not.
type Query struct {
	ID            string `json:"id,omitempty"`
	Query         string `json:"query"`
	ShouldTrigger bool   `json:"should_trigger"`
	Split         string `json:"split,omitempty"` // train, validation or ""
	Path          string `json:"-"`               // the file of the query, for messages
	Line          int    `json:"-"`               // from 1
}

// Arms of a check.
const (
	With = "with"
	Both = "both"
)

// Check is one assertion: the type selects which of the fields hold. A sentence for the
// judge has the type "judge".
type Check struct {
	Type   string   `json:"type"`
	Name   string   `json:"name,omitempty"`
	Arm    string   `json:"arm,omitempty"`    // With or Both; defaulted by the reader
	Weight *float64 `json:"weight,omitempty"` // nil is 1
	Not    bool     `json:"not,omitempty"`    // the opposite must hold

	Criteria string `json:"criteria,omitempty"` // judge
	Value    string `json:"value,omitempty"`    // contains, not_contains, equals, file_contains
	Pattern  string `json:"pattern,omitempty"`  // regex, file_regex
	Path     string `json:"path,omitempty"`     // file_*, csv_rows, unchanged, resource_read, script_used
	JSON
	Columns []string `json:"columns,omitempty"` // csv_rows
	Min     *float64 `json:"min,omitempty"`     // csv_rows, tool_used
	Max     *float64 `json:"max,omitempty"`     // csv_rows, tool_used, max_*
	Calls
	Program
}

// Program is the program of a check.
type Program struct {
	Command []string `json:"command,omitempty"` // command
	Seconds float64  `json:"timeout_seconds,omitempty"`
}

// JSON is what a check expects of a JSON value.
type JSON struct {
	Pointer string          `json:"pointer,omitempty"` // json, file_json
	Equals  json.RawMessage `json:"equals,omitempty"`  // json, file_json
	Schema  json.RawMessage `json:"schema,omitempty"`  // json_schema
}

// Calls is which calls of tools a check counts.
type Calls struct {
	Tool     string   `json:"tool,omitempty"`        // tool_used
	Input    string   `json:"input_match,omitempty"` // tool_used
	Tools    []string `json:"tools,omitempty"`       // tool_order
	ExitCode *int     `json:"exit_code,omitempty"`   // script_used
}
