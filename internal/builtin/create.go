package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Creation is what the user asks for with skills new.
type Creation struct {
	Skeleton
	Dir    string // working directory, absolute
	Folder string // for the skill's folder; "" for the usual one, see [Folder]
	// Ask asks for the description if there is none. It may be nil, or return "", and then
	// a text to be replaced is written.
	Ask func() (string, error)
}

// Created is a new skill.
type Created struct {
	Files []string // paths, SKILL.md first
	Next  []string // what to do now, one step each
}

// outline is the description of a skill that has none yet.
const outline = "Describes what the skill does. Use when a task asks for it."

// Create writes the skill. It checks everything but the description before it asks. Errors
// are usage errors, and those of Ask.
func (c Creation) Create() (Created, error) {
	written := c.Description != ""
	checked := c.Skeleton
	checked.Description = outline
	if err := checked.usable(); err != nil {
		return Created{}, err
	}
	folder := c.Folder
	if folder == "" {
		folder = Folder(c.Dir)
	}
	place, dir := files.Absolute(c.Dir, folder), filepath.Join(folder, c.Name)
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		return Created{}, fault.Usage("name a folder with --path", "%s is a file, not a folder", folder)
	}
	if _, err := os.Lstat(filepath.Join(place, c.Name)); err == nil {
		return Created{}, existing(dir)
	}
	if !written && c.Ask != nil {
		answer, err := c.Ask()
		if err != nil {
			return Created{}, err
		}
		c.Description, written = answer, answer != ""
	}
	if !written {
		c.Description = outline
	}
	if err := c.usable(); err != nil {
		return Created{}, err
	}
	wrote, err := c.CreateIn(c.Dir, folder)
	switch {
	case errors.Is(err, fs.ErrExist):
		return Created{}, existing(dir)
	case err != nil:
		return Created{}, fault.Usage("name a folder with --path that you can write in", "creating %s: %w", dir, files.Reason(err))
	}
	return Created{wrote, nextSteps(filepath.Dir(wrote[0]), c.Name, c.Folder == "", written)}, nil
}

// nextSteps returns what to do with the new skill in dir. found is true if a run finds it
// without a flag.
func nextSteps(dir, name string, found, written bool) []string {
	word := printable.ShellWord(dir)
	try := "Try it: skills run "
	if !found {
		try += "--skills " + word + " "
	}
	steps := []string{
		"Replace the text in angle brackets in " + printable.Line(filepath.Join(dir, "SKILL.md")),
		"Check it: skills validate " + word, try + "\"/" + name + " What can you do?\"",
	}
	if !written {
		steps = slices.Insert(steps, 0, "Write the description: agents decide by it alone whether they load the skill")
	}
	return steps
}

func existing(dir string) error {
	return fault.Usage("choose another name, or another folder with --path", "%s exists", dir)
}

// nameLike returns the valid name that a text probably means, "" for none.
func nameLike(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	if len(name) > spec.MaxName {
		return ""
	}
	return name
}

// usable returns an error for what validate --strict would report.
func (s Skeleton) usable() error {
	found := s.Findings()
	if len(found) == 0 {
		return nil
	}
	hint := cmp.Or(found[0].Help, fmt.Sprintf("describe in at most %d characters what the skill does and when to use it", spec.MaxDescription))
	if strings.HasPrefix(found[0].Rule, "name-") {
		hint = "use lowercase letters a-z, digits and single hyphens, such as " + cmp.Or(nameLike(s.Name), "pdf-forms")
	}
	return fault.Usage(hint, "%s", found[0].Message)
}
