// Package builtin contains the built-in skills, which are written in Go and
// need nothing else on the machine. Only the user invokes them, by /name or
// --skill, so until then they add nothing to a request. The package also
// contains the recorded conversation of the demo.
//
// Scripts only access files below the folder they are given.
package builtin

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"skills/internal/loader"
)

// Origin describes where these skills come from, in messages.
const Origin = "built in"

// DemoPrompt is the prompt of the recorded conversation.
const DemoPrompt = "How many pounds is one kilogram?"

// DemoConversation is the recording of `skills run --demo`, as `skills run
// --record` writes it. Only the model's turns are played back: the skill is
// really loaded and its script really run.
//
//go:embed demo.jsonl
var DemoConversation string

// Skills returns the built-in skills, sorted by name. Their scripts work below
// dir, the working directory.
func Skills(dir string) ([]*loader.Skill, error) {
	author, err := author{dir}.skill()
	converter, converterErr := UnitConverter()
	err = errors.Join(err, converterErr)
	if err != nil {
		return nil, fmt.Errorf("making the built-in skills: %w", err)
	}
	all := []*loader.Skill{author, converter}
	for _, s := range all {
		s.Origin, s.Hidden = Origin, true
	}
	return all, nil
}

//go:embed unit-converter.md
var converterText string

//go:embed conversion-table.md
var conversionTable string

// evals are the eval files of unit-converter.
//
//go:embed evals
var evals embed.FS

// DemoEvals returns the eval files of unit-converter, below evals/. A folder that gets a
// copy of them must have the skill's name.
func DemoEvals() fs.FS { return evals }

// evalRuns is an iteration of runs of these cases, as `skills eval` records it.
//
//go:embed iteration-1
var evalRuns embed.FS

// DemoRuns returns the recorded runs of `skills eval --demo`, below iteration-1/.
func DemoRuns() fs.FS { return evalRuns }

// conversion holds the arguments of the script convert.
type conversion struct {
	Value  float64 `json:"value" desc:"the number to convert"`
	Factor float64 `json:"factor" desc:"the factor from conversion-table"`
}

type converted struct {
	Value  float64 `json:"value"`
	Factor float64 `json:"factor"`
	Result float64 `json:"result"`
}

// UnitConverter returns the demo skill, a Go version of the test skill of that
// name that needs no interpreter and no files.
func UnitConverter() (*loader.Skill, error) {
	return loader.Inline(loader.Frontmatter{
		Name:        "unit-converter",
		Description: "Converts lengths and weights with a table of factors. Use when a task asks for miles, kilometers, pounds or kilograms in another unit.",
		License:     "MIT",
	}, converterText,
		loader.Value("conversion-table", "Factors between the units", conversionTable),
		loader.Function("convert", "Multiplies a value by a factor", convert))
}

func convert(_ context.Context, in conversion) (converted, error) {
	const digits = 1e6
	return converted{in.Value, in.Factor, math.Round(in.Value*in.Factor*digits) / digits}, nil
}
