package rules

// A command that starts a missing script fails in the middle of a task. Whether a script
// must be in the skill depends on the command, on the sentence around it and on what else
// the skill has: a skill that works in a project names the project's scripts too.

import (
	"path"
	"slices"
	"strings"
	"sync"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var scriptTarget = &spec.Rule{
	ID:     "script-target",
	Title:  "scripts in commands exist",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: paths in commands are relative to the skill's folder",
	Check: func(p *spec.Pass) {
		s := skillOf(p)
		seen := map[string]bool{}
		for _, in := range s.linkedPages() {
			if in.depth > 0 && (isTemplate(in.name) || !strings.Contains(in.Body, "scripts/")) {
				continue
			}
			t := scriptCheck{Pass: p, skill: s, in: in, seen: seen}
			t.project = sync.OnceValue(t.worksInProject)
			for _, script := range in.CodeScripts() {
				t.report(script)
			}
			if in.depth > 0 {
				continue
			}
			for _, script := range in.ProseScripts() {
				t.report(script)
			}
			t.mentions()
		}
	},
}

// scriptCheck reports the missing scripts of one page.
type scriptCheck struct {
	*spec.Pass
	skill   *skill
	in      *page
	seen    map[string]bool // missing names that were already checked
	project func() bool     // the result of worksInProject, computed once
}

// mentions checks scripts that a sentence instructs to run or use by their path
// alone. In a skill without scripts/, the sentence must contain "run" or be in
// a list of the skill's scripts: most such paths belong to the project.
func (t scriptCheck) mentions() {
	for _, m := range t.in.Mentions() {
		if !m.IsScript() {
			continue
		}
		if t.isUsed(m) {
			t.report(references.Script{Path: m.Path, Start: m.Start, End: m.End, Program: true})
		}
	}
}

// isUsed reports whether the text around a mention says that the skill has the script.
func (t scriptCheck) isUsed(m references.Mention) bool {
	switch {
	case t.skill.folder.Exists(m.Path):
		return true // in another spelling, at least
	case t.skill.folder.IsDir("scripts") && t.in.IsUseInstruction(m):
		return true
	case m.Code && t.in.Sentence(m.Start, m.End).IsRunInstruction():
		return true
	}
	return t.in.Offers(m) || t.in.Introduced(m) || t.in.Listed(m)
}

// report reports a script that does not exist, unless it may be elsewhere.
func (t scriptCheck) report(s references.Script) {
	const most = 1000 // distinct missing names
	if t.seen[s.Path] || t.Full() || len(t.seen) > most {
		return
	}
	if s.Plugin {
		up := t.skill.ancestorWith(".claude-plugin/plugin.json")
		exists, known := t.skill.above(up + s.Path)
		missing := up != "" && known && !exists
		if missing && !isBuilt(s.Path) {
			t.seen[s.Path] = true
			t.in.reportBody(t.Pass, s.Start, s.End, "correct the path, or add the file", "%s does not exist in the plugin's folder", printable.Quote(s.Path))
		}
		return
	}
	actual, missing := t.skill.missing(t.in, s.Path)
	if !missing {
		return
	}
	t.seen[s.Path] = true
	if actual != "" {
		reportSpelling(t.Pass, t.in, t.in.bodySpan(s.Start, s.End), nil, s.Path, actual)
		return
	}
	mayBeMissing := t.elsewhere(s) || t.isShown(s) || t.in.Produces(s.Path)
	if isBuilt(s.Path) || mayBeMissing {
		return
	}
	t.in.reportBody(t.Pass, s.Start, s.End, t.skill.suggestion(s.Path, "add the script, or correct the path"), "the script %s does not exist in the skill's folder", printable.Quote(s.Path))
}

// isShown reports whether the text shows a script, or what its commands look like, instead
// of having it run: it gives the script in full, says what to do without it, or is about
// a list of what is allowed.
func (t scriptCheck) isShown(s references.Script) bool {
	sentence := t.in.Sentence(s.Start, s.End)
	switch {
	case sentence.MaybeMissing(), sentence.GivenInFull(s.Path):
		return true
	case s.Sure:
		return !s.Program && sentence.ListsOutput()
	}
	top, _, _ := strings.Cut(s.Path, "/")
	return sentence.IsSample(!t.skill.folder.IsDir(top))
}

// isBuilt reports whether a path is in a folder of build output, which may not
// exist yet.
func isBuilt(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." ||
			slices.Contains([]string{"venv", "env", "node_modules", "build", "dist", "target", "out", "tmp"}, part)
	})
}

