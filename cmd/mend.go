package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"skills/internal/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/terminal"
)

// mend applies the safe fixes; the documents are replaced by what they became.
// A skill that cannot be mended is told and left, and the others are mended:
// all is false then. Only the end of the context is an error.
func (a *app) mend(ctx context.Context, skills selection) (all bool, err error) {
	var done []fix.Changes
	all = true
	for i := range skills.docs {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		doc := skills.document(i)
		c, err := fix.Plan(doc, *skills.opts[i])
		if err == nil {
			err = c.Apply()
		}
		switch {
		case err != nil:
			all = false
			a.refuse(err)
			skills.docs[i] = reopened(ctx, doc)
		case c.Empty():
			doc.Release(true)
		default:
			skills.docs[i], done = c.Document, append(done, c)
		}
	}
	if findings, in := fix.Count(done); findings > 0 {
		fmt.Fprintf(a.Stderr, "%s in %s mended\n", report.Plural(findings, "finding"), report.Plural(in, "skill"))
	}
	return all, nil
}

// reopened reads a skill again that may have changed since, or been mended in
// part: findings are to speak of what is there.
func reopened(ctx context.Context, doc *spec.Document) *spec.Document {
	found, err := loader.Search{}.Inspect(ctx, filepath.Dir(doc.Path))
	if err != nil {
		return doc
	}
	again := loader.OpenDocument(found)
	again.Nested = doc.Nested
	return again
}

// showMending prints what mend would change. Exit code 1 says that there is
// something.
func (a *app) showMending(skills selection) error {
	var all []fix.Changes
	failed := false
	for i := range skills.docs {
		doc := skills.document(i)
		c, err := fix.Plan(doc, *skills.opts[i])
		switch {
		case err != nil:
			failed = true
			a.refuse(err)
		case c.Empty():
			doc.Release(true)
		default:
			all = append(all, c)
		}
	}
	if err := a.printDiff(all); err != nil {
		return err
	}
	if findings, in := fix.Count(all); findings > 0 {
		fmt.Fprintf(a.Stderr, "%s in %s would be mended\n", report.Plural(findings, "finding"), report.Plural(in, "skill"))
	}
	if failed || len(all) > 0 {
		return errReported(exitProblems)
	}
	return nil
}

// printDiff prints changes as a unified diff: as they are where a program reads
// it, so that it applies, and with control characters made visible on a terminal.
func (a *app) printDiff(all []fix.Changes) error {
	if !isTerminal(a.Stdout) {
		return fix.Diff(a.Stdout, all...)
	}
	var b strings.Builder
	if err := fix.Diff(&b, all...); err != nil {
		return err
	}
	_, err := io.WriteString(a.Stdout, terminal.Clean(b.String()))
	return err
}
