package loader

import (
	"cmp"
	"errors"
	"fmt"
)

// TargetProblem is why a path stands for no skill.
type TargetProblem uint8

const (
	TargetMissing    TargetProblem = iota // there is nothing at the path
	TargetNotFolder                       // the path goes on behind a file
	TargetNoSkill                         // a file that lies in no skill
	TargetUnreadable                      // the file system refused
)

// TargetError is a path that cannot be checked. Its text names the path and
// keeps the phrases of the reference library ("does not exist", "Not a
// directory").
type TargetError struct {
	Path    string
	Problem TargetProblem
	Err     error // of the file system, or nil

	link string // what a link at Path leads to
}

// Error says what is wrong with the path, which it starts with.
func (e *TargetError) Error() string {
	separator := " "
	if e.Problem == TargetNotFolder || e.Problem == TargetUnreadable {
		separator = ": "
	}
	return cmp.Or(e.Path, `""`) + separator + e.Reason()
}

// Reason says what is wrong without naming the path.
func (e *TargetError) Reason() string {
	switch e.Problem {
	case TargetMissing:
		if e.link != "" {
			return fmt.Sprintf("is a link to %s, which does not exist", e.link)
		}
		return "does not exist"
	case TargetNotFolder:
		return "Not a directory: a part of the path is a file"
	case TargetNoSkill:
		return "lies in no skill: SKILL.md not found in its folder or above"
	}
	if folder := (*TargetError)(nil); errors.As(e.Err, &folder) {
		return fmt.Sprintf("its skill cannot be looked for: %v", folder)
	}
	return fmt.Sprintf("cannot be read: %v", reason(e.Err))
}

// Hint says what to do about it.
func (e *TargetError) Hint() string {
	switch e.Problem {
	case TargetMissing, TargetNotFolder:
		return "check the spelling, and the folder this was started in"
	case TargetNoSkill:
		return "name a skill's folder, a file inside one, or a folder that holds skills"
	}
	if isLinkLoop(e.Err) {
		return "mend the links"
	}
	return "check the permissions"
}

// Unwrap returns the file system's error.
func (e *TargetError) Unwrap() error { return e.Err }
