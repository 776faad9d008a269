package rules

import "skills/internal/spec"

// frontmatterUnclosed reports what was found while reading; see the faults of frontmatter-unclosed.
var frontmatterUnclosed = &spec.Rule{
	ID:     "frontmatter-unclosed",
	Title:  "a second fence closes the frontmatter",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "deletes the spaces in front of the closing fence, and makes a row of dashes three",
}
