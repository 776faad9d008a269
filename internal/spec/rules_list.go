package spec

import (
	"slices"
	"sync"
)

// Rules returns all rules in the order in which they are listed.
func Rules() []*Rule {
	return slices.Concat(errorRules(), frontmatterRules(), bodyRules(), fileRules(), []*Rule{ignoreComment})
}

// everyRule is the list that is not to be changed.
var everyRule = sync.OnceValue(Rules)

// errorRules are what the specification demands.
func errorRules() []*Rule {
	return []*Rule{
		skillFile, encoding,
		frontmatterMissing, frontmatterUnclosed, frontmatterSyntax, frontmatterDuplicateKey, frontmatterMapping,
		fieldUnknown,
		nameRequired, nameLength, nameLowercase, nameHyphens, nameCharacters, nameDirectory,
		descriptionRequired, descriptionLength,
		compatibilityType, compatibilityLength,
		licenseType, metadataType, metadataValues,
	}
}

// FindRule returns the rule with the given id, or nil.
func FindRule(id string) *Rule {
	i := slices.IndexFunc(Rules(), func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return Rules()[i]
}

// Check returns the findings on a document, sorted, without those that the
// body's comments ignore; see [CheckRules].
func Check(doc *Document, opts Options) []Diagnostic {
	found, _ := CheckIgnored(doc, opts)
	return found
}

// CheckIgnored is Check; it also returns the findings that are left out because
// a comment ignores them, sorted too, with the reasons.
func CheckIgnored(doc *Document, opts Options) ([]Diagnostic, []Ignored) {
	return CheckRules(doc, everyRule(), opts)
}
