package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skills/internal/facts"
	"skills/internal/manifest"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/terminal"
)

func (a *app) auditCommand() *cobra.Command {
	format := "text"
	o := manifest.Options{Dir: a.Dir, Notify: a.notice}
	c := &cobra.Command{
		Use:   "audit [PATH...]",
		Short: "List what a reviewer should see in skills",
		Long: `List what a reviewer should see in skills: facts, not verdicts.

These are programs and archives that nobody can read, hosts, downloads that are run, decoded hidden
text, environment variables read beside network use, hooks, changes of PATH, and allowed-tools that
grant a shell. Those in evals and test fixtures come last. Nothing is run and no network is used.

PATH (default .) is a skill, or a tree that is searched. A manifest records every file with its
digest; --since prints only what has changed since then. A skills-lock.json in the working folder or
above is compared too.`,
		Example: `  skills audit ./downloaded-skill
  skills audit .claude/skills --write-manifest known.json
  skills audit .claude/skills --since known.json
  skills audit --format json .claude/skills`,
		GroupID: groupCheck,
		Annotations: note("audit", "0  success; facts are not problems", "1  something differs from the manifest or from skills-lock.json",
			"2  usage error, missing input, or a damaged manifest or lock file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			o.Paths = args
			return a.audit(c.Context(), format, o)
		},
	}
	c.Flags().StringVar(&format, "format", format, "output format: text or json")
	c.Flags().StringVar(&o.Since, "since", "", "print only what has changed since this manifest")
	c.Flags().StringVar(&o.Write, "write-manifest", "", "save the digests of all files as a manifest")
	a.values(c, "format", "text", "json")
	return a.command(c)
}

func (a *app) audit(ctx context.Context, format string, o manifest.Options) error {
	if format != "text" && format != "json" {
		return wrongUsage("choose text or json", "unknown format %q", format)
	}
	result, err := manifest.Audit(ctx, o)
	if err != nil {
		return runner.Hinted(err)
	}
	if format == "json" {
		err = printable.WriteJSON(a.Stdout, result)
	} else {
		err = a.printAudit(result)
	}
	if err != nil {
		return err
	}
	summary := result.Summary.String()
	if o.Since != "" {
		summary = fmt.Sprintf("%s, %s: %s and %s since %s", printable.Plural(result.Summary.Skills, "skill"), printable.Plural(result.Summary.Files, "file"),
			printable.Plural(result.Summary.Changes, "changed file"), printable.Plural(result.Summary.Facts, "new fact"), o.Since)
	}
	fmt.Fprintln(a.Stderr, printable.Line(summary))
	if o.Write != "" {
		fmt.Fprintf(a.Stderr, "Saved %s to %s\n", printable.Plural(result.Summary.Skills, "skill"), printable.Line(o.Write))
	}
	if result.Differs() {
		return reported()
	}
	return nil
}

// printAudit prints each skill with its facts by kind, those of fixtures last, then
// what differs from the lock file.
func (a *app) printAudit(result manifest.Result) error {
	var b strings.Builder
	width := terminal.Width(a.Stdout)
	bold := terminal.Styles(a.Stdout, a.colours(a.Stdout)).NewStyle().Bold(true)
	for _, s := range result.Skills {
		if s.State == "" && len(s.Facts) == 0 {
			continue
		}
		title := printable.Line(s.Path)
		if s.State != "" {
			title += ": " + string(s.State)
		}
		fmt.Fprintln(&b, bold.Render(title))
		for _, c := range s.Changes {
			if s.State == manifest.Changed {
				fmt.Fprintf(&b, "  %-8s %s\n", c.State, printable.Line(c.File))
			}
		}
		for _, fixture := range []bool{false, true} {
			writeFacts(&b, s, fixture, width)
		}
		fmt.Fprintln(&b)
	}
	if result.Lock != nil && len(result.Lock.Skills) > 0 {
		fmt.Fprintln(&b, bold.Render(printable.Line(result.Lock.Path)))
		for _, l := range result.Lock.Skills {
			name := printable.Line(l.Name)
			if l.Path != "" {
				name += " (" + printable.Line(l.Path) + ")"
			}
			fmt.Fprintf(&b, "  %s: %s\n", strings.ReplaceAll(string(l.State), "-", " "), printable.Fold(name+": "+printable.Line(l.Note), len(l.State)+4, width, "    "))
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// writeFacts writes the facts of a skill under the titles of their kinds: those of
// fixtures, or all others. At a terminal of so many columns they are cut.
func writeFacts(b *strings.Builder, s manifest.Audited, fixture bool, width int) {
	for _, kind := range facts.Kinds() {
		begun := false
		for _, f := range s.Facts {
			if f.Kind != kind.ID || f.Fixture != fixture {
				continue
			}
			if !begun {
				begun = true
				title := kind.Title
				if s.State == manifest.Changed {
					title += ", new"
				}
				if fixture {
					title += " (evals and test fixtures)"
				}
				fmt.Fprintf(b, "  %s\n", title)
			}
			place := printable.Line(filepath.Join(s.Path, filepath.FromSlash(f.File)))
			if f.Line > 0 {
				place += fmt.Sprintf(":%d", f.Line)
			}
			line := "    " + place + ": " + printable.Line(f.Text)
			if f.More > 0 {
				line += fmt.Sprintf(" (%d more)", f.More)
			}
			if width > 0 {
				line = printable.Fit(line, max(width-1, 20))
			}
			fmt.Fprintln(b, line)
		}
	}
}
