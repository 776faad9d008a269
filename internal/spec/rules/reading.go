package rules

import "skills/internal/spec"

// The rules in this file have no check: their findings are the faults found
// while reading the file, the frontmatter and the ignore comments.
var (
	skillFile = faultRule("skill-file", "the folder contains a regular file named exactly SKILL.md",
		`specification, "Directory structure"`, "renames a file such as skill.md to SKILL.md")
	encoding = faultRule("encoding", "the file is UTF-8 without a byte order mark",
		`specification, "SKILL.md format"; clients read UTF-8`, "deletes the byte order mark; other encodings are not converted")
	frontmatterMissing = faultRule("frontmatter-missing", "the first line is a fence (---)",
		`specification, "Frontmatter"`, "deletes blank lines, spaces and extra dashes at the fence")
	frontmatterUnclosed = faultRule("frontmatter-unclosed", "a second fence closes the frontmatter",
		`specification, "Frontmatter"`, "deletes spaces and extra dashes at the fence")
	frontmatterSyntax = faultRule("frontmatter-syntax", "the frontmatter is valid YAML",
		`specification, "Frontmatter"`, "quotes a value that is certainly text, and replaces tabs that indent with spaces")
	frontmatterDuplicateKey = faultRule("frontmatter-duplicate-key", "no duplicate keys", "YAML 1.2, section 3.2.1.1", "")
	frontmatterMapping      = faultRule("frontmatter-mapping", "the frontmatter is a mapping and not empty", `specification, "Frontmatter"`, "")
)

func faultRule(id, title, source, fix string) *spec.Rule {
	return &spec.Rule{ID: id, Title: title, Level: spec.Error, Source: source, Fix: fix}
}

// ignoreComment reports comments without effect. Package spec creates its
// findings when it applies the comments.
var ignoreComment = &spec.Rule{
	ID:     "ignore-comment",
	Title:  "ignore comments name existing rules and have an effect",
	Level:  spec.Warning,
	Source: "this linter's own comments",
}
