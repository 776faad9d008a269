package cmd

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/builtin"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func newCommand(a *app) *cobra.Command {
	var s builtin.Skeleton
	folder := ""
	c := &cobra.Command{
		Use:     "new NAME",
		Aliases: []string{"init", "create"},
		Short:   "Create a skill that passes validate --strict",
		Long: `Create a skill that passes validate --strict.

NAME/SKILL.md, and what the flags add, is written to the first of skills, .agents/skills and
.claude/skills that exists, from here up to the repository's root, else to ./skills: where
run, exec, list and doctor look. Nothing is ever overwritten. At a terminal you are asked
for the description if you give none.`,
		Example: `  skills new pdf-forms
  skills new pdf-forms --script python --evals
  skills new pdf-forms --path .claude/skills --license MIT`,
		Annotations:       note("validate", "0    the skill was created", "2    usage error, invalid name or description, or the folder exists", exitInterrupted),
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              arguments(1, 1, "NAME", "give one name, such as pdf-forms"),
		RunE: given(func(c *cobra.Command, args []string) error {
			s.Name = args[0]
			return runNew(c.Context(), a, s, folder)
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

// runNew writes the skill into folder, "" for the default, and prints the next steps.
func runNew(ctx context.Context, a *app, s builtin.Skeleton, folder string) error {
	if s.Script != "" {
		if err := known("script language", s.Script, builtin.ScriptKinds()...); err != nil {
			return err
		}
	}
	creation := builtin.Creation{Skeleton: s, Dir: a.Dir, Folder: folder}
	if terminal.Is(a.Stdin) && terminal.Is(a.Stderr) {
		creation.Ask = func() (string, error) {
			return promptFor(ctx, a, "What does the skill do, and when should an agent use it? ")
		}
	}
	created, err := creation.Create()
	if err != nil {
		return err
	}
	for _, file := range created.Files {
		fmt.Fprintf(a.Stdout, "Created %s\n", printable.Line(file))
	}
	fmt.Fprintln(a.Stdout, "\nNext:")
	for _, step := range created.Next {
		if !strings.Contains(step, ": skills ") { // a command stays on one line
			step = printable.Fold(step, 2, terminal.Width(a.Stdout), "    ")
		}
		fmt.Fprintf(a.Stdout, "  %s\n", step)
	}
	return nil
}

// promptFor prints text and returns the line that the user enters.
func promptFor(ctx context.Context, a *app, text string) (string, error) {
	fmt.Fprint(a.Stderr, printable.Fold(text, 0, terminal.Width(a.Stderr), ""))
	line, err := files.Wait(ctx, "the answer", func() (string, error) { return bufio.NewReader(a.Stdin).ReadString('\n') })
	if err != nil { // also the end of input: use what was read
		fmt.Fprintln(a.Stderr)
	}
	return strings.TrimSpace(line), context.Cause(ctx)
}
