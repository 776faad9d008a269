package cmd

// The command validate: flags that exclude each other are errors before anything is read,
// then findings go to reports in one or more formats, or fixes are shown as a diff.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/clients"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/lint/config"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// validateFlags holds the flags of validate.
type validateFlags struct {
	lint.Options
	formats, rules, perFile []string
	profile, reason         string
	strict                  bool
	lenient                 bool // --strict=false, overrides the configuration
	exitZero                bool
	shown
}

// shown holds the flags about what is printed.
type shown struct {
	quiet, verbose, diff, statistics, showFixes bool
	configSchema, showSettings                  bool // print them, and check nothing
	watch                                       bool
}

func validateCommand(a *app) *cobra.Command {
	f := validateFlags{Options: lint.Options{Dir: a.Dir, Environ: a.Environ, Input: lint.Input{Stdin: a.Stdin}, Notify: a.notice}}
	c := &cobra.Command{
		Use:     "validate [PATH...]",
		Aliases: []string{"lint", "check"},
		Short:   "Check skills against the specification",
		Long: `Check skills against the specification.

PATH (default .) is a skill folder, a SKILL.md, any file in a skill, or a tree that is
searched for skills. Use - to read one SKILL.md from standard input.

Formats: ` + strings.Join(formatNames(), ", ") + `. Clients: ` + strings.Join(clients.IDs(), ", ") + `.
Pass --client all to report how each client treats each skill.

The configuration is the nearest .skills.yaml above each PATH, up to the root of its
repository. Flags override it.`,
		Example: `  skills validate ./my-skill
  skills validate --strict .claude/skills
  skills validate --diff skills
  skills validate --format json skills > findings.json
  skills validate --changed-since main --format github`,
		Annotations: note("validate", "0  no errors (--strict: no warnings either; --diff: nothing to fix), or the baseline was written",
			"1  errors found, or something could not be searched or fixed",
			"2  usage error, invalid configuration, or missing input", exitInterrupted),
		RunE: func(c *cobra.Command, args []string) error {
			if f.configSchema && !f.watch {
				return a.printExactly(config.Schema())
			}
			f.Paths = args
			outputs, err := f.resolve(c)
			if err != nil {
				return err
			}
			if err := f.checkWatch(c, outputs); err != nil {
				return err
			}
			if f.watch {
				return runWatch(c.Context(), a, f, outputs)
			}
			if f.showSettings {
				return f.printSettings(c, a)
			}
			if f.diff {
				return runDiff(c.Context(), a, f)
			}
			return runValidate(c.Context(), a, f, outputs)
		},
	}
	f.add(a, c)
	return a.command(c)
}

// add defines the flags.
func (f *validateFlags) add(a *app, c *cobra.Command) {
	fl := a.group(c, "Rules")
	f.addRules(a, c, fl)
	fl.BoolVar(&f.configSchema, "config-schema", false, "print the JSON Schema of .skills.yaml")
	fl.BoolVar(&f.showSettings, "show-settings", false, "print the settings and their sources")

	fl = a.group(c, "Output")
	fl.StringArrayVar(&f.formats, "format", []string{"text"}, "output format, or NAME=FILE to write a file; repeatable")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "show errors only")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show advice too")
	fl.BoolVar(&f.statistics, "statistics", false, "print the number of findings of each rule")
	fl.BoolVar(&f.watch, "watch", false, "check again at each change, on a clean screen")
	fl.BoolVar(&f.exitZero, "exit-zero", false, "exit with 0 even if there are errors")

	fl = a.group(c, "Fixes")
	fl.BoolVar(&f.Fix, "fix", false, "apply safe fixes in place (with -v, those of advice too)")
	fl.BoolVar(&f.diff, "diff", false, "print safe fixes as a unified diff, without applying them")
	fl.BoolVar(&f.showFixes, "show-fixes", false, "list what --fix has fixed")
	fl.StringVar(&f.reason, "add-ignore", "", "write ignore comments for what is found")
	fl.Lookup("add-ignore").NoOptDefVal = noReason

	fl = a.group(c, "Selection")
	fl.StringVar(&f.ChangedSince, "changed-since", "", "check only skills that changed since this git revision")
	f.addBaseline(fl)
	fl.StringVar(&f.WriteBaseline, "write-baseline", "", "save the current findings as the baseline")
	fl.BoolVar(&f.ForceExclude, "force-exclude", false, "apply exclude patterns even to paths given explicitly")
	fl.BoolVar(&f.IgnoreUnmatched, "ignore-unmatched", false, "skip files that do not belong to a skill")
	fl.StringVar(&f.StdinFilename, "stdin-filename", "", "path that the SKILL.md on standard input belongs to")
	a.values(c, "format", formatNames()...)
}

