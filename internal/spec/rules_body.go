package spec

// bodyRules are warnings and advice about the body and what it refers to.
func bodyRules() []*Rule {
	return []*Rule{
		bodyLength, linkTarget, linkEscape, referenceDepth, scriptTarget,
		bodyEmpty, orphanFile,
	}
}
