// Package judge asks a model whether sentences are true of a run's answer and files.
package judge

import (
	"context"
	"errors"

	"skills/internal/agent/model"
	"skills/internal/eval/check"
	"skills/internal/eval/store"
)

// Options select the judge.
type Options struct {
	Server model.Server // its Transport may record or play back requests
	Model  string
	Votes  int // requests a run, of which the majority decides; 0 is 1
}

// Judge grades runs. It is safe for concurrent use.
type Judge struct{ o Options }

// New returns a judge, or an error for an address that cannot be used.
func New(o Options) (*Judge, error) { return nil, errors.New("not implemented") }

// Request is a run with the sentences to decide.
type Request struct {
	Prompt    string // what the agent was asked
	Expected  string // expected output in words, or ""
	Answer    string
	Files     []File
	Trace     []check.Event
	Sentences []string
}

// File is an output of the run.
type File struct {
	Path string
	Text string // "" with a note for what is not text
	Note string // such as "image/png, 1200 bytes", or ""
}

// Files reads the outputs in a run's folder, each and all bounded.
func Files(dir string) ([]File, error) { return nil, errors.New("not implemented") }

// Usage is what grading cost.
type Usage struct {
	Requests int
	Tokens   *model.Usage // nil if the server reports none
	Cut      bool         // parts of the run were cut before the judge saw them
}

// Digest identifies the judge's prompt, for the key of a stored grade.
func Digest() string { return "" }

// Grade decides all sentences of a run, in their order. A failure of the server is an
// error and never a score.
func (j *Judge) Grade(ctx context.Context, r Request) ([]store.Outcome, Usage, error) {
	return nil, Usage{}, errors.New("not implemented")
}
