package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/builtin"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/safefile"
	"skills/internal/terminal"
)

func (a *app) newCommand() *cobra.Command {
	var s builtin.Skeleton
	folder := ""
	c := &cobra.Command{
		Use:     "new NAME",
		Aliases: []string{"init", "create"},
		Short:   "Create a skill that passes validate --strict",
		Long: `Create a skill that passes validate --strict.

NAME/SKILL.md, and what the flags add, is written to the first of skills, .agents/skills and
.claude/skills that exists here, else to the working folder. Nothing is ever overwritten.
At a terminal you are asked for the description if you give none.`,
		Example: `  skills new pdf-forms
  skills new pdf-forms --script python --evals
  skills new pdf-forms --path .claude/skills --license MIT`,
		Annotations:       note("validate", "0    the skill was created", "2    usage error, invalid name or description, or the folder exists", exitInterrupted),
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              arguments(1, 1, "NAME", "give one name, such as pdf-forms"),
		RunE: given(func(c *cobra.Command, args []string) error {
			s.Name = args[0]
			return a.create(c.Context(), s, folder)
		}),
	}
	fl := a.group(c, "Skill")
	fl.StringVar(&s.Description, "description", "", "what the skill does and when to use it")
	fl.StringVar(&s.License, "license", "", "license, such as MIT")
	fl.StringVar(&s.Script, "script", "", "add a script: "+strings.Join(builtin.ScriptKinds(), ", "))
	fl.BoolVar(&s.References, "references", false, "add a page under references/")
	fl.BoolVar(&s.Evals, "evals", false, "add evals/ with two example cases and a trigger list")
	fl.StringVar(&folder, "path", "", "create the skill in this folder")
	a.values(c, "script", builtin.ScriptKinds()...)
	return a.command(c)
}

// create writes the skill into folder, "" for the default, and prints the next steps.
func (a *app) create(ctx context.Context, s builtin.Skeleton, folder string) error {
	if s.Script != "" {
		if err := known("script language", s.Script, builtin.ScriptKinds()...); err != nil {
			return err
		}
	}
	outline := s
	outline.Description = "Describes what the skill does. Use when a task asks for it." // replaced below
	if err := checkSkeleton(outline); err != nil {
		return err
	}
	if folder == "" {
		folder = builtin.Folder(a.Dir)
	}
	place, dir := safefile.Absolute(a.Dir, folder), filepath.Join(folder, s.Name)
	if info, err := os.Stat(place); err == nil && !info.IsDir() {
		return usageError("name a folder with --path", "%s is a file, not a folder", folder)
	}
	if _, err := os.Lstat(filepath.Join(place, s.Name)); err == nil {
		return existing(dir)
	}
	written := s.Description != ""
	if !written && terminal.Is(a.Stdin) && terminal.Is(a.Stderr) {
		var err error
		if s.Description, err = a.prompt(ctx, "What does the skill do, and when should an agent use it? "); err != nil {
			return err
		}
		written = s.Description != ""
	}
	if !written {
		s.Description = outline.Description
	}
	if err := checkSkeleton(s); err != nil {
		return err
	}
	wrote, err := s.CreateIn(a.Dir, folder)
	switch {
	case errors.Is(err, fs.ErrExist):
		return existing(dir)
	case err != nil:
		return usageError("name a folder with --path that you can write in", "creating %s: %w", dir, safefile.Reason(err))
	}
	for _, file := range wrote {
		fmt.Fprintf(a.Stdout, "Created %s\n", printable.Line(file))
	}
	dir = filepath.Dir(wrote[0])
	word := runner.ShellWord(dir)
	steps := []string{
		"Replace the text in angle brackets in " + printable.Line(filepath.Join(dir, "SKILL.md")),
		"Check it: skills validate " + word, "Try it: skills run --skills " + word + " \"/" + s.Name + " What can you do?\"",
	}
	if !written {
		steps = slices.Insert(steps, 0, "Write the description: agents decide by it alone whether they load the skill")
	}
	fmt.Fprintln(a.Stdout, "\nNext:")
	for _, step := range steps {
		if !strings.Contains(step, ": skills ") { // a command stays on one line
			step = printable.Fold(step, 2, terminal.Width(a.Stdout), "    ")
		}
		fmt.Fprintf(a.Stdout, "  %s\n", step)
	}
	return nil
}

func existing(dir string) error {
	return usageError("choose another name, or another folder with --path", "%s exists", dir)
}

// checkSkeleton returns an error for what validate --strict would report.
func checkSkeleton(s builtin.Skeleton) error {
	found := s.Findings()
	if len(found) == 0 {
		return nil
	}
	hint := cmp.Or(found[0].Help, "describe in at most 1024 characters what the skill does and when to use it")
	if strings.HasPrefix(found[0].Rule, "name-") {
		hint = "use lowercase letters a-z, digits and single hyphens, such as pdf-forms"
	}
	return usageError(hint, "%s", found[0].Message)
}

// prompt prints text and returns the line that the user enters.
func (a *app) prompt(ctx context.Context, text string) (string, error) {
	fmt.Fprint(a.Stderr, printable.Fold(text, 0, terminal.Width(a.Stderr), ""))
	line, err := safefile.Wait(ctx, "the answer", func() (string, error) { return bufio.NewReader(a.Stdin).ReadString('\n') })
	if err != nil { // also the end of input: use what was read
		fmt.Fprintln(a.Stderr)
	}
	return strings.TrimSpace(line), context.Cause(ctx)
}
