package rules

import "skills/internal/spec"

// skillFile reports what was found while looking for the file; see the faults of skill-file.
var skillFile = &spec.Rule{
	ID:     "skill-file",
	Title:  "the folder holds a regular file named exactly SKILL.md",
	Level:  spec.Error,
	Source: `specification, "Directory structure"`,
	Fix:    "renames a file such as skill.md to SKILL.md",
}
