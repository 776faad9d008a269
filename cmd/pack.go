package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/pack"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/runner"
	"skills/internal/safefile"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// packFlags are the flags of pack.
type packFlags struct {
	target, format, file string
	force                bool
}

func (a *app) packCommand() *cobra.Command {
	f := packFlags{format: "zip"}
	c := &cobra.Command{
		Use:   "pack PATH",
		Short: "Write a reproducible archive of a skill",
		Long: `Write a reproducible archive of a skill.

The skill is validated first; errors refuse it. The same files give the same bytes on every machine.
Hidden files, evals/, bytecode and node_modules are left out, and named. Links are refused.

--for checks the limits of a target: anthropic and openai (their Skills APIs), mcp (skills over MCP),
well-known (a web server; SKILL.md is at the top of the archive, not in a folder).`,
		Example: `  skills pack ./my-skill
  skills pack ./my-skill --format skill
  skills pack ./my-skill --for anthropic -o out.zip`,
		GroupID:     groupPublish,
		Annotations: note("publish", "0  the archive was written", "1  the skill has errors, or does not fit the target", "2  usage error, or the file exists"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrongUsage("name one skill, such as skills pack ./my-skill", "pack needs one PATH, not %d", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			return a.pack(c.Context(), f, args[0])
		},
	}
	c.Flags().StringVar(&f.target, "for", "", "check the limits of anthropic, openai, mcp or well-known")
	c.Flags().StringVar(&f.format, "format", f.format, "extension of the archive: zip or skill")
	c.Flags().StringVarP(&f.file, "output", "o", "", "archive to write (default: NAME.zip or NAME.skill here)")
	c.Flags().BoolVar(&f.force, "force", false, "overwrite an existing file")
	a.values(c, "for", targetNames()...)
	a.values(c, "format", "zip", "skill")
	return a.command(c)
}

func targetNames() (names []string) {
	for _, t := range pack.Targets() {
		names = append(names, t.Name)
	}
	return names
}

func (a *app) pack(ctx context.Context, f packFlags, path string) error {
	target, ok := pack.FindTarget(f.target)
	switch {
	case !ok:
		return wrongUsage(nearestHint(f.target, targetNames()), "unknown target %q", f.target)
	case f.format != "zip" && f.format != "skill":
		return wrongUsage("choose zip or skill", "unknown format %q", f.format)
	}
	found, err := a.publishable(ctx, path)
	if err != nil {
		return err
	}
	if len(found) != 1 || found[0].File == "" {
		return wrongUsage("name the folder of one skill", "%s holds %s, not one", path, printable.Plural(len(found), "skill"))
	}
	p, err := loader.Properties(found[0], spec.UsableProperties)
	if err != nil {
		return err
	}
	file := f.file
	if file == "" {
		file = p.Name + "." + f.format
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && !f.force {
		return wrongUsage("choose another file with -o, or overwrite it with --force", "%s exists", file)
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		abs, err := filepath.Abs(dir)
		if rel, relErr := filepath.Rel(found[0].Real, abs); err == nil && relErr == nil && filepath.IsLocal(rel) {
			return wrongUsage("write it elsewhere with -o, such as -o ../"+filepath.Base(file), "the archive would be in the skill's own folder")
		}
	}
	archive, err := pack.Pack(found[0].Dir, p.Name, target)
	if err != nil {
		return unpackable(err)
	}
	if err := a.publish(ctx, file, archive.Bytes); err != nil {
		return err
	}
	if len(archive.Skipped) > 0 {
		fmt.Fprintf(a.Stderr, "Left out: %s\n", printable.Line(strings.Join(archive.Skipped, ", ")))
	}
	fmt.Fprintf(a.Stdout, "Wrote %s: %s, %s, %s\n", printable.Line(file), printable.Plural(archive.Files, "file"), spec.FormatSize(int64(len(archive.Bytes))), archive.Digest)
	return nil
}

// publishable returns the skills of a path. If they have errors, those are printed,
// and the error says so.
func (a *app) publishable(ctx context.Context, path string) ([]loader.Found, error) {
	checked, err := lint.Run(ctx, lint.Options{Dir: a.Dir, Environ: a.Environ, Paths: []string{path}, Least: spec.Error, Notify: a.notice})
	if err != nil {
		return nil, runner.Refused(err)
	}
	opt := report.Options{Quiet: true, Rooted: lint.Rooted(a.Dir, a.Getenv, checked.Report), Page: rulePage, Colour: a.colours(a.Stderr), Width: terminal.Width(a.Stderr)}
	if fails(checked.Report, opt) {
		text, _ := report.FindFormat("text")
		if err := text.Write(a.Stderr, checked.Report, opt); err != nil {
			return nil, err
		}
		return nil, reported()
	}
	found, err := lint.Find(ctx, loader.Search{}, []string{path})
	return found, err
}

// unpackable is the error of a skill that cannot be packed, each problem on a line:
// that is not wrong usage.
func unpackable(err error) error {
	var refused *pack.Error
	if !errors.As(err, &refused) {
		return runner.Hinted(err)
	}
	var all lint.Errors
	for _, problem := range refused.Problems {
		all = append(all, fmt.Errorf("%s: %s", refused.Path, problem))
	}
	return &runner.Error{Code: exitProblems, Err: all}
}

// publish writes a file in one step.
func (a *app) publish(ctx context.Context, file string, data []byte) error {
	if err := safefile.Write(ctx, file, data); err != nil {
		return wrongUsage("check the folder and its permissions", "writing %s: %w", file, safefile.Reason(err))
	}
	return nil
}
