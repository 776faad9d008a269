package rules

import "skills/internal/spec"

// frontmatterDuplicateKey reports what was found while reading; see the faults of frontmatter-duplicate-key.
var frontmatterDuplicateKey = &spec.Rule{
	ID:     "frontmatter-duplicate-key",
	Title:  "every key stands once",
	Level:  spec.Error,
	Source: `YAML 1.2, section 3.2.1.1`,
}
