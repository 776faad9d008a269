package cmd

import (
	"bufio"
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
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/safefile"
	"skills/internal/spec"
	"skills/internal/spec/rules"
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
		GroupID:           groupCheck,
		Annotations:       note("validate", "0    the skill was created", "2    usage error, invalid name or description, or the folder exists", "130  interrupted (143 by SIGTERM, 129 by SIGHUP)"),
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              arguments(1, 1, "NAME", "give one name, such as pdf-forms"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			s.Name = args[0]
			return a.create(c.Context(), s, folder)
		},
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
	if s.Script != "" && !slices.Contains(builtin.ScriptKinds(), s.Script) {
		return wrongUsage(nearestHint(s.Script, builtin.ScriptKinds()), "unknown script language %q", s.Script)
	}
	outline := s
	outline.Description = "Describes what the skill does. Use when a task asks for it." // replaced below
	if err := checkSkeleton(outline); err != nil {
		return err
	}
	if folder == "" {
		folder = a.collection()
	}
	base, name := a.Dir, folder
	if filepath.IsAbs(folder) || !filepath.IsLocal(folder) { // the user may choose any folder
		base, name = filepath.Join(a.Dir, folder), "."
		if filepath.IsAbs(folder) {
			base = folder
		}
	}
	dir := filepath.Join(folder, s.Name)
	if info, err := os.Stat(filepath.Join(base, name)); err == nil && !info.IsDir() {
		return wrongUsage("name a folder with --path", "%s is a file, not a folder", folder)
	}
	if _, err := os.Lstat(filepath.Join(base, name, s.Name)); err == nil {
		return existing(dir)
	}
	written := s.Description != ""
	if !written && a.interactive() {
		err := writable(filepath.Join(base, name))
		if err != nil {
			return wrongUsage("name a folder with --path that you can write in", "creating %s: %w", dir, safefile.Reason(err))
		}
		if s.Description, err = a.ask(ctx, "What does the skill do, and when should an agent use it? "); err != nil {
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
	if base != a.Dir {
		if err := os.MkdirAll(base, 0o755); err != nil {
			return wrongUsage("name a folder with --path that you can write in", "creating %s: %w", folder, safefile.Reason(err))
		}
	}
	root, err := safefile.OpenFolder(base)
	if err != nil {
		return wrongUsage("name a folder with --path", "opening %s: %w", folder, safefile.Reason(err))
	}
	defer root.Close()
	wrote, err := s.Create(root, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return existing(dir)
	case err != nil:
		return wrongUsage("check the folder and its permissions", "creating %s: %w", dir, safefile.Reason(err))
	}
	for i, file := range wrote {
		if wrote[i] = file; name == "." {
			wrote[i] = filepath.Join(folder, filepath.FromSlash(file))
		}
		fmt.Fprintf(a.Stdout, "Created %s\n", printable.Line(wrote[i]))
	}
	dir = filepath.Dir(wrote[0])
	word := runner.ShellWord(dir)
	steps := []string{"Replace the text in angle brackets in " + printable.Line(filepath.Join(dir, "SKILL.md")), "Check it: skills validate " + word, "Try it: skills run --skills " + word + " \"/" + s.Name + " What can you do?\""}
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
	return wrongUsage("choose another name, or another folder with --path", "%s exists", dir)
}

// checkSkeleton returns an error for what validate --strict would report.
func checkSkeleton(s builtin.Skeleton) error {
	text := loader.Frontmatter{Name: s.Name, Description: s.Description, License: s.License}.Text()
	found := rules.Check(loader.ParseDocument(spec.FileName, "", []byte(text)), spec.Options{Least: spec.Warning})
	if len(found) == 0 {
		return nil
	}
	hint := "describe in at most 1024 characters what the skill does and when to use it"
	if strings.HasPrefix(found[0].Rule, "name-") {
		hint = "use lowercase letters a-z, digits and single hyphens, such as pdf-forms"
	}
	return wrongUsage(hint, "%s", found[0].Message)
}

// collection returns the folder for new skills.
func (a *app) collection() string {
	for _, dir := range []string{"skills", ".agents/skills", ".claude/skills"} {
		if info, err := os.Stat(filepath.Join(a.Dir, dir)); err == nil && info.IsDir() {
			return filepath.FromSlash(dir)
		}
	}
	return "."
}

// interactive reports whether a user can answer a question.
func (a *app) interactive() bool { return terminal.Is(a.Stdin) && terminal.Is(a.Stderr) }

// writable tests whether a folder, or its nearest existing parent, is writable.
func writable(dir string) error {
	for {
		probe, err := os.MkdirTemp(dir, ".skills-new-")
		if err == nil {
			return os.Remove(probe)
		}
		if _, found := os.Stat(dir); found == nil || filepath.Dir(dir) == dir {
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// ask prompts the user and returns a line.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.Stderr, printable.Fold(question, 0, terminal.Width(a.Stderr), ""))
	lines := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.Stdin).ReadString('\n')
		if err != nil { // the end of input: use what was read
			fmt.Fprintln(a.Stderr)
		}
		lines <- strings.TrimSpace(line)
	}()
	select {
	case line := <-lines:
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(a.Stderr)
		return "", context.Cause(ctx)
	}
}