// elsewhere reports whether a script may be in the user's project, or in the
// agent's working directory.
func (t scriptCheck) elsewhere(s references.Script) bool {
	top, _, below := strings.Cut(s.Path, "/")
	script := references.IsScriptName(s.Path) || top == "scripts"
	has := t.skill.folder.IsDir(top)
	sentence := t.in.Sentence(s.Start, s.End)
	switch {
	case s.Sure:
		return !script && !has
	case !below, t.isOfAnotherSkill(s), t.skill.projectHas(s.Path):
		return true
	case has:
		return top != "scripts" && (!s.Program || path.Ext(s.Path) == "") || sentence.InProject() || t.clones()
	case !s.Program && strings.HasPrefix(t.in.Body[s.Start:], "./") && strings.Count(t.in.Body, path.Base(s.Path)) == 1:
		return true // "./scripts/deploy.sh" without a word about it is the project's
	}
	return top != "scripts" || !references.IsScriptName(s.Path) || t.in.name != "" || sentence.MaybeInProject() || t.project()
}

// isOfAnotherSkill reports whether a script in a guide is that of the skills that
// the guide is about.
func (t scriptCheck) isOfAnotherSkill(s references.Script) bool {
	guide := t.in.IsGuide() || t.in.depth > 0 && t.skill.own().IsGuide()
	return guide && t.skill.folder.Suggest(s.Path) == "" && !t.runsOthers()
}

// clones reports whether commands of the page clone a repository, whose scripts others run.
func (t scriptCheck) clones() bool {
	return slices.ContainsFunc(t.in.Commands(), references.Command.Clones)
}

// aboutRepository matches descriptions of skills that work in one repository.
var aboutRepository = lazyregexp.New(`(?i)\b(?:in|to|for|of|on) (?:the|this|our) (?:[\w.-]+ ){0,3}(?:repo|repository|monorepo|codebase|source tree)\b`)

// worksInProject reports whether the commands of a skill run in a project: they clone it
// or run other files that the skill does not have, or a text says so.
func (t scriptCheck) worksInProject() bool {
	saysSo := func(m references.Mention) bool {
		return m.IsScript() && t.in.Sentence(m.Start, m.End).InProject() && !t.in.Produces(m.Path)
	}
	switch {
	case t.clones(), aboutRepository().MatchString(t.Doc.Text("description")):
		return true
	case slices.ContainsFunc(t.in.Mentions(), saysSo):
		return true
	}
	return slices.ContainsFunc(t.in.CodeScripts(), func(s references.Script) bool {
		top, _, below := strings.Cut(s.Path, "/")
		return below && !s.Sure && !s.Plugin && s.Program && references.IsScriptName(s.Path) && top != "scripts" && top != "skills" && !t.skill.folder.IsDir(top)
	})
}

// runsOthers reports whether the page's commands run several scripts of the
// skill, most of which exist.
func (t scriptCheck) runsOthers() bool {
	existing, missing := map[string]bool{}, map[string]bool{}
	for _, s := range t.in.CodeScripts() {
		if t.skill.folder.Exists(s.Path) {
			existing[s.Path] = true
		} else {
			missing[s.Path] = true
		}
	}
	return len(existing) > 1 && len(existing) > len(missing)
}
