package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
)

// find resolves paths to skills, each once, in the order given.
func (a *app) find(ctx context.Context, search loader.Search, paths []string) ([]loader.Found, error) {
	targets, err := a.targets(ctx, paths, func(string) (loader.Search, error) { return search, nil }, false)
	var found []loader.Found
	for _, t := range targets {
		found = append(found, t.Skills...)
	}
	return loader.Unique(found), err
}

// targets resolves paths, each with a search of its own. Every path that cannot
// be is told before any skill is looked at; with lenient, a file that lies in no
// skill is passed over.
func (a *app) targets(ctx context.Context, paths []string, searchFrom func(path string) (loader.Search, error), lenient bool) ([]loader.Target, error) {
	targets := make([]loader.Target, len(paths))
	var failed []error
	skillOf := map[string]loader.Target{} // of the files in a folder
	for i, p := range paths {
		if t, ok := skillOf[filepath.Dir(p)]; ok && isFile(p) {
			targets[i] = t
			continue
		}
		search, err := searchFrom(p)
		if err != nil {
			return nil, err
		}
		targets[i], err = loader.Resolve(ctx, p, search)
		var bad *loader.TargetError
		switch {
		case errors.As(err, &bad) && bad.Problem == loader.TargetNoSkill && lenient:
			targets[i] = loader.Target{Path: p}
		case errors.As(err, &bad):
			failed = append(failed, &failure{exitUsage, bad, bad.Hint()})
		case errors.As(err, new(*loader.ConfigError)):
			return nil, settled(err)
		case err != nil:
			return nil, err
		case isFile(p):
			// Reached as the path is written, so for its neighbours too.
			if _, ok := below(targets[i].Skills[0].Dir, filepath.Dir(p)); ok {
				skillOf[filepath.Dir(p)] = targets[i]
			}
		}
	}
	if len(failed) > 0 {
		for _, err := range failed[:len(failed)-1] {
			a.refuse(err)
		}
		return nil, failed[len(failed)-1]
	}
	return targets, nil
}

func sortByPath(found []loader.Found) {
	slices.SortStableFunc(found, func(x, y loader.Found) int {
		return strings.Compare(filepath.ToSlash(x.Dir), filepath.ToSlash(y.Dir))
	})
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
