package rules

// A link that leads nowhere is a broken instruction: the agent tries it, fails and makes
// something up. These rules resolve the links and mentions of all pages that an agent can
// reach. Targets that may be elsewhere, such as in the user's project, are ignored.

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
	"skills/internal/suggest"
)

var linkTarget = &spec.Rule{
	ID:     "link-target",
	Title:  "links lead to existing files and headings",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "specification, file references: paths are relative to the skill's folder",
	Fix:    "writes the path as on disk if only its case differs, and slashes instead of backslashes",
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%s (and %s to it)", places[0].Message, printable.Plural(len(places)-1, "more link"))
	},
	Check: func(p *spec.Pass) {
		s := skillOf(p)
		seen := map[string]bool{}
		for _, file := range s.instructions() {
			for _, t := range file.targets {
				if p.Full() {
					return
				}
				checkTarget(p, s, file, t)
			}
			checkMentions(p, s, file, seen)
		}
	},
}

// checkTarget reports a link whose target is not in the folder, or not a heading
// of the page.
func checkTarget(p *spec.Pass, s *skill, in *page, t references.Target) {
	if t.Kind == references.SamePage {
		checkAnchor(p, in, t, in)
		return
	}
	if t.Kind != references.InSkill {
		return // reported by link-escape, or not a file
	}
	f := s.folder
	if name := f.Resolve(t); name != "" {
		if raw := in.Body[t.Start:t.End]; strings.Contains(raw, `\`) && strings.Contains(t.Path, `\`) && !f.Has(t.Path) {
			var fix *spec.Fix
			if raw == t.Target { // nothing in it is escaped
				fix = swap(in, t, raw, strings.ReplaceAll(raw, `\`, "/"), "write slashes")
			}
			p.ReportIn(in.path(p), in.bodySpan(t.Start, t.End), fix, "write "+printable.Quoted(name),
				"%s is written with backslashes: only Windows takes them for slashes", quotedPath(t.Path))
		}
		if to := s.page(name); to != nil && t.Anchored {
			checkAnchor(p, in, t, to)
		}
		return
	}
	for _, name := range append([]string{t.Path}, t.Others...) {
		actual, known := f.Find(name)
		if !known || inProjectFolder(f, name) {
			return // the target may exist
		}
		if actual != "" {
			fix := respell(in, t, actual)
			if all := f.Spellings(name); len(all) > 1 {
				fix, actual = nil, strings.Join(all, " or ")
			}
			reportSpelling(p, in, in.bodySpan(t.Start, t.End), fix, name, actual)
			return
		}
	}
	sentence := in.Sentence(t.Start, t.End)
	isCited := t.Link.Kind != markdown.HTML && sentence.IsQuoted()
	if isCited || sentence.IsExample() {
		return
	}
	report := p.ReportIn
	if forPeople().MatchString(path.Base(in.name)) {
		report = p.AdviseIn // a copy of a project's page keeps the links of the project
	}
	report(in.path(p), in.bodySpan(t.Start, t.End), nil, s.suggestion(t.Path, "correct the path, or take the link out"), "%s does not exist in the skill's folder", quotedPath(t.Path)).
		In(t.Path, printable.Quoted(t.Path))
}

// reportSpelling reports a path that differs from the name on disk only in case or
// Unicode normalisation.
func reportSpelling(p *spec.Pass, in *page, span spec.Span, fix *spec.Fix, name, actual string) {
	help := actual
	if fix != nil {
		help = fix.Edits[0].Text
	}
	p.ReportIn(in.path(p), span, fix, "write the name as on disk: "+printable.Quoted(help),
		"%s is called %s on disk; most systems distinguish upper and lower case", printable.Quote(name), printable.Quote(actual))
}

// suggestion returns the help text for a path that does not exist.
func (s *skill) suggestion(name, otherwise string) string {
	if similar := s.folder.Suggest(name); similar != "" {
		return "did you mean " + printable.Quoted(similar) + "?"
	}
	return otherwise
}

// inProjectFolder reports whether a path is in a hidden folder that the skill
// does not have, such as .github, and therefore belongs to the project.
func inProjectFolder(f *references.Folder, name string) bool {
	top, _, below := strings.Cut(name, "/")
	return below && strings.HasPrefix(top, ".") && !f.Has(top)
}

// checkAnchor reports a fragment that matches no heading.
func checkAnchor(p *spec.Pass, in *page, t references.Target, to *page) {
	name := t.Fragment
	switch {
	case to.Cut, name == "", references.IsPlaceholder("x/" + name):
		return
	case name == "top", strings.HasPrefix(name, ":~:"), lineNumber().MatchString(name):
		return // a browser or GitHub finds these without a heading
	case to.Anchors[name], to.Anchors[strings.ToLower(name)], to.Anchors["user-content-"+name], to.Anchors[strings.TrimPrefix(name, "user-content-")]:
		return
	}
	anchors := slices.Sorted(maps.Keys(to.Anchors))
	if slices.ContainsFunc(anchors, func(a string) bool { return strings.EqualFold(a, name) }) {
		return
	}
	help := "link to an existing heading, in small letters with hyphens"
	if n := suggest.Close(name, anchors); n != "" {
		help = "did you mean #" + printable.Quoted(n) + "?"
	}
	where := "the file"
	if to != in {
		where = quotedPath(path.Base(t.Path))
	}
	p.AdviseIn(in.path(p), in.bodySpan(t.Start, t.End), nil, help, "%s has no heading #%s", where, printable.Quoted(name))
}

// lineNumber matches GitHub's references to lines: L10, L10-L20.
var lineNumber = lazyregexp.New(`^L[LC0-9-]+$`)

// respell returns the fix that corrects the end of a link's path to the
// spelling on disk, or nil if the path is not in the source verbatim.
func respell(in *page, t references.Target, actual string) *spec.Fix {
	raw := in.Body[t.Start:t.End]
	end := len(raw)
	if i := strings.IndexAny(raw, "#?"); i >= 0 {
		end = i
	}
	have, want := strings.Split(raw[:end], "/"), strings.Split(actual, "/")
	for i := 1; i <= min(len(have), len(want)) && references.Fold(have[len(have)-i]) == references.Fold(want[len(want)-i]); i++ {
		have[len(have)-i] = want[len(want)-i]
	}
	return swap(in, t, raw, strings.Join(have, "/")+raw[end:], "write the name as on disk")
}

// swap returns the fix that replaces a link's destination.
func swap(in *page, t references.Target, raw, to, description string) *spec.Fix {
	if raw == to || strings.ContainsAny(to, " <>()") && !strings.ContainsAny(raw, " <>()") {
		return nil
	}
	return &spec.Fix{Description: description, Edits: []spec.Edit{{File: in.name, Start: in.start + t.Start, End: in.start + t.End, Text: to}}}
}

// checkMentions reports missing files that a page instructs the reader to read,
// run or use. Many paths in texts are examples, are created by the skill or
// belong to the user's project, so only certain ones count. Names in seen are
// already reported.
func checkMentions(p *spec.Pass, s *skill, in *page, seen map[string]bool) {
	f := s.folder
	for _, m := range in.Named() {
		if p.Full() {
			return
		}
		actual, missing := s.missing(in, m.Path)
		isOther := m.IsScript() || isProjectDocument(m.Path) || references.Fold(path.Base(m.Path)) == "skill.md" // a script of script-target, or a word about the format
		if !missing || seen[m.Path] || isOther {
			continue
		}
		if actual != "" {
			seen[m.Path] = true
			reportSpelling(p, in, in.bodySpan(m.Start, m.End), nil, m.Path, actual)
			continue
		}
		top, _, _ := strings.Cut(m.Path, "/")
		ofSkill := strings.HasPrefix(top, "reference")
		own := func() bool {
			sentence := in.Sentence(m.Start, m.End)
			if in.name != "" && !f.IsDir(top) && !sentence.Explicit() {
				return false // a table of another project's files, often
			}
			return f.IsDir(top) || ofSkill || top == "resources" || sentence.Explicit() && !sentence.MaybeInProject()
		}
		required := strings.Contains(m.Path, "/") && in.IsUseInstruction(m) && own() || in.Listed(m)
		if !required || in.Produces(m.Path) || isRecord(m.Path) {
			continue
		}
		up := s.ancestorWith(m.Path)
		if up != "" && !ofSkill {
			continue
		}
		seen[m.Path] = true
		if up != "" {
			p.AdviseIn(in.path(p), in.bodySpan(m.Start, m.End), nil, "copy it into the skill, or write the path to it: "+printable.Quoted(up+m.Path),
				"%s is not in the skill's folder, but in one above", printable.Quote(m.Path))
			continue
		}
		report := p.ReportIn
		sentence := in.Sentence(m.Start, m.End)
		isInstruction := sentence.Explicit() || in.name == "" && sentence.IsNamed()
		if !isInstruction && !in.Listed(m) {
			report = p.AdviseIn // nothing says to read it, or that the skill has it
		}
		report(in.path(p), in.bodySpan(m.Start, m.End), nil, s.suggestion(m.Path, "correct the path, or take it out"), "%s does not exist in the skill's folder", printable.Quote(m.Path))
	}
}

// isProjectDocument reports whether a name without a folder is in capitals, as documents of
// projects are: STYLE_GUIDE.md.
func isProjectDocument(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	return !strings.Contains(name, "/") && stem == strings.ToUpper(stem) && stem != strings.ToLower(stem)
}

// isRecord reports whether a path is one of data that programs write while they run.
func isRecord(name string) bool {
	return slices.Contains([]string{".jsonl", ".log", ".db", ".sqlite", ".lock", ".pid", ".tmp", ".env"}, strings.ToLower(path.Ext(name)))
}

var linkEscape = &spec.Rule{
	ID:     "link-escape",
	Title:  "links and symbolic links stay in the skill's folder",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "specification, file references: paths are relative to the skill's folder, which is what is installed",
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%s (and %s to %s)", places[0].Message, printable.Plural(len(places)-1, "more link"), places[0].Subject)
	},
	Check: func(p *spec.Pass) {
		s := skillOf(p)
		for _, file := range s.instructions() {
			checkEscapes(p, s, file)
		}
		for _, file := range filesOf(p.Doc) {
			if file.Outside && !p.Full() {
				reportFile(p, file.Name, "replace the link with a copy of the file",
					"the symbolic link %s leads to %s, which is outside the skill's folder or does not exist", printable.Quote(file.Name), printable.Quote(file.Link)).
					In("symbolic links", "places outside")
			}
		}
	},
}

func checkEscapes(p *spec.Pass, s *skill, in *page) {
	for _, t := range in.targets {
		if p.Full() {
			return
		}
		switch {
		case t.Kind == references.Above && s.folder.Resolve(t) == "":
			reportEscape(p, s, in, t)
		case t.Kind == references.OnDisk && strings.HasPrefix(t.Target, "/mnt/skills/"):
			p.AdviseIn(in.path(p), in.bodySpan(t.Start, t.End), nil, "name the other skill in words: other clients keep skills elsewhere", "%s is a path of Claude's apps", quotedPath(t.Target)).
				In("apps", "/mnt/skills")
		case t.Kind == references.OnDisk:
			in.reportBody(p, t.Start, t.End, "write the path from the skill's folder, and put the file there", "%s is a path of one machine", quotedPath(t.Target))
		case t.Kind == references.Elsewhere && strings.HasPrefix(t.Target, "/"):
			written, _, _ := t.Split()
			if rest := strings.Trim(written, "/"); rest != "" && s.folder.Has(rest) {
				in.reportBody(p, t.Start, t.End, "write "+printable.Quoted(rest), "%s starts at the root of the disk, but the file is in the skill", quotedPath(t.Target))
			}
		}
	}
}

// inPlugin reports whether a path out of the folder stays in the plugin that
// contains the skill.
func (s *skill) inPlugin(name string) bool {
	up := s.ancestorWith(".claude-plugin", ".codex-plugin", ".cursor-plugin", "plugin.json", "gemini-extension.json")
	return up != "" && strings.Count(path.Clean(name), "../") <= strings.Count(up, "../")
}

// isInstructions reports whether a path out of the folder is that of the instructions at the
// root of the repository, which its agents have anyway.
func (s *skill) isInstructions(name string) bool {
	dir, base := path.Split(path.Clean(name))
	return slices.Contains([]string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}, base) && dir == s.ancestorWith(".git")
}

// projectFolders are the folders of a repository for skills that work in it alone.
var projectFolders = []string{".claude", ".agents", ".github", ".codex", ".cursor", ".gemini", ".opencode"}

// projectRoot returns the path from the skill's folder up to its repository, "../../../",
// if the skill is one of a project, or "".
func (s *skill) projectRoot() string {
	const up = "../../../"
	for _, folder := range projectFolders {
		if exists, _ := s.above(up + folder + "/skills/" + s.doc.Dir + "/" + spec.FileName); exists && s.doc.Dir != "" {
			return up
		}
	}
	return ""
}

// inProject reports whether a path out of the folder stays in the repository of a
// project's skill.
func (s *skill) inProject(name string) bool {
	up := s.projectRoot()
	return up != "" && strings.Count(path.Clean(name), "../") <= strings.Count(up, "../")
}

// reportEscape reports a link that leaves the folder through "..". Skills of a
// collection may link to each other, so a link to an existing skill is only
// advice.
func reportEscape(p *spec.Pass, s *skill, in *page, t references.Target) {
	exists, known := s.above(t.Path)
	skill, folder := s.neighbour(t.Path), path.Dir(t.Path)
	help := "put what it needs into the skill"
	if skill != "" || strings.HasSuffix(t.Path, "/"+spec.FileName) {
		help = "name the other skill in words: only the folder of this one is installed with it"
	}
	place := in.bodySpan(t.Start, t.End)
	report := p.ReportIn
	if forPeople().MatchString(path.Base(in.name)) {
		report = p.AdviseIn
	}
	var d *spec.Diagnostic
	switch {
	case exists && skill != "":
		folder = skill
		d = p.AdviseIn(in.path(p), place, nil, help, "%s leads to another skill, %s, which need not be installed with this one", quotedPath(t.Target), printable.Quote(path.Base(skill)))
	case exists && s.inPlugin(t.Path):
		d = p.AdviseIn(in.path(p), place, nil, "copy it into the skill if the skill is also installed without the plugin", "%s leads out of the skill's folder to another file of its plugin", quotedPath(t.Target))
	case exists && s.inProject(t.Path):
		d = p.AdviseIn(in.path(p), place, nil, "copy it into the skill if the skill is also used elsewhere", "%s leads out of the skill's folder to another file of its project", quotedPath(t.Target))
	case exists && s.isInstructions(t.Path):
		d = p.AdviseIn(in.path(p), place, nil, "an agent that works in the repository has read it; elsewhere it is missing", "%s leads out of the skill's folder to the instructions of its repository", quotedPath(t.Target))
	case known && !exists:
		d = report(in.path(p), place, nil, help, "%s leads out of the skill's folder, and does not exist", quotedPath(t.Target))
		d.In("missing in "+folder, printable.Quoted(folder))
		return
	default:
		d = report(in.path(p), place, nil, help, "%s leads out of the skill's folder", quotedPath(t.Target))
	}
	d.In(folder, printable.Quoted(folder))
}
