package spec

// frontmatterMissing reports what was found while reading; see the faults of frontmatter-missing.
var frontmatterMissing = &Rule{
	ID:     "frontmatter-missing",
	Title:  "the first line is a fence (---)",
	Level:  Error,
	Source: `specification, "Frontmatter"`,
}
