package cmd

import (
	"context"
	"strings"

	"skills/internal/builtin"
	"skills/internal/spec/tokens"
)

// builtinState is the state of a built-in skill that is not shadowed.
const builtinState = "builtin"

// builtinRows adds the built-in skills to the rows of those that were found.
// In the catalogue they cost nothing: the model is not told of them.
func (a *app) builtinRows(ctx context.Context, rows []listed) ([]listed, error) {
	own, err := builtin.Skills(a.Dir)
	if err != nil {
		return nil, err
	}
	found := rows
	for _, s := range own {
		c, err := s.Contents(ctx)
		if err != nil {
			return nil, err
		}
		row := listed{Name: s.Name, Description: s.Description, BodyTokens: tokens.Estimate(c.Instructions), State: builtinState}
		for _, other := range found {
			if strings.EqualFold(other.Name, s.Name) && other.State != "shadowed" {
				row.State, row.ShadowedBy = "shadowed", other.Path
				break
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
