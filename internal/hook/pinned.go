package hook

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script"
)

// Finder finds a program by its bare name; [script.Runner] is one.
type Finder interface {
	Find(program string) (path string, ok bool)
}

// PinnedRunner is a [Runner] of programs that are the user's: it starts none whose files
// are others than they were when it was made. Hooks are not confined, so that a
// confined script which could rewrite one would be free.
type PinnedRunner struct {
	runner Runner
	finder Finder
	dir    string
	open   []string                // folders that scripts can write to
	code   map[string][]pinnedFile // of a command, by its words
}

// pinnedFile is a file of a hook in a folder that scripts can write to.
type pinnedFile struct {
	name, path string
	digest     string // "" where there was no such program
}

// NewPinnedRunner looks at the programs of commands, and at scripts among their words,
// as far as they lie in folders that scripts can write to. dir is the folder
// that relative paths are seen from; all folders are absolute.
func NewPinnedRunner(runner Runner, finder Finder, dir string, writable []string, commands ...Command) *PinnedRunner {
	o := &PinnedRunner{runner: runner, finder: finder, dir: dir, code: map[string][]pinnedFile{}}
	for _, folder := range writable {
		o.open = append(o.open, filepath.Clean(folder))
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			o.open = append(o.open, real)
		}
	}
	for _, c := range commands {
		o.code[key(c.Words)] = o.files(c.Words)
	}
	return o
}

// Files are the files that were found, for a confinement to keep from being
// written to.
func (o *PinnedRunner) Files() []string {
	var out []string
	for _, files := range o.code {
		for _, f := range files {
			if f.digest != "" {
				out = append(out, f.path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Ask runs a program as the runner does. An error says which file of it has
// changed.
func (o *PinnedRunner) Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error) {
	for _, now := range o.files(command) {
		if !slices.Contains(o.code[key(command)], now) {
			return script.Result{}, fmt.Errorf("%s is not what it was when the run began: a script may have written it", now.name)
		}
	}
	return o.runner.Ask(ctx, command, input, more...)
}

// key is a command as the key of a map; no word has a NUL in it.
func key(words []string) string { return strings.Join(words, "\x00") }

// files finds the files of a command that scripts could change, as they are now.
func (o *PinnedRunner) files(words []string) []pinnedFile {
	var found []pinnedFile
	name, path := words[0], o.absolute(words[0])
	if filepath.Base(name) == name {
		path, _ = o.finder.Find(name)
	}
	if path != "" && o.writable(path) {
		digest, _ := sum(path)
		found = append(found, pinnedFile{name, path, digest})
	}
	interpreted := interprets(name)
	for _, word := range words[1:] {
		// A script may be a word, a part of one (--rules=x.js), or stand in the
		// text that a shell is given.
		for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=", r) }) {
			path := o.absolute(piece)
			if !o.writable(path) || !(interpreted && piece == word || runnable(path)) {
				continue
			}
			if digest, err := sum(path); err == nil {
				found = append(found, pinnedFile{piece, path, digest})
			}
		}
		if interpreted && !strings.HasPrefix(word, "-") {
			interpreted = false // what follows the script is its own
		}
	}
	return found
}

func (o *PinnedRunner) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.dir, path)
	}
	return path
}

// writable says whether a script could put something else at a path: in its
// place, or where it leads to.
func (o *PinnedRunner) writable(path string) bool {
	places := []string{path}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		places = append(places, dir)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		places = append(places, real)
	}
	return slices.ContainsFunc(places, func(place string) bool {
		return slices.ContainsFunc(o.open, func(dir string) bool {
			rel, err := filepath.Rel(dir, place)
			return err == nil && filepath.IsLocal(rel)
		})
	})
}

// interprets says whether a program runs the file that it is given.
func interprets(name string) bool {
	name = strings.TrimRight(strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe"), "0123456789.-")
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "python", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "pwsh", "env"}, name)
}

// runnable says whether a file is a script by its name or its first line.
func runnable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	return script.Runnable(filepath.Base(path), head[:n], info.Mode())
}

// sum is the digest of a regular file, with its size and mode. An error says that there is none that
// can be read.
func sum(path string) (string, error) {
	info, err := os.Stat(path) // before it is opened, so that no pipe is waited for
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(file, maxCode+1)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x %d %v", h.Sum(nil), info.Size(), info.Mode()), nil
}

// maxCode is how much of a file is looked at.
const maxCode = 256 << 20
