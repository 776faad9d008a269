package rules

import (
	"embed"
	"slices"

	"skills/internal/spec"
)

//go:embed *.md
var pages embed.FS

// All returns all rules in the order in which they are listed.
func All() []*spec.Rule {
	return []*spec.Rule{
		// Errors: requirements of the specification.
		skillFile,
		encoding,
		frontmatterMissing,
		frontmatterUnclosed,
		frontmatterSyntax,
		frontmatterDuplicateKey,
		frontmatterMapping,
		fieldUnknown,
		nameRequired,
		nameLength,
		nameLowercase,
		nameHyphens,
		nameCharacters,
		nameDirectory,
		descriptionRequired,
		descriptionLength,
		compatibilityType,
		compatibilityLength,
		licenseType,
		metadataType,
		metadataValues,

		// Warnings and advice about the frontmatter.
		fieldClient,
		fieldValues,
		scalarQuoting,
		yamlPortability,
		namePortability,
		descriptionPortability,
		allowedToolsFormat,
		descriptionWhen,
		catalogueCost,

		// Warnings and advice about the body and the files it mentions.
		bodyLength,
		fenceUnclosed,
		linkTarget,
		linkEscape,
		referenceDepth,
		referenceLength,
		scriptTarget,
		inlineProgram,
		bodyEmpty,
		orphanFile,
		prerequisites,

		// Warnings and advice about the files of a skill.
		scriptRun,
		scriptInteractive,
		scriptHelp,
		scriptOutput,
		scriptDestructive,
		scriptMetadata,
		scriptPins,
		licenseFile,
		unreadFile,
		nestedSkill,
		nameCollision,
		hiddenText,
		remoteCode,
		secretInFile,
		homePath,
		unpinnedRunner,
		evalsFormat,

		ignoreComment,
	}
}

// Find returns the rule with the given id, or nil.
func Find(id string) *spec.Rule {
	all := All()
	if i := slices.IndexFunc(all, func(r *spec.Rule) bool { return r.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// Page returns the Markdown page of a rule: the reason, a bad and a good
// example. It returns "" for an unknown id.
func Page(id string) string {
	text, err := pages.ReadFile(id + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Check returns the sorted findings for a document under a profile, without
// those that comments in the body suppress. Findings with the same cause are
// merged: Also lists the ids of the other rules.
func Check(doc *spec.Document, opts spec.Options) []spec.Diagnostic {
	found, _ := CheckIgnored(doc, opts)
	return found
}

// CheckIgnored is like Check, and also returns the suppressed findings.
func CheckIgnored(doc *spec.Document, opts spec.Options) ([]spec.Diagnostic, []spec.Ignored) {
	if opts.Profile == spec.ProfileReference {
		return joinNames(checkReference(doc)), nil
	}
	found, ignored := spec.Check(doc, All(), opts)
	return joinMisspelled(doc, joinNames(found)), ignored
}
