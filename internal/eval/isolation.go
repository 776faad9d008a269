package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/eval/check"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/workspace"
)

const (
	isolation  = "isolation: " // begins the error of a run that read what it must not
	minSecret  = 40            // characters of a line that identifies a text
	maxSecrets = 500           // lines to look for
)

// findSecrets sets the lines that show that a run read the eval files, or in the arm
// without it the skill. What a run is given anyway does not count. The fixtures of the
// cases do not count either, because a run may have to produce them.
func (s *skillEval) findSecrets(shared snapshot) error {
	given := shared.text()
	for c, inputs := range s.inputs {
		given += c.Said(c.Prompt) + "\n" + c.Baseline + "\n" + c.System + "\n" + inputs.text()
	}
	key, err := suite.Texts(s.suite.Dir)
	if err != nil {
		return err
	}
	s.key, s.text = distinctive(key, given), distinctive(s.arms[0].files.text(), given)
	return nil
}

// distinctive returns the long lines of a text that are not in another one.
func distinctive(text, given string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) >= minSecret && !strings.Contains(given, line) && len(lines) < maxSecrets {
			lines = append(lines, line)
		}
	}
	return lines
}

// leak returns what the result of a tool call shows that the run must not see, or "".
func (s *skillEval) leak(a *arm, call check.Call) string {
	shown := func(line string) bool { return strings.Contains(call.Result.Output, line) }
	switch {
	case slices.ContainsFunc(s.key, shown):
		return isolation + "the result of " + call.Name + " contains text of the eval files"
	case slices.ContainsFunc(a.secret, shown):
		return isolation + "the result of " + call.Name + " contains text of what is left out"
	case a.configuration == store.WithoutSkill && slices.ContainsFunc(s.text, shown):
		return isolation + "the result of " + call.Name + " contains text of the skill"
	}
	return ""
}

// offeredTools returns the groups of workspace tools that the runs of a case have: the same in
// both arms, because otherwise the arm without the skill could not do what is asked.
func offeredTools(c *suite.Case) []string {
	about := []string{"file_exists", "file_absent", "file_contains", "file_regex", "file_json", "csv_rows", "unchanged", "names_regex", "command"} // a command looks at the files of the run
	checksFiles := slices.ContainsFunc(c.Checks, func(check suite.Check) bool { return slices.Contains(about, check.Type) })
	if len(c.Files) > 0 || checksFiles {
		return workspace.Groups()
	}
	return []string{} // not those of the user's configuration
}
