// Package config reads .skills.yaml, the file in which a repository configures
// how its skills are checked, and a user's own configuration.
//
// It yields settings only: a repository's file can make the linter quieter or
// stricter, but never run anything, write anything or reach outside the
// repository. Programs are named in a user's own file alone. It knows nothing of
// flags, which override it, and nothing of how skills are found.
package config

import (
	"fmt"
	"path/filepath"

	"skills/internal/safefile"
	"skills/internal/spec"
)

// FileName is the name of the file that Find looks for.
const FileName = ".skills.yaml"

// maxFile is the size in bytes up to which a configuration is read.
const maxFile = 64 << 10

// Config is a configuration. The zero value, of an empty file, is the defaults.
type Config struct {
	Path string // the file, as it was named
	// Dir is the folder of the file, absolute: Exclude is relative to it.
	Dir string

	Profile spec.Profile          // "" where the file names none
	Clients []string              // ids of rules.Clients, in the order of the file
	Levels  map[string]spec.Level // rule id to level; never nil
	// Exclude are patterns in the syntax of a .gitignore file, as
	// loader.Search takes them.
	Exclude []string
}

// Error is a configuration that cannot be used: a file that cannot be read,
// or a setting that is invalid.
type Error = safefile.Error

// Load reads the configuration at path. Only a regular file of at most 64 KiB
// is read; whatever is wrong with it is an *Error.
func Load(path string) (Config, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Config{}, fmt.Errorf("resolving %s: %w", path, err)
	}
	src, err := read(path)
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(path, src)
	c.Path, c.Dir = path, filepath.Dir(abs)
	return c, err
}

func read(path string) ([]byte, error) {
	return safefile.Load(path, maxFile, "check the path and the current directory", "name another file with --config, or use --no-config")
}
