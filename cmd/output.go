package cmd

// Where reports go: to standard output or to files, each format at most once, with a summary
// for people on standard error where no format has one.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/suggest"
	"skills/internal/terminal"
)

// output is one --format NAME[=FILE].
type output struct {
	format, file string         // file is "" for standard output
	onStderr     bool           // on standard error, because standard output has another format
	report       *report.Output // of validate
}

// parseOutputs parses the values of --format. At most one may write to standard output,
// which a missing file name or - means.
func parseOutputs(values, formats []string) (outs []output, err error) {
	for _, value := range values {
		name, file, toFile := strings.Cut(value, "=")
		if err := known("format", name, formats...); err != nil {
			return nil, err
		}
		if toFile && file == "" {
			return nil, usageError("write --format "+name+"=FILE", "--format %s= names no file", name)
		}
		if file == "-" {
			file = ""
		}
		switch taken := slices.ContainsFunc(outs, func(o output) bool { return o.file+file == "" || files.SameTarget(o.file, file) }); {
		case taken && file == "":
			return nil, usageError("give all but one a file: --format json=out.json", "several formats for standard output")
		case taken:
			return nil, usageError("give each format its own file", "two formats for %s", file)
		}
		outs = append(outs, output{format: name, file: file})
	}
	return outs, nil
}

// open starts the reports. A report on standard output is written immediately if the
// format allows it.
func (a *app) open(outs []output, opt report.Options) {
	for i, o := range outs {
		var w io.Writer
		opt.Colour, opt.Links, opt.Width = a.colour == terminal.ColourAlways, false, 0
		if o.file == "" {
			w = a.Stdout
			if o.onStderr {
				w = a.Stderr
			}
			opt.Colour, opt.Width = a.colours(w), terminal.Width(w)
			opt.Links = opt.Colour && terminal.Is(w) && terminal.Links(a.Getenv)
			if !slices.Contains([]string{"text", "concise", report.Statistics}, o.format) {
				w = printable.Exact(w)
			}
		}
		outs[i].report = report.FindFormat(o.format).Open(w, opt)
	}
}

// close finishes the reports. If no format on standard output has a summary, one is
// printed on standard error. With GitHub's format and --quiet, it is omitted if the
// check passes.
func (a *app) close(ctx context.Context, outs []output, counts report.Counts, opt report.Options) error {
	hasSummary := slices.ContainsFunc(outs, func(o output) bool {
		return o.onStderr || o.file == "" && o.format != "github"
	})
	onlyPassed := opt.Quiet && !counts.Fail(opt) && slices.ContainsFunc(outs, func(o output) bool { return o.file == "" })
	if !hasSummary && !onlyPassed {
		defer func() { fmt.Fprintln(a.Stderr, counts.Summary(opt)) }()
	}
	for _, o := range outs {
		if o.file == "" {
			if err := o.report.Close(nil, counts); err != nil {
				return err
			}
			continue
		}
		var b bytes.Buffer
		if err := o.report.Close(&b, counts); err != nil {
			return err
		}
		if err := files.Save(ctx, o.file, b.Bytes()); err != nil {
			return fault.AsUsage(err)
		}
	}
	return nil
}

// rulePage returns the URL of a rule's page, "" if this build has no address.
func rulePage(id string) string { return page("docs/rules/" + id + ".md") }

// exact returns standard output, which only changes characters of the text format.
func (a *app) exact(format string) io.Writer {
	if format == "text" {
		return a.Stdout
	}
	return printable.Exact(a.Stdout)
}

// printExactly prints text verbatim for programs, and with visible control characters
// to a terminal.
func (a *app) printExactly(text string) error {
	if terminal.Is(a.Stdout) {
		text = printable.Text(text)
	}
	_, err := io.WriteString(printable.Exact(a.Stdout), text)
	return err
}

// notice prints a notice of a search for skills.
func (a *app) notice(n loader.Notice) {
	fmt.Fprintf(a.Stderr, "warning: %s\n", printable.Line(a.mask.Text(n.Text())))
	if n.Hint != "" {
		fmt.Fprintf(a.Stderr, "  hint: %s\n", printable.Line(a.mask.Text(n.Hint)))
	}
}

// noticeOthers prints a notice, unless it says that there is no skill, which the caller
// reports.
func (a *app) noticeOthers(n loader.Notice) {
	if !n.Nothing {
		a.notice(n)
	}
}

// ruleHint suggests the nearest rule.
func ruleHint(id string) string {
	return suggest.Hint(id, ruleIDs(), "list the rules with: skills rules")
}

// nearestHint suggests the nearest name, or all of them.
func nearestHint(word string, names []string) string { return suggest.Hint(word, names, "") }

func formatNames() []string {
	return printable.Map(report.Formats(), func(f report.Format) string { return f.Name })
}

func ruleIDs() []string {
	return printable.Map(rules.All(), func(r *spec.Rule) string { return r.ID })
}
