package cmd

// The commands about eval files: they are checked, and the first ones are written.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/agent/skills"
	"skills/internal/eval/report"
	"skills/internal/eval/stats"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
)

func evalLintCommand(a *app) *cobra.Command {
	format, schema := "", ""
	c := &cobra.Command{
		Use:   "lint [PATH...]",
		Short: "Check eval files without a model",
		Long: `Check eval files without a model: evals/evals.json, evals/checks.json, trigger lists, and
folders with a prompt.md and graders. PATH (default .) is a skill, or a tree that is searched.
Suites of other programs, and suites outside of a skill, are named. Skills without eval files
are skipped. A note names what is not used; it changes no result.`,
		Example: `  skills eval lint my-skill
  skills eval lint --format json .claude/skills
  skills eval lint --schema checks`,
		Annotations: note("evals-files", "0  no errors; there may be warnings", "1  a file has errors", "2  usage error, or no eval files"),
		RunE: given(func(c *cobra.Command, args []string) error {
			if schema == "" {
				return runEvalLint(c.Context(), a, format == "json", orHere(args))
			}
			if err := known("schema", schema, suite.SchemaNames()...); err != nil {
				return err
			}
			_, err := a.Stdout.Write(suite.Schema(schema))
			return err
		}),
	}
	c.Flags().StringVar(&schema, "schema", "", "print the JSON Schema of a file: "+strings.Join(suite.SchemaNames(), ", "))
	a.values(c, "schema", suite.SchemaNames()...)
	return a.formatted(c, &format, "text", "json")
}

func runEvalLint(ctx context.Context, a *app, asJSON bool, paths []string) error {
	found, err := lint.Find(ctx, loader.Search{Nested: true, Notify: a.notice}, paths)
	if err != nil {
		return fault.AsUsageIfHinted(err)
	}
	counts := map[string]int{"skills": 0, "cases": 0, "queries": 0, "errors": 0, "warnings": 0, "notes": 0}
	all, text := []map[string]any{}, ""
	for _, skill := range found {
		s, problems, err := suite.Load(ctx, skill.Dir)
		if err != nil {
			return usageError("check the path and its permissions", "%w", err)
		}
		foreign, more, err := suite.Foreign(ctx, skill.Dir, s)
		if err != nil {
			return usageError("check the path and its permissions", "%w", err)
		}
		problems = append(append(problems, more...), suite.Advice(s, stats.MinCases, skills.ToolNames())...)
		if len(s.Cases)+len(s.Queries)+len(problems) == 0 {
			continue
		}
		all = append(all, map[string]any{
			"path": skill.Dir, "name": s.Skill, "cases": len(s.Cases), "queries": len(s.Queries),
			"importable": map[string]int{"cases": len(foreign.Cases), "queries": len(foreign.Queries)},
			"problems":   append([]suite.Problem{}, problems...), // a list also if it is empty
		})
		if skill.File != "" {
			counts["skills"]++
		}
		text += suiteLine(skill.Dir, s)
		counts["cases"] += len(s.Cases)
		counts["queries"] += len(s.Queries)
		for _, p := range problems {
			counts[p.Level+"s"]++
			text += problemLine(p)
		}
	}
	outside := suite.Outside(paths, printable.Map(found, func(f loader.Found) string { return f.Real }))
	for _, dir := range outside {
		counts["warnings"]++
		text += outsideLine(ctx, dir)
	}
	if len(all)+len(outside) == 0 {
		return usageError("write some: skills eval init PATH", "no eval files in %s", strings.Join(paths, ", "))
	}
	if asJSON {
		err = printable.WriteJSON(a.Stdout, map[string]any{"schema_version": 1, "summary": counts, "skills": all, "outside": append([]string{}, outside...)})
	} else {
		count := func(noun string) string {
			return printable.Plural(counts[noun], strings.TrimSuffix(noun, "s"))
		}
		_, err = fmt.Fprintf(a.Stdout, "%s%s: %s, %s; %s, %s\n", text, count("skills"), count("cases"),
			printable.Plural(counts["queries"], "trigger prompt"), count("errors"), count("warnings"))
	}
	if err != nil {
		return err
	}
	return reported(counts["errors"] > 0)
}

// suiteLine says what the eval files of a skill hold, if they hold something.
func suiteLine(dir string, s *suite.Suite) string {
	if len(s.Cases)+len(s.Queries) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s, %s (%s)\n", printable.Line(dir), printable.Plural(len(s.Cases), "case"),
		printable.Plural(len(s.Queries), "trigger prompt"), printable.Line(strings.Join(s.Read, ", ")))
}

func problemLine(p suite.Problem) string {
	return fmt.Sprintf("%s:%d:%d: %s: %s\n  help: %s\n", printable.Line(p.Path), p.Line, p.Col, p.Level, p.Message, p.Help)
}

// outsideLine says what a folder of evals holds that is in no skill.
func outsideLine(ctx context.Context, dir string) string {
	holds := "nothing that can be read"
	if m, _, err := suite.Import(ctx, dir, dir); err == nil && len(m.Cases)+len(m.Queries) > 0 {
		holds = m.Summary()
	}
	return fmt.Sprintf("%s:1:1: warning: a suite outside of a skill: %s\n  help: import it: skills eval import %s --skill PATH\n",
		printable.Line(dir), holds, printable.ShellWord(dir))
}

func evalInitCommand(a *app) *cobra.Command {
	return a.command(&cobra.Command{
		Use:   "init PATH",
		Short: "Write eval files with six cases to fill in and a trigger list",
		Long: `Write evals/evals.json with six cases to fill in, the fewest with a verdict, and evals/triggers.json with a trigger list
into the skill PATH. Nothing is ever overwritten.`,
		Example:     `  skills eval init my-skill`,
		Annotations: note("evals-files", "0  the files were written", "2  usage error, no skill in PATH, or a file exists"),
		Args:        arguments(1, 1, "PATH", "give the folder of one skill"),
		RunE: func(c *cobra.Command, args []string) error {
			wrote, err := suite.Init(c.Context(), args[0])
			if errors.Is(err, fs.ErrExist) {
				return usageError("edit it, or move it away first", "%w", err)
			} else if err != nil && fault.Hint(err) == "" {
				return usageError("check that evals is a folder inside the skill, and its permissions", "%s: %w", args[0], err)
			} else if err != nil {
				return fault.AsUsage(err)
			}
			for _, name := range wrote {
				fmt.Fprintf(a.Stdout, "Created %s\n", printable.Line(filepath.Join(args[0], filepath.FromSlash(name))))
			}
			_, err = fmt.Fprintf(a.Stdout, "\nNext:\n  Replace the examples by real requests\n"+
				"  Check them: skills eval lint %[1]s\n  Run them: skills eval %[1]s\n  %[2]s\n", printable.ShellWord(args[0]), report.Power())
			return err
		},
	})
}
