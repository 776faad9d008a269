// Package builtin holds the skills that the program brings along, made in Go:
// they work on a machine that has nothing else. Only a person calls them, by
// /name or --skill, so they cost no request anything before that.
//
// The package must not know of models, agents or terminals. What its scripts
// touch lies below the folder that it is handed.
package builtin

import (
	"fmt"

	"skills/internal/loader"
)

// Origin is where these skills come from, as people are told.
const Origin = "built in"

// Skills returns the built-in skills, sorted by name. Their scripts work below
// dir, the folder that the program was started in.
func Skills(dir string) ([]*loader.Skill, error) {
	author, err := skillAuthor(dir)
	if err != nil {
		return nil, fmt.Errorf("making the built-in skills: %w", err)
	}
	converter, err := UnitConverter()
	if err != nil {
		return nil, fmt.Errorf("making the built-in skills: %w", err)
	}
	all := []*loader.Skill{author, converter}
	for _, s := range all {
		s.Origin, s.Hidden = Origin, true
	}
	return all, nil
}
