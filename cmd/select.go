package cmd

import (
	"context"
	"errors"
	"path/filepath"

	"skills/internal/baseline"
	"skills/internal/config"
	"skills/internal/git"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
)

// configuration loads the file that a flag names, or the nearest one.
func (a *app) configuration(f validateFlags) (config.Config, error) {
	path := f.config
	if path == "" && !f.noConfig {
		found, err := config.Find(a.Dir)
		if err != nil {
			return config.Config{}, settled(err)
		}
		path = found
	}
	if path == "" {
		return config.Config{}, nil
	}
	conf, err := config.Load(a.absolute(path))
	return conf, settled(err)
}

// settled makes an error that came with a hint one of configuration or input.
func settled(err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		hint = h.Hint()
	}
	return &failure{exitUsage, err, hint}
}

// selected are the skills of the paths, without those that the configuration
// excludes and, with --changed-since, those that were not touched.
func (a *app) selected(ctx context.Context, f validateFlags, conf config.Config, args []string) (selection, error) {
	search := loader.Search{Notify: a.notice, Exclude: conf.Exclude, ExcludeFrom: conf.Dir}
	if f.changedSince == "" {
		return a.documents(ctx, search, args, f.stdinFilename)
	}
	found, err := a.searched(ctx, search, args)
	if err != nil {
		return selection{}, err
	}
	client := git.Client{Env: a.Environ}
	files, err := client.ChangedSince(ctx, a.Dir, f.changedSince)
	if err != nil {
		return selection{}, settled(err)
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
	return selectionOf(kept), nil
}

// againstBaseline leaves what the baseline knows out of a report, and writes a
// new baseline where one is wanted.
func (a *app) againstBaseline(f validateFlags, rep report.Report, opts spec.Options) (report.Report, error) {
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
		if notice := result.Notice(); notice != "" {
			a.warn("%s", notice)
		}
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
	if err := writeFile(path, data); err != nil {
		return rep, wrongUsage("check the folder and its permissions", "writing %s: %w", filepath.Clean(f.writeBaseline), err)
	}
	return rep, nil
}