// addRules defines the flags for which rules run, and at which levels.
func (f *validateFlags) addRules(a *app, c *cobra.Command, fl *pflag.FlagSet) {
	fl.StringVar(&f.profile, "profile", string(spec.ProfileSpec), "spec, or skills-ref for the reference library's verdict")
	fl.StringArrayVar(&f.Clients, "client", nil, "accept what this client reads too, or all; repeatable")
	fl.StringArrayVar(&f.rules, "rule", nil, "set a rule's level: off, info, warning or error; repeatable")
	fl.StringArrayVar(&f.perFile, "per-file-ignores", nil, "turn rules off for files; repeatable")
	fl.BoolVar(&f.strict, "strict", false, "treat warnings as errors")
	fl.StringVar(&f.ConfigFile, "config", "", "configuration (default: the nearest .skills.yaml)")
	fl.BoolVar(&f.NoConfig, "no-config", false, "ignore configuration files")
	a.values(c, "profile", string(spec.ProfileSpec), string(spec.ProfileReference))
	a.values(c, "client", append(clients.IDs(), allClients)...)
	a.completes(c, "rule", completeLevels)
}

// noReason is the value of --add-ignore without a reason.
const noReason = " "

// addBaseline defines the flag for the file with known findings.
func (f *validateFlags) addBaseline(fl *pflag.FlagSet) {
	fl.StringVar(&f.Baseline, "baseline", "", "report only findings that are not in this file")
}

// allClients is the value of --client that shows every client's verdict.
const allClients = "all"

// resolve sets the options from flags, and returns an error for invalid or
// contradicting flags.
func (f *validateFlags) resolve(c *cobra.Command) (outputs []output, err error) {
	outputs, err = parseOutputs(f.formats, formatNames())
	if err != nil {
		return nil, err
	}
	if err := f.checkSelection(c); err != nil {
		return nil, err
	}
	if err := f.resolveRules(c); err != nil {
		return nil, err
	}
	if err := f.checkOutputs(c, outputs); err != nil {
		return nil, err
	}
	changed := c.Flags().Changed
	f.lenient = changed("strict") && !f.strict
	f.FixLevel, f.Least = spec.Warning, spec.Info // hints are counted even if they are not shown
	if f.verbose {
		f.FixLevel = spec.Info
	}
	f.Ignore = lint.Ignore{Add: changed("add-ignore"), Reason: strings.TrimSpace(f.reason), Level: f.FixLevel}
	if f.quiet && !f.verbose {
		f.Ignore.Level = spec.Error
	}
	compares := f.Baseline != "" || f.WriteBaseline != ""
	if f.quiet && !f.verbose && !compares {
		f.Least = spec.Error
		if f.strict {
			f.Least = spec.Warning
		}
	}
	f.Tokens = slices.ContainsFunc(outputs, func(o output) bool { return report.FindFormat(o.format).Tokens })
	return outputs, nil
}

// checkSelection returns an error for flags about what is checked that exclude each other.
func (f *validateFlags) checkSelection(c *cobra.Command) error {
	stdin := slices.Contains(f.Paths, lint.Stdin)
	changed := c.Flags().Changed
	return cmp.Or(
		fault.UsageIf(f.Fix && f.diff, "review the changes with --diff, then apply them with --fix", "--fix cannot be used with --diff"),
		fault.UsageIf(stdin && f.Fix, "name the file, or print the changes with --diff", "--fix cannot change standard input"),
		fault.UsageIf(f.ConfigFile != "" && f.NoConfig, configHint, configClash),
		fault.UsageIf(changed("changed-since") && strings.TrimSpace(f.ChangedSince) == "",
			"name a branch, a tag or a commit, such as main; a variable may be empty", "--changed-since names no revision"),
		fault.UsageIf(stdin && f.ChangedSince != "", "name paths, or omit --changed-since", "--changed-since with standard input"),
		fault.UsageIf(stdin && len(f.Paths) > 1, "check standard input by itself", "- together with other paths"),
		fault.UsageIf(!stdin && f.StdinFilename != "", "add - to read standard input", "--stdin-filename without -"),
	)
}

