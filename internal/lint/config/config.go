// Package config reads .skills.yaml, a repository's configuration of the
// linter, and the user's own configuration.
//
// A repository's file can make the linter quieter or stricter, but never run
// anything, write anything or reach outside the repository. Only the user's own
// file can name programs. Flags override it elsewhere.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/suggest"
)

// FileName is the name of configuration files.
const FileName = ".skills.yaml"

// maxFile is the maximum size of a configuration, in bytes.
const maxFile = 64 << 10

// Config is a configuration. The zero value is that of an empty file: the
// defaults.
type Config struct {
	Path string // the file, as given
	// Dir is the absolute folder of the file; Exclude is relative to it.
	Dir string

	Profile spec.Profile          // "" if not set
	Strict  bool                  // warnings are errors
	Clients []string              // ids of clients.All, in the order of the file
	Levels  map[string]spec.Level // rule id to level; never nil
	// Exclude holds patterns in .gitignore syntax, for loader.Search.
	Exclude []string
	// PerFile holds the rules whose findings in some files are not wanted.
	PerFile []PerFile
	// Banned holds the words of the rule banned-word, in the order of the file.
	Banned []spec.BannedWord
	// Run narrows which of its skills, and what of them, a run offers.
	Run Run
}

// PerFile turns rules off for the files that a pattern matches.
type PerFile struct {
	Pattern string   // as in Exclude
	Rules   []string // ids
}

// ParsePerFile parses a value of --per-file-ignores: PATTERN:ID,ID. Errors are
// *fault.Error.
func ParsePerFile(text string) (PerFile, error) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 || strings.TrimSpace(text[at+1:]) == "" {
		return PerFile{}, &fault.Error{Message: fmt.Sprintf("invalid --per-file-ignores %q", text), Hint: "write PATTERN:ID or PATTERN:ID,ID, as in 'tools/**:link-target'"}
	}
	out := PerFile{Pattern: text[:at]}
	for id := range strings.SplitSeq(text[at+1:], ",") {
		id = strings.TrimSpace(id)
		if rules.Find(id) == nil {
			return out, &fault.Error{Message: fmt.Sprintf("unknown rule %q in --per-file-ignores", id), Hint: suggest.Hint(id, ruleIDs(), "list the rules with: skills rules")}
		}
		out.Rules = append(out.Rules, id)
	}
	return out, loader.CheckExclude(out.Pattern)
}

// Run holds the settings for runs; empty lists are not set.
type Run struct {
	Only, Without                        []string // patterns of names and metadata, see loader.Match
	Hide                                 []string // patterns of files, see loader.CheckHide
	ResourceExtensions, ScriptExtensions []string // as loader.Extensions has them
}

// load reads the configuration at path, a regular file of at most 64 KiB.
// Errors are *fault.Error.
func load(path string) (Config, error) {
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

// Finder finds and reads the configurations of paths, each file once.
type Finder struct {
	Dir  string // working folder, absolute
	File string // the configuration of all paths, instead of the nearest
	None bool   // whether there is none for any path

	byDir  map[string]string
	byFile map[string]Config
}

// Of returns the configuration of a path, which need not exist; the zero value
// for none. Errors are those of find and load.
func (f *Finder) Of(path string) (Config, error) {
	if f.None {
		return Config{}, nil
	}
	if f.byFile == nil {
		f.byDir, f.byFile = map[string]string{}, map[string]Config{}
	}
	file := f.File
	if file != "" {
		file = files.Absolute(f.Dir, file)
	} else {
		dir := files.Absolute(f.Dir, path)
		if _, ok := f.byDir[dir]; !ok { // else it is a folder
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				dir = filepath.Dir(dir)
			}
		}
		known, ok := f.byDir[dir]
		if !ok {
			nearest, err := find(dir, f.Dir)
			if err != nil {
				return Config{}, err
			}
			known, f.byDir[dir] = nearest, nearest
		}
		file = known
	}
	if file == "" {
		return Config{}, nil
	}
	c, ok := f.byFile[file]
	if !ok {
		read, err := load(file)
		if err != nil {
			return read, err
		}
		c, f.byFile[file] = read, read
	}
	return c, nil
}

func read(path string) ([]byte, error) {
	return files.Load(path, maxFile, "check the path and the current directory", "name another file with --config, or use --no-config")
}

// find returns the path of the configuration for a folder: the nearest
// .skills.yaml from dir upwards to the root of the repository, which has a .git
// entry. It returns "" and a nil error if there is none.
//
// Outside a repository the search ends at the folder from if dir is inside it,
// and otherwise at dir: folders further up, such as /tmp, may belong to other
// users. A link is followed inside the repository, or below the folder where
// the search ends; a link that leaves it is an *fault.Error. A folder that cannot be
// entered, or is a file, is skipped, because nothing in it can be checked.
func find(dir, from string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", dir, err)
	}
	top, ok := loader.Repository(dir)
	if !ok {
		top = dir
		if rel, err := filepath.Rel(from, dir); err == nil && filepath.IsLocal(rel) {
			top = filepath.Clean(from)
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return path, contained(top, path)
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrPermission):
			return "", unreadable(path, err)
		case at == top:
			return "", nil
		}
	}
}

// contained rejects a link that leaves the folder top: messages quote the file,
// and an untrusted repository must not choose which file that is.
func contained(top, path string) error {
	root, err := files.OpenFolder(top)
	if err != nil {
		return unreadable(path, err)
	}
	defer root.Close()
	rel, err := filepath.Rel(top, path)
	if err == nil {
		_, err = root.Stat(rel)
	}
	if err != nil {
		return &fault.Error{Path: path, Message: "is a broken link, or a link out of the repository",
			Hint: "replace the link by the file, or name another with --config", Err: err}
	}
	return nil
}

func unreadable(path string, err error) error {
	return &fault.Error{Path: path, Message: fmt.Sprintf("cannot be read: %v", files.Reason(err)), Hint: "check the permissions, or use --no-config", Err: err}
}
