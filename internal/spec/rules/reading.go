package rules

import (
	"skills/internal/spec"
)

// skillFile reports what was found while looking for the file; see the faults of skill-file.
var skillFile = &spec.Rule{
	ID:     "skill-file",
	Title:  "the folder contains a regular file named exactly SKILL.md",
	Level:  spec.Error,
	Source: `specification, "Directory structure"`,
	Fix:    "renames a file such as skill.md to SKILL.md",
}

// encoding reports what was found while reading; see the faults of encoding.
var encoding = &spec.Rule{
	ID:     "encoding",
	Title:  "the file is UTF-8 without a byte order mark",
	Level:  spec.Error,
	Source: `specification, "SKILL.md format"; clients read UTF-8`,
	Fix:    "deletes the byte order mark; other encodings are not converted",
}

// frontmatterMissing reports what was found while reading; see the faults of frontmatter-missing.
var frontmatterMissing = &spec.Rule{
	ID:     "frontmatter-missing",
	Title:  "the first line is a fence (---)",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "deletes blank lines and spaces before the fence, and extra dashes",
}

// frontmatterUnclosed reports what was found while reading; see the faults of frontmatter-unclosed.
var frontmatterUnclosed = &spec.Rule{
	ID:     "frontmatter-unclosed",
	Title:  "a second fence closes the frontmatter",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "deletes spaces before the closing fence, and extra dashes",
}

// frontmatterSyntax reports what was found while reading; see the faults of frontmatter-syntax.
var frontmatterSyntax = &spec.Rule{
	ID:     "frontmatter-syntax",
	Title:  "the frontmatter is valid YAML",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
	Fix:    "quotes a value that is certainly text, and replaces tabs that indent with spaces",
}

// frontmatterDuplicateKey reports what was found while reading; see the faults of frontmatter-duplicate-key.
var frontmatterDuplicateKey = &spec.Rule{
	ID:     "frontmatter-duplicate-key",
	Title:  "no duplicate keys",
	Level:  spec.Error,
	Source: `YAML 1.2, section 3.2.1.1`,
}

// frontmatterMapping reports what was found while reading; see the faults of frontmatter-mapping.
var frontmatterMapping = &spec.Rule{
	ID:     "frontmatter-mapping",
	Title:  "the frontmatter is a mapping and not empty",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"`,
}

// ignoreComment is about the ignore comments themselves. Its findings are made when
// the comments are applied: only then it is known which of them have an effect.
var ignoreComment = &spec.Rule{
	ID:     "ignore-comment",
	Title:  "ignore comments name existing rules and have an effect",
	Level:  spec.Warning,
	Source: "this linter's own comments",
}
