package spec

// frontmatterRules are warnings and advice about the frontmatter.
func frontmatterRules() []*Rule {
	return []*Rule{
		fieldClient,
		scalarQuoting, yamlPortability,
		namePortability, descriptionPortability, allowedToolsFormat,
		descriptionWhen, catalogueCost,
	}
}
