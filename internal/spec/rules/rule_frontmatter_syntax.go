package rules

import "skills/internal/spec"

// frontmatterSyntax reports what was found while reading; see the faults of frontmatter-syntax.
var frontmatterSyntax = &spec.Rule{
	ID:     "frontmatter-syntax",
	Title:  "the frontmatter is valid YAML",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "quotes a value that is plainly text, turns tabs that indent into spaces, adds the space after a colon, indents text that stands too far left of its block, or at the margin",
}
