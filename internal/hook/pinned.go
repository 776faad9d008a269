package hook

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script"
)

// Programs finds programs by their bare names and runs them; [script.Runner] does.
type Programs interface {
	Runner
	Find(program string) (path string, ok bool)
}

// PinnedRunner is a [Runner] of programs that are the user's: it starts none whose
// files are others than they were when it was made. Hooks are not in the sandbox,
// so that a script in it which could rewrite one would be free.
type PinnedRunner struct {
	programs Programs
	dir      string
	open     []string                // folders that scripts can write to
	pinned   map[string][]pinnedFile // of a command, by its words
}

// pinnedFile is a file of a hook in a folder that scripts can write to.
type pinnedFile struct {
	name, path string
	digest     string // "" where there was no such program
}

// NewPinnedRunner looks at the programs of commands, and at scripts among their words,
// as far as they are in folders that scripts can write to. dir is the folder
// that relative paths are seen from; all folders are absolute.
func NewPinnedRunner(programs Programs, dir string, writable []string, commands ...Command) *PinnedRunner {
	o := &PinnedRunner{programs: programs, dir: dir, pinned: map[string][]pinnedFile{}}
	for _, folder := range writable {
		o.open = append(o.open, filepath.Clean(folder))
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			o.open = append(o.open, real)
		}
	}
	for _, c := range commands {
		o.pinned[key(c.Words)] = o.files(c.Words)
	}
	return o
}

// Files are the files that were found, which the sandbox has to protect.
func (o *PinnedRunner) Files() []string {
	var out []string
	for _, files := range o.pinned {
		for _, f := range files {
			if f.digest != "" {
				out = append(out, f.path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Ask runs a program as the runner does, unless a file of it has changed.
func (o *PinnedRunner) Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error) {
	for _, now := range o.files(command) {
		if !slices.Contains(o.pinned[key(command)], now) {
			return script.Result{}, fmt.Errorf("%s is not what it was when the run began: a script may have written it", now.name)
		}
	}
	return o.programs.Ask(ctx, command, input, more...)
}

// key is a command as the key of a map; no word has a NUL in it.
func key(words []string) string { return strings.Join(words, "\x00") }

// files finds the files of a command that scripts could change, as they are now.
func (o *PinnedRunner) files(words []string) []pinnedFile {
	var found []pinnedFile
	name, path := words[0], o.absolute(words[0])
	if filepath.Base(name) == name {
		path, _ = o.programs.Find(name)
	}
	if path != "" && o.writable(path) {
		found = append(found, pinnedFile{name, path, sum(path, true)})
	}
	interpreted := interprets(name)
	for _, word := range words[1:] {
		// A script may be a word, a part of one (--rules=x.js), or be in the
		// text that a shell is given.
		for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=", r) }) {
			path := o.absolute(piece)
			if !o.writable(path) {
				continue
			}
			if digest := sum(path, interpreted && piece == word); digest != "" {
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

// writable says whether a script could replace a path, or what it leads to.
func (o *PinnedRunner) writable(path string) bool {
	folder, _ := filepath.EvalSymlinks(filepath.Dir(path))
	real, _ := filepath.EvalSymlinks(path)
	return slices.ContainsFunc([]string{path, folder, real}, func(place string) bool {
		return place != "" && slices.ContainsFunc(o.open, func(dir string) bool {
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

// sum is the digest and the mode of a file that is a script, by name and first line or if
// code says so, "" for any other.
func sum(path string, code bool) string {
	info, err := os.Stat(path) // before it is opened, so that no pipe is waited for
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if head, _ := in.Peek(256); !code && !script.Runnable(filepath.Base(path), head, info.Mode()) {
		return ""
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return ""
	}
	return fmt.Sprintf("%x %v", h.Sum(nil), info.Mode())
}
