package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/disk"
	"skills/internal/loader"
	"skills/internal/spec"
)

// documents selects what the paths stand for, each skill once, sorted by path.
func (a *app) documents(ctx context.Context, search loader.Search, paths []string, stdinFilename string) (selection, error) {
	if slices.Contains(paths, "-") {
		if len(paths) > 1 {
			return selection{}, wrongUsage("check standard input by itself", "- stands beside other paths")
		}
		doc, err := a.stdinDocument(stdinFilename)
		return selection{docs: []*spec.Document{doc}}, err
	}
	if stdinFilename != "" {
		return selection{}, wrongUsage("add - to read standard input", "--stdin-filename without -")
	}
	found, err := a.searched(ctx, search, paths)
	return selectionOf(found), err
}

// searched finds the skills of paths, this folder where there are none, sorted
// by path.
func (a *app) searched(ctx context.Context, search loader.Search, paths []string) ([]loader.Found, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	found, err := a.find(ctx, search, paths)
	sortByPath(found)
	return found, err
}

// find resolves paths to skills, each once, in the order given. Every path
// that cannot be is told before any skill is looked at.
func (a *app) find(ctx context.Context, search loader.Search, paths []string) ([]loader.Found, error) {
	var found []loader.Found
	var failed []error
	for _, p := range paths {
		target, err := loader.Resolve(ctx, p, search)
		var bad *loader.TargetError
		switch {
		case errors.As(err, &bad):
			failed = append(failed, &failure{exitUsage, bad, bad.Hint()})
		case errors.As(err, new(*loader.ConfigError)):
			return nil, settled(err)
		case err != nil:
			return nil, err
		}
		found = append(found, target.Skills...)
	}
	if len(failed) > 0 {
		for _, err := range failed[:len(failed)-1] {
			a.refuse(err)
		}
		return nil, failed[len(failed)-1]
	}
	return loader.Unique(found), nil
}

func sortByPath(found []loader.Found) {
	slices.SortStableFunc(found, func(x, y loader.Found) int {
		return strings.Compare(filepath.ToSlash(x.Dir), filepath.ToSlash(y.Dir))
	})
}

// stdinName is how a document is called that has no other name.
const stdinName = "<stdin>"

func (a *app) stdinDocument(filename string) (*spec.Document, error) {
	src, err := io.ReadAll(io.LimitReader(a.Stdin, loader.MaxSkillFile+1))
	if err != nil {
		return nil, wrongUsage("pipe a SKILL.md in", "reading standard input: %w", disk.Reason(err))
	}
	path, dir, file := stdinName, "", spec.FileName
	if filename != "" {
		path = filename
		if abs, err := filepath.Abs(filename); err == nil {
			if isDir(abs) {
				abs, path = filepath.Join(abs, spec.FileName), filepath.Join(filename, spec.FileName)
			}
			dir, file = filepath.Base(filepath.Dir(abs)), filepath.Base(abs)
		}
	}
	if len(src) > loader.MaxSkillFile {
		return nil, wrongUsage("check the file by its path", "standard input is larger than %d bytes", loader.MaxSkillFile)
	}
	doc := loader.ParseDocument(path, dir, src)
	if doc.File = file; file != spec.FileName && strings.EqualFold(file, spec.FileName) {
		doc.Faults = append(doc.Faults, spec.Fault{Rule: "skill-file", Message: file + " must be named " + spec.FileName, Help: "rename the file"})
	}
	return doc, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
