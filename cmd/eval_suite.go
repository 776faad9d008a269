package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/eval/suite"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
)

func (a *app) evalLintCommand() *cobra.Command {
	format, schema := "text", ""
	c := &cobra.Command{
		Use:   "lint [PATH...]",
		Short: "Check eval files without a model",
		Long: `Check eval files without a model: evals/evals.json, evals/checks.json, trigger lists, and
folders with a prompt.md and graders. PATH (default .) is a skill, or a tree that is searched.
Skills without eval files are skipped.`,
		Example: `  skills eval lint my-skill
  skills eval lint --format json .claude/skills
  skills eval lint --schema checks`,
		Annotations: note("evals-files", "0  no errors; there may be warnings", "1  a file has errors", "2  usage error, or no eval files"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			if schema != "" {
				text, err := suite.Schema(schema)
				if err != nil {
					return wrongUsage(nearestHint(schema, suite.SchemaNames()), "%w", err)
				}
				_, err = a.Stdout.Write(text)
				return err
			}
			return a.evalLint(c.Context(), format, args)
		},
	}
	c.Flags().StringVar(&format, "format", format, "output format: text or json")
	c.Flags().StringVar(&schema, "schema", "", "print the JSON Schema of a file: "+strings.Join(suite.SchemaNames(), ", "))
	a.values(c, "format", "text", "json")
	a.values(c, "schema", suite.SchemaNames()...)
	return a.command(c)
}

// lintedSuite is the result for one skill, in JSON.
type lintedSuite struct {
	Path     string          `json:"path"`
	Name     string          `json:"name"`
	Cases    int             `json:"cases"`
	Queries  int             `json:"queries"`
	Problems []suite.Problem `json:"problems"`
}

func (a *app) evalLint(ctx context.Context, format string, paths []string) error {
	if format != "text" && format != "json" {
		return wrongUsage("choose text or json", "unknown format %q", format)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := lint.Find(ctx, loader.Search{Nested: true, Notify: a.notice}, paths)
	if err != nil {
		return runner.Hinted(err)
	}
	counts := map[string]int{"skills": 0, "cases": 0, "queries": 0, "errors": 0, "warnings": 0}
	all := []lintedSuite{}
	for _, skill := range found {
		s, problems, err := suite.Load(ctx, skill.Dir)
		if err != nil {
			return wrongUsage("check the path and its permissions", "%w", err)
		}
		if len(s.Cases)+len(s.Queries)+len(problems) == 0 {
			continue
		}
		all = append(all, lintedSuite{skill.Dir, s.Skill, len(s.Cases), len(s.Queries), append([]suite.Problem{}, problems...)})
		counts["skills"]++
		counts["cases"] += len(s.Cases)
		counts["queries"] += len(s.Queries)
		for _, p := range problems {
			counts[p.Level+"s"]++
			if format == "text" {
				fmt.Fprintf(a.Stdout, "%s:%d:%d: %s: %s\n  help: %s\n", printable.Line(p.Path), p.Line, p.Col, p.Level, p.Message, p.Help)
			}
		}
	}
	if len(all) == 0 {
		return wrongUsage("write some: skills eval init PATH", "no eval files in %s", strings.Join(paths, ", "))
	}
	if format == "json" {
		err = printable.WriteJSON(a.Stdout, map[string]any{"schema_version": 1, "summary": counts, "skills": all})
	} else {
		_, err = fmt.Fprintf(a.Stdout, "%s: %s, %s; %s, %s\n", printable.Plural(counts["skills"], "skill"), printable.Plural(counts["cases"], "case"),
			printable.Plural(counts["queries"], "trigger prompt"), printable.Plural(counts["errors"], "error"), printable.Plural(counts["warnings"], "warning"))
	}
	if err == nil && counts["errors"] > 0 {
		return reported()
	}
	return err
}

func (a *app) evalInitCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "init PATH",
		Short: "Write eval files with two example cases and a trigger list",
		Long: `Write evals/evals.json with two example cases and evals/triggers.json with a trigger list
into the skill PATH. Nothing is ever overwritten.`,
		Example:     `  skills eval init my-skill`,
		Annotations: note("evals-files", "0  the files were written", "2  usage error, no skill in PATH, or a file exists"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrongUsage("give the folder of one skill", "one PATH expected, got %d", len(args))
			}
			wrote, err := suite.Init(c.Context(), args[0])
			if errors.Is(err, fs.ErrExist) {
				return wrongUsage("edit it, or move it away first", "%w", err)
			} else if err != nil {
				return runner.Hinted(err)
			}
			slices.Sort(wrote)
			for _, name := range wrote {
				fmt.Fprintf(a.Stdout, "Created %s\n", printable.Line(filepath.Join(args[0], filepath.FromSlash(name))))
			}
			word := runner.ShellWord(args[0])
			_, err = fmt.Fprintf(a.Stdout, "\nNext:\n  Replace the examples by real requests\n  Check them: skills eval lint %s\n  Run them: skills eval %s\n", word, word)
			return err
		},
	}
	return a.command(c)
}
