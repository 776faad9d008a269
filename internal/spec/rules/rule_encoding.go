package rules

import "skills/internal/spec"

// encoding reports what was found while reading; see the faults of encoding.
var encoding = &spec.Rule{
	ID:     "encoding",
	Title:  "the file is UTF-8 without a byte order mark",
	Level:  spec.Error,
	Source: `specification, "SKILL.md format"; clients read UTF-8`,
	Fix:    "deletes the byte order mark; other encodings need a person",
}
