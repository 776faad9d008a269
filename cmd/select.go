package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"skills/internal/lint/baseline"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// selected are the skills of the paths, each with the options that hold for it,
// sorted by path: without those that the configuration excludes and, with
// --changed-since, those that were not touched. A skill that several paths lead
// to has the options of the first.
func (a *app) selected(ctx context.Context, f validateFlags, conf *configurations, paths []string) (selection, error) {
	if slices.Contains(paths, "-") {
		doc, opts, err := a.pipedDocument(ctx, f, conf, paths)
		return selection{docs: []*spec.Document{doc}, opts: []*spec.Options{opts}}, err
	}
	if f.stdinFilename != "" {
		return selection{}, wrongUsage("add - to read standard input", "--stdin-filename without -")
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	targets, err := a.targets(ctx, paths, func(path string) (loader.Search, error) {
		s, err := conf.of(path)
		if err != nil {
			return loader.Search{}, err
		}
		return s.search, nil
	}, f.ignoreUnmatched)
	if err != nil {
		return selection{}, err
	}
	var found []loader.Found
	settingsOf, from := map[string]*settings{}, map[string]string{}
	for i, t := range targets {
		s, err := conf.of(paths[i])
		if err != nil {
			return selection{}, err
		}
		for _, skill := range t.Skills {
			if f.forceExclude {
				excluded, err := s.search.Excludes(skill.Dir)
				if err != nil {
					return selection{}, err
				}
				if excluded {
					continue
				}
			}
			if _, ok := settingsOf[skill.Real]; !ok {
				settingsOf[skill.Real] = s
				if t.Tree {
					from[skill.Real] = a.absolute(t.Path)
				}
			}
			found = append(found, skill)
		}
	}
	found = loader.Unique(found)
	sortByPath(found)
	if f.changedSince != "" {
		if found, err = a.touched(ctx, found, f.changedSince); err != nil {
			return selection{}, err
		}
	}
	skills := selectionOf(found, nil)
	skills.from = make([]string, len(found))
	for i, skill := range found {
		skills.opts[i], skills.from[i] = &settingsOf[skill.Real].opts, from[skill.Real]
	}
	return skills, nil
}

// pipedDocument reads the document of standard input.
func (a *app) pipedDocument(ctx context.Context, f validateFlags, conf *configurations, paths []string) (*spec.Document, *spec.Options, error) {
	if len(paths) > 1 {
		return nil, nil, wrongUsage("check standard input by itself", "- stands beside other paths")
	}
	place := "."
	if f.stdinFilename != "" {
		place = f.stdinFilename
	}
	s, err := conf.of(place)
	if err != nil {
		return nil, nil, err
	}
	doc, err := a.stdinDocument(ctx, f.stdinFilename)
	return doc, &s.opts, err
}

// touched keeps the skills that were touched since a revision.
func (a *app) touched(ctx context.Context, found []loader.Found, revision string) ([]loader.Found, error) {
	client := git.Client{Env: a.Environ}
	files, err := client.ChangedSince(ctx, a.Dir, revision)
	if err != nil {
		return nil, settled(err)
	}
	dirs := make([]string, len(found))
	for i, s := range found {
		dirs[i] = s.Real
	}
	touched := map[string]bool{}
	for _, dir := range git.Touched(files, dirs) {
		touched[dir] = true
	}
	var kept []loader.Found
	for _, s := range found {
		if touched[s.Real] {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

// againstBaseline leaves what the baseline knows out of a report, and writes a
// new baseline where one is wanted.
func (a *app) againstBaseline(ctx context.Context, f validateFlags, rep report.Report, opts []*spec.Options) (report.Report, error) {
	whole := rep
	if f.baseline != "" {
		known, err := baseline.Load(a.absolute(f.baseline))
		if err != nil {
			return rep, settled(err)
		}
		result, err := known.Apply(rep, opts)
		if err != nil {
			return rep, settled(err)
		}
		a.gone(result.Notice())
		rep = result.New
	}
	if f.writeBaseline == "" {
		return rep, nil
	}
	path := a.absolute(f.writeBaseline)
	b, err := baseline.Of(path, whole)
	if err != nil {
		return rep, settled(err)
	}
	if old, err := baseline.Load(path); err == nil {
		if err := b.Keep(old, whole); err != nil {
			return rep, settled(err)
		}
	}
	data, err := b.Bytes()
	if err != nil {
		return rep, err
	}
	if err := safefile.Write(ctx, path, data); err != nil {
		return rep, wrongUsage("check the folder and its permissions", "writing %s: %w", filepath.Clean(f.writeBaseline), err)
	}
	return rep, nil
}

// gone prints which findings of a baseline are gone, each cut to what a line
// holds.
func (a *app) gone(notice []string) {
	for i, line := range notice {
		if i == 0 {
			a.warn("%s", line)
			continue
		}
		fmt.Fprintf(a.Stderr, "  %s\n", printable.TruncateMiddle(printable.Line(line), 200))
	}
}
