package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/printable"
)

func evalImportCommand(a *app) *cobra.Command {
	skill, out := "", ""
	c := &cobra.Command{
		Use:   "import FROM",
		Short: "Write the suite of another tool as eval files of this one",
		Long: `Read the suites in the folder or file FROM, in the form of any known tool, and write them
as evals.json, checks.json and triggers.json into a new folder. FROM is never changed.

Read are suites of waza, vally, promptfoo, AgentV, skill-up, skillgrade and tessl, cases of
Claude Code, and lists of cases or queries in JSON, YAML, JSON Lines, CSV or Markdown.

The folder is SKILL/evals if the skill has none yet, else SKILL-evals next to it. What has
no meaning here is named with its file and the reason.`,
		Example: `  skills eval import my-skill
  skills eval import tests/my-skill --skill skills/my-skill
  skills eval import my-skill/eval.yaml --out imported`,
		Annotations: note("evals-files", "0  the files were written", "1  nothing could be imported", "2  usage error, or the new folder exists"),
		Args:        arguments(1, 1, "FROM", "name the folder or file of a suite"),
		RunE: func(c *cobra.Command, args []string) error {
			from := filepath.Clean(args[0])
			if skill == "" {
				skill = skillAbove(from)
			}
			m, problems, err := suite.Import(c.Context(), from, skill)
			if err != nil {
				return usageError("check the path and its permissions", "%w", err)
			}
			for _, p := range problems {
				fmt.Fprintf(a.Stderr, "%s:%d: %s: %s\n", printable.Line(p.Path), p.Line, p.Level, p.Message)
			}
			if len(m.Cases)+len(m.Queries) == 0 {
				return &fault.Error{Code: fault.Failed, Err: fmt.Errorf("nothing to import from %s", from), Hint: "see the supported forms with: skills eval import --help"}
			}
			return writeImported(a, m, skill, out)
		},
	}
	fl := a.group(c, "Folders")
	fl.StringVar(&skill, "skill", "", "path of the skill (default: the folder of FROM with a SKILL.md)")
	fl.StringVar(&out, "out", "", "new folder (default: SKILL/evals, or SKILL-evals)")
	_ = fl.SetAnnotation("skill", metavarNote, []string{"PATH"}) // both are defined
	_ = fl.SetAnnotation("out", metavarNote, []string{"DIR"})
	return a.command(c)
}

// skillAbove returns the folder with a SKILL.md that a path is in, or the path.
func skillAbove(from string) string {
	for dir := from; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "SKILL.md")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return from
		}
	}
}

// writeImported writes what was imported, and prints what is next.
func writeImported(a *app, m *suite.Imported, skill, out string) error {
	evals := filepath.Join(skill, "evals")
	if out == "" {
		out = evals
		if _, err := os.Lstat(out); err == nil {
			full, err := filepath.Abs(skill)
			if err != nil {
				return err
			}
			out = filepath.Join(filepath.Dir(skill), filepath.Base(full)+"-evals")
		}
	}
	wrote, err := m.Write(out)
	if errors.Is(err, fs.ErrExist) {
		return usageError("name another folder with --out", "%w", err)
	} else if err != nil {
		return usageError("name another folder with --out, or check the permissions", "%w", err)
	}
	var page strings.Builder
	for _, name := range wrote {
		fmt.Fprintf(&page, "Created %s\n", printable.Line(filepath.Join(out, filepath.FromSlash(name))))
	}
	fmt.Fprintf(&page, "%s", m.Summary())
	if m.Refused > 0 {
		fmt.Fprintf(&page, "; %d left out, see above", m.Refused)
	}
	page.WriteString("\n\nNext:\n")
	if filepath.Clean(out) != evals {
		fmt.Fprintf(&page, "  Move it into the skill: mv %s %s\n", printable.ShellWord(out), printable.ShellWord(evals))
	}
	fmt.Fprintf(&page, "  Check it: skills eval lint %s\n", printable.ShellWord(skill))
	_, err = a.Stdout.Write([]byte(page.String()))
	return err
}
