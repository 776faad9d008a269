package rules

import (
	"maps"
	"path"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var orphanFile = &spec.Rule{
	ID:     "orphan-file",
	Title:  "every file is mentioned somewhere",
	Level:  spec.Info,
	Source: "agentskills.io, optimising skills: an agent finds what SKILL.md, or a file it leads to, names",
	Check: func(p *spec.Pass) {
		groups := map[string][]string{} // by folder
		for _, name := range unmentionedFiles(p) {
			top, _, below := strings.Cut(name, "/")
			if !below {
				top = ""
			}
			groups[top] = append(groups[top], name)
		}
		for _, top := range slices.Sorted(maps.Keys(groups)) {
			names := groups[top]
			if len(names) == 1 {
				reportFile(p, names[0], "say in SKILL.md when it is needed, or delete it", "%s is not mentioned in SKILL.md or the files that it leads to", printable.Quote(names[0]))
				continue
			}
			where := ""
			if top != "" {
				where = " in " + printable.Quoted(top) + "/"
			}
			for i, name := range names {
				names[i] = printable.Quoted(name)
			}
			p.Report(spec.Span{}, "say in SKILL.md when they are needed, or delete them", "%d files%s are not mentioned in SKILL.md or the files that it leads to: %s", len(names), where, printable.List(names, 5))
		}
	},
}

// unmentionedFiles returns the files that neither the SKILL.md nor a text it
// leads to mentions, sorted. It stops reading texts once every file is
// mentioned.
func unmentionedFiles(p *spec.Pass) []string {
	read, left := orphanCandidates(p)
	if !slices.ContainsFunc(left, mustBeMentioned) {
		return nil
	}
	m := references.NewNames(fileNames(left))
	m.Add(string(p.Doc.Source), false)
	for _, l := range p.Doc.Page().Links {
		name, _, _ := l.Split()
		m.Add(name, false)
	}
	for {
		left = slices.DeleteFunc(left, func(f spec.File) bool {
			found := m.Has(f.Name)
			if found {
				read = append(read, f)
			}
			return found
		})
		if len(read) == 0 || !slices.ContainsFunc(left, mustBeMentioned) {
			break
		}
		for _, f := range read {
			if f.Size == 0 || isBinaryName(f.Name) {
				continue
			}
			if t := readText(p.Doc, f); t != nil {
				m.Add(string(t.src), references.Language(f.Name, t.src) != "" || !t.isProse())
			}
		}
		read = nil
	}
	return fileNames(slices.DeleteFunc(left, func(f spec.File) bool { return !mustBeMentioned(f) }))
}

// mustBeMentioned reports whether a file is for agents. A test is not, and what it
// mentions is for agents only where the test is.
func mustBeMentioned(f spec.File) bool { return !spec.IsTest(f.Name) }

func fileNames(files []spec.File) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names
}

// orphanCandidates returns the files that should be mentioned, with tests, and those
// that agents or tools read even without a mention.
func orphanCandidates(p *spec.Pass) (read, left []spec.File) {
	nested := map[string]bool{} // folders of nested skills
	for _, name := range skillOf(p).nestedSkills() {
		nested[path.Dir(name)] = true
	}
	for _, f := range filesOf(p.Doc) {
		base := path.Base(f.Name)
		switch {
		case !f.Mode.IsRegular(), f.Name == p.Doc.File, base == spec.FileName,
			strings.Contains("/"+f.Name, "/."), references.IsProjectFile(base),
			inFolderOf(nested, f.Name):
		case isManifest(f.Name) || isEval(f.Name) || spec.InFolder(f.Name, "__pycache__", "node_modules"):
			read = append(read, f)
		default:
			left = append(left, f)
		}
	}
	return read, left
}

// isEval reports whether a file is one of the skill's evals, which are run with the
// files that they name.
func isEval(name string) bool { return spec.InFolder(name, "evals", "eval") }

// isManifest reports whether tools find a file by its name.
func isManifest(name string) bool {
	if !strings.Contains(name, "/") && slices.Contains([]string{"metadata.json", "_meta.json", "marketplace.json"}, name) {
		return true // of registries and packages
	}
	switch base := path.Base(name); base {
	case "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "tsconfig.json", "deno.json", "deno.lock",
		"pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "Pipfile", "Pipfile.lock",
		"go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock", "Makefile", "justfile", "Dockerfile", "skill.json", "skill.yaml", "manifest.json", "plugin.json":
		return true
	default:
		return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") || name == "agents/openai.yaml"
	}
}
