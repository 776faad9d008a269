package spec

// frontmatterMapping reports what was found while reading; see the faults of frontmatter-mapping.
var frontmatterMapping = &Rule{
	ID:     "frontmatter-mapping",
	Title:  "the frontmatter is a mapping and not empty",
	Level:  Error,
	Source: `specification, "Frontmatter"`,
}
