package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// selection are the skills of a run. Each is opened when its turn comes, and
// not before: a run has thousands.
type selection struct {
	found []loader.Found
	docs  []*spec.Document // beside found; nil for those that are not open
	opts  []*spec.Options  // beside found; skills share them
	from  []string         // beside found: the folder that was searched, "" for skills that were named; nil for none
	whole bool             // whether the documents are needed after their check
	// tokens tells that those of the bodies are to be counted.
	tokens bool
}

// selectionOf are the skills that were found, all under the same options.
func selectionOf(found []loader.Found, opts *spec.Options) selection {
	return selection{found: found, docs: make([]*spec.Document, len(found)), opts: slices.Repeat([]*spec.Options{opts}, len(found))}
}

// least sets the lowest level of the findings that are looked for.
func (s selection) least(level spec.Level) {
	for _, opts := range s.opts {
		opts.Least = level
	}
}

// document opens skill i. Calls for different skills may run side by side.
func (s selection) document(i int) *spec.Document {
	if s.docs[i] == nil {
		s.docs[i] = loader.OpenDocument(s.found[i])
	}
	return s.docs[i]
}

// each calls do for every skill, spread over the cores.
func (s selection) each(ctx context.Context, do func(i int, doc *spec.Document)) error {
	return loader.Parallel(ctx, len(s.docs), func(i int) { do(i, s.document(i)) })
}

// check runs the rules over the skills, each under its own options. Of each
// document only what its findings need is kept.
func check(ctx context.Context, skills selection) (report.Report, error) {
	rep := report.Report{Skills: make([]report.Skill, len(skills.docs))}
	err := skills.each(ctx, func(i int, doc *spec.Document) {
		rep.Skills[i] = checkOne(doc, *skills.opts[i])
		if skills.tokens {
			rep.Skills[i].Tokens = doc.BodyTokens()
		}
		doc.Release(skills.whole)
		if !skills.whole && i < len(skills.found) {
			skills.found[i] = loader.Found{}
		}
	})
	if err == nil {
		collide(rep, skills)
	}
	return rep, err
}

// collide adds what only shows when skills stand side by side.
func collide(rep report.Report, skills selection) {
	at := make(map[*spec.Document]int, len(skills.docs))
	groups := map[*spec.Options]bool{}
	for i, doc := range skills.docs {
		at[doc], groups[skills.opts[i]] = i, true
	}
	for group := range groups {
		found := spec.Collisions(skills.docs, *group, func(doc *spec.Document) spec.Place { return skills.place(at[doc]) })
		for doc, found := range found {
			if i := at[doc]; skills.opts[i] == group {
				rep.Skills[i].Diagnostics = spec.Sort(append(rep.Skills[i].Diagnostics, found...))
			}
		}
	}
}

// place is where skill i lies. A skill that was named, and not found by a
// search, is seen from the root of its repository.
func (s selection) place(i int) spec.Place {
	file, err := filepath.Abs(s.docs[i].Path)
	if err != nil {
		file = s.docs[i].Path
	}
	if s.from != nil && s.from[i] != "" {
		return spec.Place{File: file, From: s.from[i]}
	}
	dir := filepath.Dir(file)
	if repository, ok := safefile.Repository(dir); ok {
		dir = repository
	}
	return spec.Place{File: file, From: dir}
}

func checkOne(doc *spec.Document, opts spec.Options) report.Skill {
	found := fix.Check(doc, opts)
	return report.Skill{
		Path: skillPath(doc), Name: doc.Text("name"), Lines: doc.LineCount(),
		Diagnostics: found,
		Known:       heldKeys(doc, opts, found),
		Locate:      places(doc, found),
		Source:      sources(doc, found),
	}
}

// heldKeys are the findings about keys where those are not asked for, but lines
// of the skill are going to be shown. Most keys can be told from their line; of
// a private key no line but the first says that it is one.
func heldKeys(doc *spec.Document, opts spec.Options, found []spec.Diagnostic) []spec.Diagnostic {
	const id = "secret"
	if len(found) == 0 || opts.Least <= spec.Warning {
		return nil
	}
	only := map[string]spec.Level{}
	for _, rule := range spec.Rules() {
		only[rule.ID] = spec.Off
	}
	delete(only, id)
	if level, ok := opts.Levels[id]; ok {
		only[id] = level
	}
	opts.Least, opts.Levels = spec.Off, only
	return spec.Check(doc, opts)
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
	file   string // "" for standard output, which - is too
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
		if file == "-" {
			file, toFile = "", false
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

func (a *app) writeReport(ctx context.Context, outs []output, rep report.Report, opt report.Options) error {
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
		if err := safefile.Write(ctx, o.file, []byte(b.String())); err != nil {
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
	fmt.Fprintf(a.Stderr, "warning: %s\n", printable.Line(a.mask.Text(text)))
	if n.Hint != "" {
		fmt.Fprintf(a.Stderr, "  hint: %s\n", printable.Line(a.mask.Text(n.Hint)))
	}
}
