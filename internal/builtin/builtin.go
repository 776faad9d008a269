// Package builtin holds the skills that are part of the program, made in Go: they
// work on a machine that has nothing else. Only a person calls them, by /name or
// --skill, so they add nothing to a request before that. It also has the recorded
// conversation of the demo.
//
// What the scripts touch is below the folder that they are given.
package builtin

import (
	_ "embed" // the recording
	"errors"
	"fmt"

	"skills/internal/loader"
)

// Origin is where these skills come from, in messages.
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
// dir, the folder that the program was started in.
func Skills(dir string) ([]*loader.Skill, error) {
	author, err := skillAuthor(dir)
	converter, converterErr := UnitConverter()
	if err = errors.Join(err, converterErr); err != nil {
		return nil, fmt.Errorf("making the built-in skills: %w", err)
	}
	all := []*loader.Skill{author, converter}
	for _, s := range all {
		s.Origin, s.Hidden = Origin, true
	}
	return all, nil
}
