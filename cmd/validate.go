package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/report"
	"skills/internal/spec"
)

func (a *app) validateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate [PATH...]",
		Short: "Check skills",
		Long: `Checks skills against the specification. PATH (default .) is a skill's folder, a
SKILL.md, any file inside a skill, or a tree, which is searched for skills; - reads
one SKILL.md from standard input.

Settings come from the nearest .skills.yaml upwards from each PATH to the root of its
repository, so the verdict is the same wherever it is started (outside a repository: to
the folder this was started in); its exclude patterns are relative to its folder. Flags
go over it.`,
		Example: `  skills validate ./my-skill
  skills validate --strict .claude/skills
  skills validate --diff skills
  skills validate --changed-since origin/main --format github
  skills validate --format json skills > findings.json
  git diff -z --name-only --relative --diff-filter=d main | xargs -0 -r skills validate --ignore-unmatched
  skills validate --stdin-filename my-skill/SKILL.md - < SKILL.md`,
		Annotations: exits("0  no errors (with --strict: no warnings either; with --diff: nothing to mend), or --write-baseline wrote them down", "1  errors found, or something could not be looked at or mended",
			"2  wrong usage, a path that does not exist, or a file that lies in no skill"),
		RunE: func(c *cobra.Command, args []string) error {
			f.profileSet, f.changedSinceSet = c.Flags().Changed("profile"), c.Flags().Changed("changed-since")
			return a.validate(c.Context(), f, args)
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.formats, "format", []string{"text"}, "write `NAME[=FILE]`, one of "+formatNames()+"; repeatable, each to its own file")
	fl.StringVar(&f.profile, "profile", string(spec.ProfileSpec), "check against the standard `NAME`: spec, or skills-ref for exactly the reference library's verdict")
	fl.StringArrayVar(&f.clients, "client", nil, "accept what the client `NAME` also reads: "+strings.Join(clientIDs(), ", ")+"; repeatable")
	fl.StringArrayVar(&f.rules, "rule", nil, "set the level of one rule, as `ID=LEVEL`: off, info, warning or error; repeatable")
	fl.BoolVar(&f.strict, "strict", false, "warnings count as errors")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "print only what counts towards exit code 1")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print advice as well")
	fl.BoolVar(&f.fix, "fix", false, "apply the safe fixes in place; with -v those of advice too")
	fl.BoolVar(&f.diff, "diff", false, "print the safe fixes as a unified diff and change nothing; exit code 1 where there are any")
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default the nearest .skills.yaml upwards from each PATH)")
	fl.BoolVar(&f.noConfig, "no-config", false, "use no configuration")
	fl.BoolVar(&f.forceExclude, "force-exclude", false, "leave out what the configuration excludes also where a PATH names it")
	fl.BoolVar(&f.ignoreUnmatched, "ignore-unmatched", false, "pass over a PATH that is a file in no skill")
	fl.StringVar(&f.changedSince, "changed-since", "", "check only skills touched since the git revision `REV`")
	fl.StringVar(&f.baseline, "baseline", "", "findings that stand in `FILE` are known: only new ones count")
	fl.StringVar(&f.writeBaseline, "write-baseline", "", "write the findings of this run to `FILE`, to be known from now on")
	fl.StringVar(&f.stdinFilename, "stdin-filename", "", "the `PATH` of the SKILL.md that standard input stands for; the other files of its folder are looked at")
	return a.command(c)
}

func (a *app) validate(ctx context.Context, f validateFlags, args []string) error {
	outputs, err := parseOutputs(f.formats)
	if err != nil {
		return err
	}
	if err := f.check(args); err != nil {
		return err
	}
	conf, err := a.configurations(f)
	if err != nil {
		return err
	}
	skills, err := a.selected(ctx, f, conf, args)
	if err != nil {
		return err
	}
	if f.fix || f.diff {
		skills.least(f.mends())
	}
	if f.diff {
		return a.showMending(ctx, skills)
	}
	whole := !conf.unseen // whether everything that was asked for was done
	if f.fix {
		all, err := a.mend(ctx, skills)
		if err != nil {
			return err
		}
		whole = whole && all
	}
	skills.least(f.least(outputs))
	skills.tokens = slices.ContainsFunc(outputs, func(o output) bool { return o.format.Tokens })
	rep, err := check(ctx, skills)
	if err != nil {
		return err
	}
	if rep, err = a.againstBaseline(ctx, f, rep, skills.opts); err != nil {
		return err
	}
	if err := a.writeReport(ctx, outputs, rep, report.Options{Quiet: f.quiet, Strict: f.strict, Verbose: f.verbose, Rooted: a.rooted(rep)}); err != nil {
		return err
	}
	if n := rep.Count(); !whole || f.writeBaseline == "" && (n.Errors > 0 || f.strict && n.Warnings > 0) {
		return errReported(exitProblems)
	}
	return nil
}
