package rules

import "skills/internal/spec"

// frontmatterMapping reports what was found while reading; see the faults of frontmatter-mapping.
var frontmatterMapping = &spec.Rule{
	ID:     "frontmatter-mapping",
	Title:  "the frontmatter is a mapping and not empty",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
}
