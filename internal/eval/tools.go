package eval

import (
	"slices"

	"skills/internal/eval/suite"
	"skills/internal/workspace"
)

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
