package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/internal/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// check runs the rules over the documents, spread over the cores.
func check(ctx context.Context, docs []*spec.Document, opts spec.Options) (report.Report, error) {
	rep := report.Report{Skills: make([]report.Skill, len(docs))}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, doc := range docs {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			rep.Skills[i] = checkOne(doc, opts)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return rep, err
	}
	if opts.Profile == spec.ProfileReference {
		return rep, nil
	}
	// What only shows when skills stand side by side.
	for i, found := range spec.Collisions(docs, opts) {
		at := slices.Index(docs, i)
		rep.Skills[at].Diagnostics = spec.Sort(append(rep.Skills[at].Diagnostics, found...))
	}
	return rep, nil
}

func checkOne(doc *spec.Document, opts spec.Options) report.Skill {
	return report.Skill{
		Path: skillPath(doc), Name: doc.Text("name"), Lines: doc.LineCount(),
		Tokens:      spec.EstimateTokens(doc.Body),
		Diagnostics: spec.Check(doc, opts),
		Locate:      fix.Locate(doc),
		Source: func(path string, line int) string {
			if path != doc.Path {
				return ""
			}
			return doc.Line(line)
		},
	}
}

// skillPath is how a skill is named in output: its folder, or what was given
// for standard input.
func skillPath(doc *spec.Document) string {
	if doc.File == "" || filepath.Base(doc.Path) != doc.File {
		return doc.Path
	}
	return filepath.Dir(doc.Path)
}

// output is one --format NAME[=FILE].
type output struct {
	format report.Format
	file   string // "" for standard output
}

func parseOutputs(specs []string) ([]output, error) {
	var outs []output
	toStdout := 0
	for _, s := range specs {
		name, file, toFile := strings.Cut(s, "=")
		format, err := report.FindFormat(name)
		if err != nil {
			return nil, wrongUsage(nearestHint(name, strings.Split(formatNames(), ", ")), "unknown format %q", name)
		}
		if toFile && file == "" {
			return nil, wrongUsage("write --format "+name+"=FILE", "--format %s= names no file", name)
		}
		if !toFile {
			toStdout++
		}
		if toFile && slices.ContainsFunc(outs, func(o output) bool { return o.file == file }) {
			return nil, wrongUsage("give each its own file", "two formats for %s", file)
		}
		outs = append(outs, output{format, file})
	}
	if toStdout > 1 {
		return nil, wrongUsage("give all but one a file: --format json=findings.json", "several formats for standard output")
	}
	return outs, nil
}

func formatNames() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func (a *app) writeReport(outs []output, rep report.Report, opt report.Options) error {
	for _, o := range outs {
		if o.file == "" {
			opt.Colour = a.colours(a.Stdout)
			if err := o.format.Write(a.Stdout, rep, opt); err != nil {
				return err
			}
			continue
		}
		opt.Colour = a.colour == terminal.ColourAlways
		var b strings.Builder
		if err := o.format.Write(&b, rep, opt); err != nil {
			return err
		}
		if err := writeFile(o.file, []byte(b.String())); err != nil {
			return wrongUsage("check the folder and its permissions", "writing %s: %w", o.file, err)
		}
	}
	return nil
}

// notice prints what the search has to say.
func (a *app) notice(n loader.Notice) {
	text := n.Message
	if n.Path != "" && !strings.Contains(text, n.Path) {
		text = n.Path + ": " + text
	}
	fmt.Fprintf(a.Stderr, "warning: %s\n", terminal.Line(text))
	if n.Hint != "" {
		fmt.Fprintf(a.Stderr, "  hint: %s\n", terminal.Line(n.Hint))
	}
}