// The error for flags about the configuration that exclude each other.
const (
	configClash = "--config cannot be used with --no-config"
	configHint  = "choose one of the two"
)

// checkOutputs returns an error for flags about what is written that exclude each other.
func (f *validateFlags) checkOutputs(c *cobra.Command, outputs []output) error {
	changed := c.Flags().Changed
	return cmp.Or(
		fault.UsageIf(f.showFixes && !f.Fix, "add --fix", "--show-fixes without --fix"),
		fault.UsageIf(changed("add-ignore") && (f.diff || f.WriteBaseline != ""), "omit one of them", "--add-ignore cannot be used with --diff or --write-baseline"),
		fault.UsageIf(changed("add-ignore") && slices.Contains(f.Paths, lint.Stdin), "name the file", "--add-ignore cannot change standard input"),
		fault.UsageIf(f.diff && f.WriteBaseline != "", "omit one of the two", "--diff cannot be used with --write-baseline"),
		fault.UsageIf(f.diff && (len(outputs) != 1 || outputs[0].format != "text" || outputs[0].file != ""),
			"omit one of the two", "--diff cannot be used with --format"),
		fault.UsageIf(f.WriteBaseline != "" && slices.ContainsFunc(outputs, func(o output) bool { return files.SameTarget(o.file, f.WriteBaseline) }),
			"give each its own file", "--format and --write-baseline name the same file"),
		fault.UsageIf(f.statistics && changed("diff"), "omit one of the two", "--statistics cannot be used with --diff"),
	)
}

// resolveRules parses --profile, --client and --rule.
func (f *validateFlags) resolveRules(c *cobra.Command) error {
	profile := spec.Profile(f.profile)
	if profile != spec.ProfileSpec && profile != spec.ProfileReference {
		return usageError("choose spec or skills-ref", "unknown profile %q", f.profile)
	}
	if profile == spec.ProfileReference && len(f.Clients)+len(f.rules) > 0 {
		return usageError("omit them, or use the profile spec", "--client and --rule do not change the verdict of --profile skills-ref")
	}
	if c.Flags().Changed("profile") {
		f.Profile = profile
	}
	f.Verdicts = slices.Contains(f.Clients, allClients)
	if f.Verdicts {
		f.Clients = clients.IDs()
	}
	for _, name := range f.Clients {
		if !slices.Contains(clients.IDs(), name) {
			return usageError(nearestHint(name, append(clients.IDs(), allClients)), "unknown client %q", name)
		}
	}
	for _, text := range f.perFile {
		ignored, err := config.ParsePerFile(text)
		if err != nil {
			return fault.AsUsage(err)
		}
		f.PerFile = append(f.PerFile, ignored)
	}
	f.Levels = map[string]spec.Level{}
	for _, r := range f.rules {
		id, name, found := strings.Cut(r, "=")
		level, ok := spec.ParseLevel(name)
		switch {
		case !found || !ok:
			return usageError("write ID=off, ID=info, ID=warning or ID=error", "invalid --rule %q", r)
		case rules.Find(id) == nil:
			return usageError(ruleHint(id), "unknown rule %q", id)
		}
		f.Levels[id] = level
	}
	return nil
}

// runValidate checks skills and prints the report.
func runValidate(ctx context.Context, a *app, f validateFlags, outputs []output) error {
	var notices []loader.Notice // of the search; printed after the report
	f.Notify = func(n loader.Notice) { notices = append(notices, n) }
	defer func() {
		for _, n := range notices {
			a.notice(n)
		}
	}()
	run, err := lint.Start(ctx, f.Options)
	if err != nil {
		return fault.AsUsage(err)
	}
	for _, err := range run.Failed {
		a.printError(err)
	}
	f.printFixes(a, run)
	opt := report.Options{
		Quiet: f.quiet, Strict: f.strict || run.Strict && !f.lenient, Verbose: f.verbose, Rooted: run.Rooted(a.Getenv), Page: rulePage,
	}
	if f.statistics {
		outputs = withStatistics(outputs)
	}
	failed := len(run.Failed)
	a.open(outputs, opt)
	counts, err := check(ctx, run, outputs, opt)
	if len(notices) == 1 && notices[0].Nothing && counts.Nothing() {
		counts.Nowhere, notices = notices[0].Message, nil // it is the last line of the report
	}
	if err != nil {
		return err
	}
	for _, err := range run.Failed[failed:] {
		a.printError(err)
	}
	if f.Ignore.Add {
		fmt.Fprintf(a.Stderr, "Added ignore comments for %s in %s\n", printable.Plural(run.Ignored, "finding"), printable.Plural(run.IgnoredSkills, "skill"))
	}
	if f.WriteBaseline != "" {
		fmt.Fprintf(a.Stderr, "Saved %s to %s (hints are not part of it)\n", printable.Plural(run.Saved, "finding"), printable.Line(f.WriteBaseline))
	}
	for i, line := range run.Gone {
		if i == 0 {
			a.warn("%s", line)
			continue
		}
		fmt.Fprintf(a.Stderr, "  %s\n", printable.TruncateMiddle(printable.Line(line), 200))
	}
	if err := a.close(ctx, outputs, counts, opt); err != nil {
		return err
	}
	return reported(run.Partial || f.WriteBaseline == "" && counts.Fail(opt) && !f.exitZero)
}

