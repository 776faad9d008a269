package cmd

// The command audit prints facts, which fail nothing by themselves. Its exit code is 1 for
// what differs from a record, and for facts of the kinds that the user names.

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/audit"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/terminal"
)

func auditCommand(a *app) *cobra.Command {
	format := ""
	var failOn []string
	o := audit.Options{Dir: a.Dir, Home: a.Home, Notify: a.notice}
	c := &cobra.Command{
		Use:   "audit [PATH...]",
		Short: "List what a reviewer should check in skills",
		Long: `List what a reviewer should check in skills: facts, not verdicts.

These are programs and archives that nobody can read, hosts, downloads that are run, decoded hidden
text, environment variables read by files that use the network, hooks, changes of PATH, and
allowed-tools that grant a shell. Those in evals and test fixtures come last. Nothing is run and no network is used.

PATH (default .) is a skill, or a tree that is searched. A manifest records every file with its
digest; --since prints only what has changed since then. The lock files of installers in the working
folder or above are compared too: skills-lock.json, .agents/.skill-lock.json, apm.lock.yaml,
toolhive.lock.yaml, agents.lock, .clawhub/lock.json and skills.lock.yaml.`,
		Example: `  skills audit ./downloaded-skill
  skills audit .claude/skills --write-manifest known.json
  skills audit .claude/skills --since known.json
  skills audit --fail-on unread .claude/skills
  skills audit --format json .claude/skills`,
		Annotations: note("audit", "0  success; facts are not problems", "1  something differs from the manifest or a lock file, or a fact of --fail-on was found",
			"2  usage error, missing input, or a damaged manifest or lock file"),
		RunE: given(func(c *cobra.Command, args []string) error {
			o.Paths = args
			for _, kind := range failOn {
				if !slices.Contains(auditKinds(), kind) {
					return usageError(nearestHint(kind, auditKinds()), "unknown fact %q", kind)
				}
			}
			return runAudit(c.Context(), a, format, o, failOn)
		}),
	}
	c.Flags().StringVar(&o.Since, "since", "", "print only what has changed since this manifest")
	c.Flags().StringVar(&o.Write, "write-manifest", "", "save the digests of all files as a manifest")
	c.Flags().StringArrayVar(&failOn, "fail-on", nil, "exit with 1 if there is a fact of this kind; repeatable")
	a.values(c, "fail-on", auditKinds()...)
	return a.formatted(c, &format, "text", "json")
}

// auditKinds returns the ids of the kinds of facts.
func auditKinds() (ids []string) {
	for _, k := range audit.Kinds() {
		ids = append(ids, k.ID)
	}
	return ids
}

// runAudit prints the result, and a summary on standard error.
func runAudit(ctx context.Context, a *app, format string, o audit.Options, failOn []string) error {
	result, read, err := audit.Run(ctx, o)
	if err != nil {
		return fault.AsUsageIfHinted(err)
	}
	if format == "json" {
		err = printable.WriteJSON(a.Stdout, result)
	} else {
		_, err = io.WriteString(a.Stdout, auditText(a, result))
	}
	if err != nil {
		return err
	}
	if summary := auditSummary(result, read, o.Since); summary != "" {
		fmt.Fprintln(a.Stderr, printable.Line(summary))
	}
	if o.Write != "" {
		fmt.Fprintf(a.Stderr, "Saved %s to %s\n", printable.Plural(read, "skill"), printable.Line(o.Write))
	}
	failing := result.Facts(failOn)
	if failing > 0 {
		fmt.Fprintf(a.Stderr, "Failed: %s of --fail-on %s\n", printable.Plural(failing, "fact"), strings.Join(failOn, ", "))
	}
	return reported(failing > 0 || result.Differs())
}

