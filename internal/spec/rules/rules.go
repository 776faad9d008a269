package rules

// A rule is a value in a file of its own or of its subject, and a page of documentation
// with the same name. The list here gives their order, which is that of the
// documentation; nothing else knows all rules. Findings of several rules that have one
// cause are merged into one.

import (
	"io/fs"
	"slices"
	"strings"

	"skills/docs"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/plugins"
)

// All returns all rules in the order in which they are listed.
func All() []*spec.Rule {
	return append([]*spec.Rule{
		// Errors: requirements of the specification.
		skillFile, encoding,
		frontmatterMissing, frontmatterUnclosed, frontmatterSyntax, frontmatterDuplicateKey, frontmatterMapping,
		fieldUnknown,
		nameRequired, nameLength, nameLowercase, nameHyphens, nameCharacters, nameDirectory,
		descriptionRequired, descriptionLength,
		compatibilityType, compatibilityLength,
		licenseType,
		metadataType, metadataValues,

		// Warnings and advice about the frontmatter.
		fieldClient, fieldValues, scalarQuoting, yamlPortability,
		namePortability, descriptionPortability, allowedToolsFormat,
		descriptionWhen, catalogueCost,

		// Warnings and advice about the body and the files it mentions.
		bodyLength, fenceUnclosed,
		linkTarget, linkEscape,
		referenceDepth, referenceLength, referencesSize,
		scriptTarget, interpreterRule, inlineProgram, bodyEmpty, placeholder, argumentPlaceholder, ownPath,
		orphanFile, prerequisites,

		// Warnings and advice about the files of a skill.
		scriptRun, scriptEmpty, scriptInteractive, scriptHelp, scriptOutput, scriptDestructive, scriptMetadata, scriptPins,
		licenseFile, unreadFile, nestedSkill, nameCollision,
		hiddenText, remoteCode, secretInFile, homePath, unpinnedRunner, bannedWord,
		evalsFormat,

		ignoreComment,
	}, plugins.Rules()...)
}

// Find returns the rule with the given id, or nil.
func Find(id string) *spec.Rule {
	all := All()
	if i := slices.IndexFunc(all, func(r *spec.Rule) bool { return r.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// facts starts the list at the end of a page, which is generated from the rule.
const facts = "\n- Level: "

// Page returns the Markdown page of a rule: the reason, a bad and a good
// example. It returns "" for an unknown id.
func Page(id string) string {
	text, err := fs.ReadFile(docs.RulePages(), id+".md")
	if err != nil {
		return ""
	}
	page := string(text)
	if at := strings.LastIndex(page, facts); at >= 0 {
		page = page[:at]
	}
	return strings.TrimSpace(page) + "\n"
}

// Check returns the sorted findings for a document under a profile, without
// those that comments in the body suppress. Findings with the same cause are
// merged: Also lists the ids of the other rules.
func Check(doc *spec.Document, opts spec.Options) []spec.Diagnostic {
	if opts.Profile == spec.ProfileReference {
		return joinNames(checkReference(doc))
	}
	return joinPlaces(joinMisspelled(doc, joinNames(spec.Check(doc, All(), opts))))
}

// joinNames merges the findings about a name into the first, because one
// correction fixes all of them.
func joinNames(found []spec.Diagnostic) []spec.Diagnostic {
	about := func(rules ...*spec.Rule) func(spec.Diagnostic) bool {
		return func(d spec.Diagnostic) bool {
			return slices.ContainsFunc(rules, func(r *spec.Rule) bool { return r.ID == d.Rule })
		}
	}
	// A different folder name may only be a consequence of the other faults.
	spelling := []*spec.Rule{nameLength, nameLowercase, nameHyphens, nameCharacters}
	return join(found, slices.IndexFunc(found, about(spelling...)), about(append(spelling, nameDirectory)...))
}

// joinMisspelled merges the finding for a missing required field with the one
// for an unknown field that is probably a misspelling of it.
func joinMisspelled(doc *spec.Document, found []spec.Diagnostic) []spec.Diagnostic {
	for _, key := range []string{"name", "description"} {
		missing := slices.IndexFunc(found, func(d spec.Diagnostic) bool { return d.Rule == key+"-required" })
		if missing < 0 || doc.Field(key) != nil {
			continue
		}
		for _, f := range doc.Fields {
			unknown := func(d spec.Diagnostic) bool { return d.Rule == fieldUnknown.ID && d.Span == f.KeySpan }
			if nearestField(f) == key && slices.ContainsFunc(found, unknown) {
				found[missing].Span, found[missing].Help = f.KeySpan, "write "+key+" instead of "+printable.Quoted(f.Key)
				found = spec.Sort(join(found, missing, unknown))
				break
			}
		}
	}
	return found
}

// join removes the findings with the same cause as the one at index first, and
// lists their rules in it. It gets the highest of their levels. If first is
// negative, nothing is removed.
func join(found []spec.Diagnostic, first int, same func(spec.Diagnostic) bool) []spec.Diagnostic {
	if first < 0 {
		return found
	}
	main := &found[first]
	var also []string
	for _, d := range found {
		if same(d) {
			main.Level = max(main.Level, d.Level)
			also = append(also, d.Rule)
		}
	}
	slices.Sort(also)
	also = slices.DeleteFunc(slices.Compact(also), func(rule string) bool { return rule == main.Rule })
	main.Also = strings.Join(also, " ")
	at := -1
	return slices.DeleteFunc(found, func(d spec.Diagnostic) bool {
		at++
		return same(d) && at != first
	})
}

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
