package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/near"
	"skills/internal/report"
	"skills/internal/spec"
)

type validateFlags struct {
	formats       []string
	profile       string
	clients       []string
	rules         []string
	strict        bool
	quiet         bool
	verbose       bool
	stdinFilename string
}

func (a *app) validateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate [PATH...]",
		Short: "Check skills",
		Long: `Checks skills against the specification. PATH (default .) is a skill's folder, a
SKILL.md, any file inside a skill, or a tree, which is searched for skills; - reads
one SKILL.md from standard input.`,
		Example: `  skills validate ./my-skill
  skills validate --strict .claude/skills
  skills validate --format json skills > findings.json
  git diff --name-only --diff-filter=d main -- skills | xargs skills validate
  skills validate --stdin-filename my-skill/SKILL.md - < SKILL.md`,
		Annotations: exits("0  no errors (with --strict: no warnings either)", "1  errors found",
			"2  wrong usage, a path that does not exist, or a file that lies in no skill"),
		RunE: func(c *cobra.Command, args []string) error { return a.validate(c.Context(), f, args) },
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.formats, "format", []string{"text"}, "output `NAME[=FILE]`: "+formatNames()+"; repeatable, each to its own file")
	fl.StringVar(&f.profile, "profile", string(spec.ProfileSpec), "standard to check against, `NAME`: spec, or skills-ref for exactly the reference library's verdict")
	fl.StringArrayVar(&f.clients, "client", nil, "accept what the client `NAME` also reads: "+strings.Join(clientIDs(), ", ")+"; repeatable")
	fl.StringArrayVar(&f.rules, "rule", nil, "set one rule's level: `ID=off|info|warning|error`; repeatable")
	fl.BoolVar(&f.strict, "strict", false, "warnings count as errors")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "print only what counts towards exit code 1")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print advice as well")
	fl.StringVar(&f.stdinFilename, "stdin-filename", "", "the `PATH` that standard input stands for")
	return a.command(c)
}

func (a *app) validate(ctx context.Context, f validateFlags, args []string) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	outputs, err := parseOutputs(f.formats)
	if err != nil {
		return err
	}
	docs, err := a.documents(ctx, args, f.stdinFilename)
	if err != nil {
		return err
	}
	rep, err := check(ctx, docs, opts)
	if err != nil {
		return err
	}
	if err := a.writeReport(outputs, rep, report.Options{Quiet: f.quiet, Strict: f.strict, Verbose: f.verbose}); err != nil {
		return err
	}
	if n := rep.Count(); n.Errors > 0 || f.strict && n.Warnings > 0 {
		return errReported(exitProblems)
	}
	return nil
}

// options turns the flags into what the rules are told.
func (f validateFlags) options() (spec.Options, error) {
	opts := spec.Options{Profile: spec.Profile(f.profile), Clients: f.clients, Levels: map[string]spec.Level{}}
	if opts.Profile != spec.ProfileSpec && opts.Profile != spec.ProfileReference {
		return opts, wrongUsage("choose spec or skills-ref", "unknown profile %q", f.profile)
	}
	if opts.Profile == spec.ProfileReference && len(f.clients)+len(f.rules) > 0 {
		return opts, wrongUsage("leave them out, or use the profile spec", "--profile skills-ref is the reference library's verdict alone; --client and --rule do not change it")
	}
	for _, c := range f.clients {
		if !slices.Contains(clientIDs(), c) {
			return opts, wrongUsage(nearestHint(c, clientIDs()), "unknown client %q", c)
		}
	}
	for _, r := range f.rules {
		id, name, found := strings.Cut(r, "=")
		level, ok := spec.ParseLevel(name)
		switch {
		case !found || !ok:
			return opts, wrongUsage("write it as ID=off, ID=info, ID=warning or ID=error", "bad --rule %q", r)
		case spec.FindRule(id) == nil:
			return opts, wrongUsage(nearestHint(id, ruleIDs()), "unknown rule %q", id)
		}
		opts.Levels[id] = level
	}
	return opts, nil
}

// nearestHint offers the nearest name, or all of them.
func nearestHint(word string, names []string) string {
	if n := near.Nearest(word, names); n != "" {
		return "did you mean " + n + "?"
	}
	return "choose one of " + strings.Join(names, ", ")
}

func clientIDs() []string {
	var out []string
	for _, c := range spec.Clients() {
		out = append(out, c.ID)
	}
	return out
}

func ruleIDs() []string {
	var out []string
	for _, r := range spec.Rules() {
		out = append(out, r.ID)
	}
	return out
}
