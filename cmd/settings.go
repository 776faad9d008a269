package cmd

import (
	"errors"
	"path/filepath"

	"skills/internal/lint/config"
	"skills/internal/loader"
	"skills/internal/spec"
)

// settings are what holds for the skills of a PATH.
type settings struct {
	opts   spec.Options
	search loader.Search
}

// configurations finds the settings of paths: flags, over the nearest
// .skills.yaml upwards from each path. So a skill is judged alike wherever the
// check is started. Files of one folder, and paths under one configuration,
// share their settings.
type configurations struct {
	app    *app
	flags  validateFlags
	byDir  map[string]*settings
	byFile map[string]*settings // "" for no configuration
	unseen bool                 // whether a search left out what it was to look at
}

// notice prints what a search has to say, and notes what it did not see.
func (c *configurations) notice(n loader.Notice) {
	c.unseen = c.unseen || n.Unseen
	c.app.notice(n)
}

// configurations refuses flags that cannot be meant, before anything is looked
// for.
func (a *app) configurations(f validateFlags) (*configurations, error) {
	if _, err := f.options(config.Config{}); err != nil {
		return nil, err
	}
	return &configurations{app: a, flags: f, byDir: map[string]*settings{}, byFile: map[string]*settings{}}, nil
}

// of returns the settings that hold for a path, which need not exist.
func (c *configurations) of(path string) (*settings, error) {
	switch {
	case c.flags.noConfig:
		return c.load("")
	case c.flags.config != "":
		return c.load(c.app.absolute(c.flags.config))
	}
	dir := c.app.absolute(path)
	if !isDir(dir) {
		dir = filepath.Dir(dir)
	}
	if s, ok := c.byDir[dir]; ok {
		return s, nil
	}
	file, err := config.Find(dir, c.app.Dir)
	if err != nil {
		return nil, settled(err)
	}
	s, err := c.load(file)
	c.byDir[dir] = s
	return s, err
}

// load returns the settings of a configuration, "" for none.
func (c *configurations) load(file string) (*settings, error) {
	if s, ok := c.byFile[file]; ok {
		return s, nil
	}
	var conf config.Config
	var err error
	if file != "" {
		if conf, err = config.Load(file); err != nil {
			return nil, settled(err)
		}
	}
	s := &settings{search: loader.Search{Notify: c.notice, Exclude: conf.Exclude, ExcludeFrom: conf.Dir}}
	if s.opts, err = c.flags.options(conf); err != nil {
		return nil, err
	}
	c.byFile[file] = s
	return s, nil
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
