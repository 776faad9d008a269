package rules

import "skills/internal/spec"

// frontmatterMissing reports what was found while reading; see the faults of frontmatter-missing.
var frontmatterMissing = &spec.Rule{
	ID:     "frontmatter-missing",
	Title:  "the first line is a fence (---)",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "deletes blank lines before the fence and spaces in front of it, and makes a row of dashes three",
}