// printSettings prints the settings of the paths, with -v those of every rule.
func (f validateFlags) printSettings(c *cobra.Command, a *app) error {
	var strict *bool
	if c.Flags().Changed("strict") {
		strict = &f.strict
	}
	all, err := f.Settings(strict, f.verbose)
	if err != nil {
		return fault.AsUsage(err)
	}
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", printable.Line(strings.Join(s.Paths, ", ")), cmp.Or(printable.Line(s.File), "no configuration"))
		name, value := 0, 0
		for _, row := range s.List {
			name, value = max(name, printable.Width(row.Name)), max(value, printable.Width(row.Value))
		}
		for _, row := range s.List {
			fmt.Fprintf(&b, "  %-*s  %-*s  %s\n", name, printable.Line(row.Name), min(value, 40), printable.Line(row.Value), printable.Line(row.Source))
		}
	}
	_, err = io.WriteString(a.Stdout, b.String())
	return err
}

// printFixes says how much was fixed, with --show-fixes also what.
func (f validateFlags) printFixes(a *app, run *lint.Run) {
	if run.Fixed == 0 {
		return
	}
	fmt.Fprintf(a.Stderr, "Fixed %s in %s\n", printable.Plural(run.Fixed, "problem"), printable.Plural(run.FixedSkills, "skill"))
	if !f.showFixes {
		return
	}
	for _, d := range run.Fixes {
		fmt.Fprintf(a.Stderr, "  %s: %s [%s]\n", printable.Line(d.Path), printable.Line(d.Fix.Description), d.Rule)
	}
}

// withStatistics replaces the findings of the formats for people and programs by their
// number per rule. Other formats stay, and the numbers are printed on standard error.
func withStatistics(outputs []output) []output {
	counted := false
	for i, o := range outputs {
		switch o.format {
		case "text", "concise":
			outputs[i].format = report.Statistics
		case "json":
			outputs[i].format = report.StatisticsJSON
		default:
			continue
		}
		counted = true
	}
	if !counted {
		outputs = append(outputs, output{format: report.Statistics, onStderr: true})
	}
	return outputs
}

// check adds the skills of a run to its reports.
func check(ctx context.Context, run *lint.Run, outs []output, opt report.Options) (counts report.Counts, err error) {
	err = run.Check(ctx, func(s report.Skill) error {
		counts.Add(s, opt)
		for _, o := range outs {
			if err := o.report.Skill(s); err != nil {
				return err
			}
		}
		return nil
	})
	counts.Known = run.Known
	return counts, fault.AsUsageIfHinted(err)
}

// runDiff prints what --fix would change. The exit code is 1 if there is anything.
func runDiff(ctx context.Context, a *app, f validateFlags) error {
	findings, skills := 0, 0
	partial, err := lint.Diff(ctx, f.Options, func(c fix.Changes) error {
		findings, skills = findings+len(c.Fixed), skills+1
		var text strings.Builder
		if err := fix.Diff(&text, c); err != nil {
			return err
		}
		return a.printExactly(text.String())
	})
	if err != nil {
		return fault.AsUsageIfHinted(err)
	}
	if findings > 0 {
		fmt.Fprintf(a.Stderr, "Would fix %s in %s\n", printable.Plural(findings, "problem"), printable.Plural(skills, "skill"))
	}
	return reported(partial || skills > 0)
}
