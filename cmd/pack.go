package cmd

// The command pack, and what it shares with index: only skills without errors are
// published.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/pack"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/terminal"
)

func packCommand(a *app) *cobra.Command {
	target, format, file, force := "", "zip", "", false
	targets := printable.Map(pack.Targets(), func(t pack.Target) string { return t.Name })
	c := &cobra.Command{
		Use:   "pack PATH",
		Short: "Write a reproducible archive of a skill",
		Long: `Write a reproducible archive of a skill.

The skill is validated first; one with errors is not packed. The same files give the same bytes on every machine.
Hidden files, evals/, bytecode and node_modules are skipped and listed. Links are refused.

--for checks the limits of a target: anthropic and openai (their Skills APIs), mcp (skills over MCP),
well-known (a web server; SKILL.md is at the top of the archive, not in a folder).`,
		Example: `  skills pack ./my-skill
  skills pack ./my-skill --format skill
  skills pack ./my-skill --for anthropic -o out.zip`,
		Annotations: note("publish", "0  the archive was written", "1  the skill has errors, or does not fit the target", "2  usage error, or the file exists"),
		Args:        arguments(1, 1, "PATH", ""),
		RunE: given(func(c *cobra.Command, args []string) error {
			if err := known("format", format, "zip", "skill"); err != nil {
				return err
			}
			limits := pack.Target{}
			if target != "" {
				if err := known("target", target, targets...); err != nil {
					return err
				}
				limits = pack.Targets()[slices.Index(targets, target)]
			}
			return runPack(c.Context(), a, args[0], limits, file, format, force)
		}),
	}
	c.Flags().StringVar(&target, "for", "", "check the limits of anthropic, openai, mcp or well-known")
	c.Flags().StringVar(&format, "format", format, "extension of the archive: zip or skill")
	c.Flags().StringVarP(&file, "output", "o", "", "archive to write, - for standard output (default: NAME.zip here)")
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	a.values(c, "for", targets...)
	a.values(c, "format", "zip", "skill")
	return a.command(c)
}

func runPack(ctx context.Context, a *app, path string, target pack.Target, file, format string, force bool) error {
	found, err := publishable(ctx, a, path)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError("name the folder of one skill", "%s holds %s, not one", path, printable.Plural(len(found), "skill"))
	}
	p, err := loader.Properties(found[0], spec.UsableProperties)
	if err != nil {
		return err
	}
	if file == "" {
		file = p.Name + "." + format
	}
	toStdout := file == "-"
	info, err := os.Stat(file)
	exists := err == nil && info.Mode().IsRegular()
	if exists && !force && !toStdout {
		return usageError("choose another file with -o, or overwrite it with --force", "%s exists", file)
	}
	if abs, err := filepath.Abs(filepath.Dir(file)); err == nil && !toStdout {
		real, _ := filepath.EvalSymlinks(abs) // "" is not a folder
		if rel, err := filepath.Rel(found[0].Real, real); err == nil && filepath.IsLocal(rel) {
			return usageError("write it elsewhere with -o, such as -o ../"+filepath.Base(file), "the archive would be in the skill's own folder")
		}
	}
	archive, err := pack.Pack(found[0].Dir, p.Name, target)
	summary := a.Stdout
	switch {
	case err == nil && toStdout:
		summary = a.Stderr
		_, err = printable.Exact(a.Stdout).Write(archive.Bytes)
	case err == nil:
		err = files.Save(ctx, file, archive.Bytes)
	}
	if err != nil {
		return unpackable(found[0].Dir+": ", err)
	}
	if len(archive.Skipped) > 0 {
		fmt.Fprintf(a.Stderr, "Skipped: %s\n", printable.Line(strings.Join(archive.Skipped, ", ")))
	}
	fmt.Fprintf(summary, "Wrote %s: %s, %s, %s\n", printable.Line(file), printable.Plural(archive.Files, "file"),
		spec.FormatSize(int64(len(archive.Bytes))), archive.Digest)
	return nil
}

// publishable returns the skills at a path. If they have errors, it prints them and
// returns an error. Warnings, such as a key in a file, are counted.
func publishable(ctx context.Context, a *app, path string) ([]loader.Found, error) {
	nowhere := ""
	notify := func(n loader.Notice) {
		if n.Nothing {
			nowhere = n.Message
			return
		}
		a.notice(n)
	}
	run, err := lint.Start(ctx, lint.Options{Dir: a.Dir, Environ: a.Environ, Input: lint.Input{Paths: []string{path}}, Results: lint.Results{Least: spec.Warning}, Notify: notify})
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	opt := report.Options{Quiet: true, Page: rulePage, Colour: a.colours(a.Stderr), Width: terminal.Width(a.Stderr)}
	errs := output{report: report.FindFormat("text").Open(a.Stderr, opt)} // writes nothing if there are none
	counts, err := check(ctx, run, []output{errs}, opt)
	counts.Nowhere = nowhere
	if err == nil {
		err = errs.report.Close(nil, counts)
	}
	if err == nil {
		err = reported(counts.Fail(opt))
	}
	if err != nil {
		return nil, err
	}
	if counts.Warnings > 0 {
		a.warn("%s, see: skills validate %s", printable.Plural(counts.Warnings, "warning"), path)
	}
	return lint.Find(ctx, loader.Search{}, []string{path})
}

// unpackable returns the error for skills that cannot be packed, one problem per line.
// It is not a usage error.
func unpackable(prefix string, err error) error {
	var problems pack.Problems
	if !errors.As(err, &problems) {
		return fault.AsUsageIfHinted(err)
	}
	var all lint.Errors
	for _, p := range problems {
		p.Message = prefix + p.Message
		all = append(all, p)
	}
	return all
}
