package lint

import (
	"maps"
	"path/filepath"

	"skills/internal/lint/fix"
	"skills/internal/spec"
)

// plan computes the fixes for a skill. It keeps the skill's name if another
// skill in the same folder has or gets the new name: clients would keep only
// one of them.
func (s *selection) plan(i int, least spec.Level) fix.Changes {
	skill := s.skills[i]
	doc, opts := skill.open(), skill.options(least)
	before := doc.Text("name")
	c := fix.Plan(doc, opts)
	if after := c.Document.Text("name"); after == before || !s.isNamed(i, after, least) {
		return c
	}
	opts.Levels = maps.Clone(opts.Levels)
	for _, id := range []string{"name-length", "name-lowercase", "name-hyphens", "name-characters", "name-directory"} {
		opts.Levels[id] = spec.Off
	}
	return fix.Plan(skill.open(), opts)
}

// isNamed reports whether a sibling of skill i has the given name after its
// fixes.
func (s *selection) isNamed(i int, name string, least spec.Level) bool {
	folder := filepath.Dir(s.skills[i].found.Real)
	for k, other := range s.skills {
		if k != i && filepath.Dir(other.found.Real) == folder && fix.Plan(other.open(), other.options(least)).Document.Text("name") == name {
			return true
		}
	}
	return false
}
