package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"skills/internal/lint/fix"
	"skills/internal/printable"
	"skills/internal/spec"
)

// mend applies the safe fixes; what was mended is opened again for its check. A
// skill that cannot be mended is told and left, and the others are mended:
// all is false then. Only the end of the context is an error.
func (a *app) mend(ctx context.Context, skills selection) (all bool, err error) {
	failed, counts := make([]error, len(skills.docs)), make([][2]int, len(skills.docs))
	err = skills.each(ctx, func(i int, doc *spec.Document) {
		c := fix.Plan(doc, *skills.opts[i])
		err := c.Apply()
		// It is checked as it is on disk then: a failed run may have mended a part.
		skills.docs[i] = nil
		if failed[i] = err; err != nil || !c.Empty() {
			skills.found[i] = skills.found[i].Again()
		}
		if err == nil {
			counts[i][0], counts[i][1] = fix.Count([]fix.Changes{c})
		}
	})
	if err != nil {
		return false, err
	}
	all = true
	findings, in := 0, 0
	for i, n := range counts {
		if failed[i] != nil {
			all = false
			a.refuse(failed[i])
		}
		findings, in = findings+n[0], in+n[1]
	}
	if findings > 0 {
		fmt.Fprintf(a.Stderr, "%s in %s mended\n", printable.Plural(findings, "finding"), printable.Plural(in, "skill"))
	}
	return all, nil
}

// showMending prints what mend would change. Exit code 1 says that there is
// something.
func (a *app) showMending(ctx context.Context, skills selection) error {
	changes := make([]fix.Changes, len(skills.docs))
	err := skills.each(ctx, func(i int, doc *spec.Document) {
		if c := fix.Plan(doc, *skills.opts[i]); !c.Empty() {
			changes[i] = c
		}
		skills.docs[i] = nil // nothing is checked afterwards
	})
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(changes, fix.Changes.Empty)
	if err := a.printDiff(all); err != nil {
		return err
	}
	if findings, in := fix.Count(all); findings > 0 {
		fmt.Fprintf(a.Stderr, "%s in %s would be mended\n", printable.Plural(findings, "finding"), printable.Plural(in, "skill"))
	}
	if len(all) > 0 {
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
	_, err := io.WriteString(a.Stdout, printable.Text(b.String()))
	return err
}
