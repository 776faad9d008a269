package hook

// Hooks run outside the sandbox, so a script that could replace a file of one could escape.
// The files that are in folders that scripts can write to are recorded before any script
// runs. The sandbox protects them, and a hook with a file that changed all the same is not
// started.

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

	"skills/internal/files"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// Programs finds programs by name and runs them; [script.Runner] implements it.
type Programs interface {
	Runner
	// FindTrusted returns the path of a program, which is not in a folder that scripts can
	// write to.
	FindTrusted(program string) (path string, ok bool)
	// Folders returns the folders of the search path.
	Folders() []string
}

// PinnedRunner is a [Runner] that starts a program only if its files have not changed
// since the runner was created. Hooks run outside the sandbox, so a script that could
// replace one could escape.
type PinnedRunner struct {
	programs Programs
	dir      string
	open     []string                // folders that scripts can write to
	pinned   map[string][]pinnedFile // by the words of a command
	named    []string                // files and folders that the commands name, and that scripts could change
	code     []Exposure              // by command, in order
}

// pinnedFile is a file of a hook in a folder that scripts can write to.
type pinnedFile struct {
	name, path string
	digest     string // "" if the program was missing
}

// NewPinnedRunner records the programs of commands, and the scripts among their words,
// that are in folders that scripts can write to. Relative paths are relative to dir;
// all folders are absolute.
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
		found := o.exposure(c.Words)
		found.Command = c.Text
		o.code = append(o.code, found)
		if found.Reason != "" { // what is covered names nothing there, except as data
			o.named = append(o.named, o.parts(c.Words)...)
		}
	}
	return o
}

// Protect returns the files and folders that the commands name, and the folders of the
// recorded files, as far as they are below folders that scripts can write to. The sandbox
// must protect them, because programs load code from there. Of a folder that scripts have
// to write to, it returns the files.
func (o *PinnedRunner) Protect() []string {
	out := slices.Clone(o.named)
	for _, files := range o.pinned {
		for _, f := range files {
			for _, dir := range f.folders() {
				switch {
				case !o.isOpen(dir) && o.writable(dir):
					out = append(out, dir)
				case o.isOpen(dir) && f.digest != "":
					out = append(out, f.path)
				}
			}
		}
	}
	slices.Sort(out)
	covers := func(dir, path string) bool {
		info, err := os.Lstat(dir) // what a link leads to is not protected by its name
		return path != dir && sandbox.Within(path, dir) && err == nil && info.IsDir()
	}
	all := slices.Compact(out)
	return slices.DeleteFunc(slices.Clone(all), func(path string) bool {
		return slices.ContainsFunc(all, func(dir string) bool { return covers(dir, path) })
	})
}

// isOpen reports whether a folder is one that scripts have to write to.
func (o *PinnedRunner) isOpen(dir string) bool { return slices.Contains(o.open, dir) }

// folders returns the folders of the file and of its target.
func (f pinnedFile) folders() []string {
	return []string{sandbox.Real(filepath.Dir(f.path)), filepath.Dir(sandbox.Real(f.path))}
}

// Ask runs a program like the runner, unless one of its files has changed.
func (o *PinnedRunner) Ask(ctx context.Context, command []string, input []byte, more ...string) (script.Result, error) {
	for _, now := range o.files(command) {
		if !slices.Contains(o.pinned[key(command)], now) {
			return script.Result{}, fmt.Errorf("%s changed after the run started; a script may have modified it", now.name)
		}
	}
	return o.programs.Ask(ctx, command, input, more...)
}

// key returns a map key for a command; words do not contain NUL.
func key(words []string) string { return strings.Join(words, "\x00") }

// files returns the current files of a command that scripts could change.
func (o *PinnedRunner) files(words []string) []pinnedFile {
	var found []pinnedFile
	name, path := words[0], files.Absolute(o.dir, words[0])
	if filepath.Base(name) == name {
		path, _ = o.programs.FindTrusted(name)
	}
	if path != "" && o.writable(path) {
		found = append(found, pinnedFile{name, path, sum(path, true)})
	}
	interpreted := interprets(name)
	for _, word := range words[1:] {
		// A script may be a word, a part of one (--rules=x.js), or in the command text
		// for a shell.
		for _, piece := range pieces(word) {
			path := files.Absolute(o.dir, piece)
			if !o.writable(path) {
				continue
			}
			if digest := sum(path, interpreted && piece == word); digest != "" {
				found = append(found, pinnedFile{piece, path, digest})
			}
		}
		if interpreted && !strings.HasPrefix(word, "-") {
			interpreted = false // arguments of the script follow
		}
	}
	return found
}

// writable reports whether a script could replace a path or its target.
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

// interprets reports whether a program runs the file that it is given.
func interprets(name string) bool {
	name = strings.TrimRight(strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".exe"), "0123456789.-")
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "python", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "pwsh", "env"}, name)
}

// sum returns the digest and the mode of a file that is a script, by its name and first
// line or because code is set; "" for any other file.
func sum(path string, code bool) string {
	info, err := os.Stat(path) // before opening, which could block on a pipe
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if head, _ := in.Peek(256); !code && !script.Runnable(filepath.Base(path), head) {
		return ""
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return ""
	}
	return fmt.Sprintf("%x %v", h.Sum(nil), info.Mode())
}
