package pack

import (
	"fmt"
	"path"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// Target is where an archive is uploaded or served, with its limits. Zero is no
// limit.
type Target struct {
	Name      string
	Files     int   // files at most
	Bytes     int64 // of all files together
	FileBytes int64 // of one file
	Archive   int64 // bytes of the archive
	Reserved  []string
	Root      bool // SKILL.md is at the top, not in a folder with the skill's name
}

const (
	megabyte = 1_000_000 // the smaller reading of the vendors' MB
	mebibyte = 1 << 20
)

// Targets returns the targets by name.
func Targets() []Target {
	return []Target{
		{Name: "anthropic", Files: 200, Bytes: 30 * megabyte, Reserved: []string{"anthropic", "claude"}},
		{Name: "openai", Files: 500, FileBytes: 25 * megabyte, Archive: 50 * megabyte},
		{Name: "mcp", Files: 512, Bytes: 16 * mebibyte},
		{Name: "well-known", Root: true},
	}
}

// FindTarget returns a target by its name; "" has no limits but those of every
// archive.
func FindTarget(name string) (Target, bool) {
	for _, t := range Targets() {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, name == ""
}

// check returns why files do not fit the target, one sentence each.
func (t Target) check(name string, files []file) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	total, skills := int64(0), []string{}
	for _, f := range files {
		total += int64(len(f.content))
		if t.FileBytes > 0 && int64(len(f.content)) > t.FileBytes {
			say("%s has %s bytes; %s takes %s a file", f.name, printable.Grouped(int64(len(f.content))), t.Name, printable.Grouped(t.FileBytes))
		}
		if strings.EqualFold(path.Base(f.name), spec.FileName) {
			skills = append(skills, f.name)
		}
	}
	if len(skills) != 1 {
		say("an archive holds exactly one SKILL.md; these would be in it: %s", strings.Join(skills, ", "))
	}
	if t.Files > 0 && len(files) > t.Files {
		say("the skill has %d files; %s takes %d", len(files), t.Name, t.Files)
	}
	if t.Bytes > 0 && total > t.Bytes {
		say("the skill has %s bytes; %s takes %s", printable.Grouped(total), t.Name, printable.Grouped(t.Bytes))
	}
	for _, word := range t.Reserved {
		if strings.Contains(name, word) {
			say("the name %s contains %q, which %s reserves", name, word, t.Name)
		}
	}
	return problems
}
