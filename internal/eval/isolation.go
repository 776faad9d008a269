package eval

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/safefile"
)

const (
	isolation  = "isolation: " // begins the error of a run that read what it must not
	minSecret  = 40            // characters of a line that identifies a text
	maxSecrets = 500           // lines to look for
)

// secrets sets the lines that show that a run read the eval files, or in the arm without
// it the skill. What a run is given anyway does not count.
func (b *bench) secrets(with []tree) {
	given, key := "", ""
	for _, t := range with {
		given += t.text()
	}
	for _, c := range b.suite.Cases {
		given += c.Prompt + "\n" + c.System + "\n"
		for _, f := range c.Files {
			data, _ := safefile.ReadRegular(f.Source, maxFile) // the key of the run needs it too, and reports the error
			given += string(data) + "\n"
		}
		key += c.Expected + "\n"
		for _, check := range c.Checks {
			key += check.Criteria + "\n"
		}
	}
	// The cases' own files, not their fixtures, which a run may have to produce.
	folder := os.DirFS(b.suite.Dir)
	for _, pattern := range []string{"evals/*.json", "evals/*/prompt.md", "evals/*/graders/*.md"} {
		names, _ := fs.Glob(folder, pattern)
		for _, name := range names {
			data, _ := fs.ReadFile(folder, name) // it was read before
			key += string(data) + "\n"
		}
	}
	b.key = distinctive(key, given)
	if skill := b.arms[0].skill; skill != nil {
		b.text = distinctive(skill.text(), given)
	}
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

// leak returns what the result of a tool shows that the run must not see, or "".
func (b *bench) leak(a *arm, e agent.ToolResultEvent) string {
	shows := func(line string) bool { return strings.Contains(e.Output, line) }
	switch {
	case slices.ContainsFunc(b.key, shows):
		return isolation + "the result of " + e.Name + " contains text of the eval files"
	case a.skill == nil && slices.ContainsFunc(b.text, shows):
		return isolation + "the result of " + e.Name + " contains text of the skill"
	}
	return ""
}
