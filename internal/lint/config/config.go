// Package config reads .skills.yaml, the file in which a repository configures
// how its skills are checked, and a user's own configuration.
//
// It yields settings only: a repository's file can make the linter quieter or
// stricter, but never run anything, write anything or reach outside the
// repository. Programs are named in a user's own file alone. It knows nothing of
// flags, which override it, and nothing of how skills are found.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"skills/internal/safefile"
	"skills/internal/spec"
)

// FileName is the name of the file that Find looks for.
const FileName = ".skills.yaml"

// maxFile is the size in bytes up to which a configuration is read. All rules
// and a thousand excludes fit several times.
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
// or a setting that cannot be meant.
type Error struct {
	Path         string
	Line, Column int // from 1, columns in code points; 0 where it is about the whole file
	Message      string
	Help         string // what to do about it
	Err          error  // of the file system or the YAML parser, or nil
}

// Error is path:line:col: message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Help }

// Unwrap returns the error underneath.
func (e *Error) Unwrap() error { return e.Err }

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

// read returns the file's bytes.
func read(path string) ([]byte, error) {
	src, err := safefile.ReadRegular(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Path: path, Message: "does not exist", Help: "check the path and the current directory", Err: err}
	case errors.Is(err, safefile.ErrIrregular):
		return nil, &Error{Path: path, Message: err.Error(), Help: "name a YAML file, or use --no-config", Err: err}
	case errors.Is(err, safefile.ErrTooLarge):
		return nil, &Error{Path: path, Message: fmt.Sprintf("is larger than %d KiB, which no configuration is", maxFile>>10),
			Help: "name the right file with --config, or use --no-config", Err: err}
	case err != nil:
		return nil, unreadable(path, err)
	}
	return src, nil
}

func unreadable(path string, err error) error {
	return &Error{Path: path, Message: fmt.Sprintf("cannot be read: %v", safefile.Reason(err)), Help: "check the permissions, or use --no-config", Err: err}
}
