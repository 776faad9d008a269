package suite

// A suite can be valid and show little: text of the template, too few cases, or checks that
// measure something else than the skill. Both arms have the same tools except those of the
// skill itself, so a check of these decides nothing about the work.

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"skills/internal/printable"
)

// Advice returns warnings about a suite that can be run, but shows little: text of the
// Templates, checks that measure a tool, and fewer cases than a verdict takes. tools are those
// that only runs with a skill have.
func Advice(s *Suite, most int, tools []string) (problems []Problem) {
	template := strings.Join(slices.Collect(maps.Values(Templates(s.Skill))), "\n")
	isTemplate := func(text string) bool { return strings.Contains(template, strconv.Quote(text)) }
	var untouched []Case
	for _, c := range s.Cases {
		if isTemplate(c.Prompt) || slices.ContainsFunc(c.Checks, func(check Check) bool { return check.Type == "judge" && isTemplate(check.Criteria) }) {
			untouched = append(untouched, c)
		}
	}
	problems = append(problems, adviseAbout(untouched, len(untouched), "text of the template", "write a real request, and facts that only a good answer has")...)
	for _, q := range s.Queries {
		if isTemplate(q.Query) {
			problems = append(problems, Problem{Path: q.Path, Line: q.Line, Col: 1, Level: Warning,
				Message: "the trigger list still has text of the template", Help: "write real requests"})
			break
		}
	}
	problems = append(problems, adviseOnChecks(s, tools)...)
	if n := len(s.Cases); n > 0 && n < most {
		problems = append(problems, Problem{Path: s.Cases[0].Path, Line: 1, Col: 1, Level: Warning,
			Message: fmt.Sprintf("%d of the %d cases that a verdict takes", n, most), Help: "add cases: about 8 find a difference of +0.5, 16 of +0.3, 36 of +0.2"})
	}
	return problems
}

// adviseAbout returns a warning for each case, or one for all of them if there are more than
// most.
func adviseAbout(cases []Case, most int, message, help string) (problems []Problem) {
	for i, c := range cases {
		name := "case " + printable.Quote(c.ID)
		if len(cases) > most {
			name = printable.Plural(len(cases), "case") + ", such as " + printable.Quote(c.ID)
		}
		if i == 0 || len(cases) <= most {
			problems = append(problems, Problem{Path: c.Path, Line: c.Line, Col: 1, Level: Warning, Message: name + ": " + message, Help: help})
		}
	}
	return problems
}

// advice is a question about a case, and what to say if its answer is yes.
type advice struct {
	applies       func(c Case, shared []Check) bool
	message, help string
}

// adviseOnChecks returns warnings about cases whose checks measure a tool instead of the
// skill. shared are the checks that count for the difference.
func adviseOnChecks(s *Suite, tools []string) (problems []Problem) {
	all := []advice{
		{func(c Case, shared []Check) bool { return len(c.Checks) > 0 && len(shared) == 0 },
			"all checks are of the run with the skill, so none counts for the difference",
			"add a check of the answer or the files, which both runs can pass"},
		{func(_ Case, shared []Check) bool { return len(shared) > 0 && !slices.ContainsFunc(shared, isOutcome) },
			"the checks are about how the work is done, and none about its result",
			"add a check of the answer or the files"},
		{func(_ Case, shared []Check) bool {
			return slices.ContainsFunc(shared, isOutcome) && !slices.ContainsFunc(shared, func(c Check) bool { return !isIdle(c) })
		}, "a run that does nothing passes all checks, so both runs do", "add a check that only good work passes"},
		{func(_ Case, shared []Check) bool {
			return slices.ContainsFunc(shared, func(c Check) bool { return isOf(c, tools) })
		},
			"a check is about a tool that only the run with the skill has, so it measures the tool",
			`add "arm": "with" to it, and check the result in both runs`},
		{func(_ Case, shared []Check) bool { return slices.ContainsFunc(shared, isLimit) },
			"a limit counts the calls that load the skill, which the run without it does not need",
			`add "arm": "with" to max_turns, max_tool_calls and max_tokens, or omit them`},
		{func(_ Case, shared []Check) bool { return hasScripts(s.Dir) && onlyPrograms(shared) },
			"only a program can write the files of the checks, so the run without the skill's scripts needs commands",
			"allow commands in both runs with --allow-command, or check a text file"},
	}
	for _, a := range all {
		var found []Case
		for _, c := range s.Cases {
			shared := slices.DeleteFunc(slices.Clone(c.Checks), func(check Check) bool { return check.Arm == With })
			if a.applies(c, shared) {
				found = append(found, c)
			}
		}
		problems = append(problems, adviseAbout(found, 3, a.message, a.help)...)
	}
	return problems
}

// isOutcome reports whether a check is of the answer or of the files.
func isOutcome(c Check) bool {
	how := []string{"tool_used", "tool_order", "trace_regex", "skill_loaded", "skill_not_loaded", "resource_read", "script_used", TodosComplete,
		"max_turns", "max_tool_calls", "max_tokens", "max_seconds"}
	return !slices.Contains(how, c.Type)
}

// isIdle reports whether a run passes a check that answers nothing and leaves its folder as
// it is.
func isIdle(c Check) bool {
	passes := slices.Contains([]string{"not_contains", "file_absent", "unchanged", "skill_not_loaded", "max_turns", "max_tool_calls", "max_tokens", "max_seconds"}, c.Type)
	never := c.Type == "tool_used" && c.Max != nil && *c.Max == 0
	return (passes || never) != c.Not
}

// isOf reports whether a check is about the tools of skills.
func isOf(c Check, tools []string) bool {
	named := slices.ContainsFunc(append([]string{c.Tool}, c.Tools...), func(tool string) bool { return slices.Contains(tools, tool) })
	return named || slices.Contains([]string{"skill_loaded", "skill_not_loaded", "resource_read", "script_used"}, c.Type)
}

func isLimit(c Check) bool {
	return slices.Contains([]string{"max_turns", "max_tool_calls", "max_tokens"}, c.Type)
}

// onlyPrograms reports whether all checks of an outcome are of files that the tools for files,
// which write text, cannot write.
func onlyPrograms(shared []Check) bool {
	formats := []string{".xlsx", ".xls", ".docx", ".pptx", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".zip", ".gz", ".tar", ".sqlite", ".db", ".parquet", ".mp3", ".mp4", ".wav", ".odt", ".ods"}
	outcomes := 0
	for _, c := range shared {
		if !isOutcome(c) || isIdle(c) {
			continue
		}
		outcomes++
		if !slices.Contains(formats, strings.ToLower(path.Ext(c.Path))) {
			return false
		}
	}
	return outcomes > 0
}

// hasScripts reports whether the skill in a folder has scripts.
func hasScripts(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, "scripts"))
	return err == nil && len(entries) > 0
}