// auditSummary returns the last line, "" if no skills were read: a warning has said so.
func auditSummary(result audit.Manifest, read int, since string) string {
	count := func(n int, noun string) string {
		if n == 0 {
			return "no " + noun + "s"
		}
		return printable.Plural(n, noun)
	}
	found, inFixtures, changed := result.Counts()
	if since != "" {
		return fmt.Sprintf("%s: %s and %s since %s", printable.Plural(read, "skill"), count(changed, "changed file"), count(found, "new fact"), since)
	}
	if read == 0 {
		return ""
	}
	summary := printable.Plural(read, "skill") + ": " + count(found, "fact")
	if inFixtures > 0 {
		summary += fmt.Sprintf(" (%d in evals and test fixtures)", inFixtures)
	}
	return summary
}

// auditText returns each skill with its changes and its facts by kind, those of
// fixtures last, then the differences from the lock files.
func auditText(a *app, result audit.Manifest) string {
	var b strings.Builder
	width := terminal.Width(a.Stdout)
	bold := terminal.Styles(a.Stdout, a.colours(a.Stdout)).NewStyle().Bold(true)
	for _, s := range result.Skills {
		title := bold.Render(printable.Line(s.Path)) + "\n"
		if s.State != "" {
			fmt.Fprintf(&b, "%s: %s\n", strings.TrimSuffix(title, "\n"), s.State)
			title = ""
		}
		for _, f := range s.Files {
			if s.State == audit.Changed {
				fmt.Fprintf(&b, "  %-8s %s\n", f.State, printable.Line(f.Path))
			}
		}
		for i, suffix := range []string{"", " (evals and test fixtures)"} {
			for _, kind := range audit.Kinds() {
				heading := "  " + kind.Title + suffix + "\n"
				for _, f := range s.Files {
					for _, fact := range f.Facts {
						if fact.Kind != kind.ID || f.Fixture != (i == 1) {
							continue
						}
						b.WriteString(title + heading + factLine(filepath.Join(s.Path, filepath.FromSlash(f.Path)), fact, width) + "\n")
						title, heading = "", ""
					}
				}
			}
		}
		if title == "" {
			b.WriteString("\n")
		}
	}
	for _, lock := range result.Locks {
		b.WriteString(lockText(lock, bold.Render(printable.Line(lock.Path)), width))
	}
	return b.String()
}

// lockText returns the differences from a lock file, with the files where it has digests of
// them, and what was not checked; "" if there is neither.
func lockText(lock audit.Lock, title string, width int) string {
	if len(lock.Skills) == 0 && lock.Note == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, l := range lock.Skills {
		text := fmt.Sprintf("  %s: %s", strings.ReplaceAll(string(l.State), "-", " "), strings.TrimSuffix(printable.Line(l.Name+" ("+l.Path+")"), " ()"))
		fmt.Fprintln(&b, printable.Fold(text+": "+printable.Line(l.Note), 0, width, "    "))
		for i, f := range l.Files {
			if i == maxLockedFiles {
				fmt.Fprintf(&b, "    … and %d more\n", len(l.Files)-i)
				break
			}
			fmt.Fprintf(&b, "    %-8s %s\n", strings.ReplaceAll(string(f.State), "-", " "), printable.Line(f.Path))
		}
	}
	if lock.Note != "" {
		fmt.Fprintln(&b, printable.Fold("  note: "+printable.Line(lock.Note), 0, width, "    "))
	}
	fmt.Fprintln(&b)
	return b.String()
}

// maxLockedFiles is how many files of a skill are listed that differ from a lock file.
const maxLockedFiles = 50

// factLine returns a fact with its position, shortened to the terminal's columns.
func factLine(path string, f audit.Fact, width int) string {
	line := "    " + printable.Line(path)
	if f.Line > 0 {
		line += fmt.Sprintf(":%d", f.Line)
	}
	line += ": " + printable.Line(f.Text)
	if f.More > 0 {
		line += fmt.Sprintf(" (%d more)", f.More)
	}
	if width > 0 {
		line = printable.Fit(line, max(width-1, 20))
	}
	return line
}
