package spec

import "slices"

// bodyRules are warnings and advice about the body and what it refers to.
func bodyRules() []*Rule {
	return []*Rule{
		bodyLength, linkTarget, linkEscape, referenceDepth, scriptTarget,
		bodyEmpty, orphanFile,
	}
}

// speaksOfText reports whether a rule is about the characters that stand in the
// file, whatever they mean: it is right about a file that could not be read, and
// on a line that is broken.
func speaksOfText(rule *Rule) bool { return rule == secretInFile || rule == hiddenText }

// needsFields reports whether a rule says nothing true of a document whose
// frontmatter is missing or could not be read. The others look at the body and
// the files alone.
func needsFields(rule *Rule) bool {
	return !slices.Contains([]*Rule{
		linkTarget, linkEscape, scriptTarget, scriptRun, scriptInteractive, hiddenText, secretInFile, homePath, unpinnedRunner, unreadFile,
	}, rule)
}
