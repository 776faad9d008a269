package hook

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// path returns the absolute path of a word of a command, or the reason why it is not
// certain which file it names.
func (o *PinnedRunner) path(word string) (path, reason string) {
	dir, climbed := o.start(word)
	if climbed {
		return "", printableName(word) + " has .. inside, which a link can redirect"
	}
	path = files.Absolute(dir, word)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", printableName(word) + " does not exist"
	case info.IsDir():
		return "", printableName(word) + " is a folder"
	case !info.Mode().IsRegular():
		return "", printableName(word) + " is not a regular file"
	}
	if _, link := o.reach(path); link {
		return "", printableName(word) + " is behind a link, which scripts can replace"
	}
	return path, ""
}

// start returns the folder in which a relative path starts, and whether it has .. after
// its start.
func (o *PinnedRunner) start(word string) (dir string, climbed bool) {
	dir, rest := o.dir, filepath.ToSlash(word)
	if strings.HasPrefix(rest, "../") { // relative to the folder itself, not to the link that leads there
		dir = sandbox.Real(dir)
		for strings.HasPrefix(rest, "../") {
			rest = rest[len("../"):]
		}
	}
	return dir, slices.Contains(strings.Split(rest, "/"), "..")
}

// inside reports whether a path leads to, or through, a folder that scripts can write to.
func (o *PinnedRunner) inside(path string) bool {
	inside, _ := o.reach(path)
	return inside
}

// reach reports whether a path leads through a folder that scripts can write to, and
// whether a link there decides where it leads.
func (o *PinnedRunner) reach(path string) (inside, link bool) { return sandbox.Reach(path, o.open) }

// parts returns the files and folders below the folders that scripts can write to that the
// words of a command name: also in the text for a shell, after an option, and before the
// first wildcard.
func (o *PinnedRunner) parts(words []string) (found []string) {
	add := func(piece string) {
		piece, _, glob := cutAny(piece, "*?[")
		if glob {
			piece = filepath.Dir(piece + "x")
		}
		path := files.Absolute(o.dir, strings.NewReplacer("$PWD/", "", "${PWD}/", "").Replace(piece))
		for _, path := range []string{path, sandbox.Real(path)} {
			holds := slices.ContainsFunc(o.open, func(root string) bool { return sandbox.Within(root, path) })
			if _, err := os.Lstat(path); err == nil && !holds && o.writable(path) {
				found = append(found, path)
			}
		}
	}
	for _, word := range words {
		for _, piece := range pieces(word) {
			add(piece)
			if len(piece) > 2 && piece[0] == '-' { // -Idir
				add(piece[2:])
			}
		}
	}
	return found
}

// pieces splits a word where a path may begin or end: it may be a part of an option
// (--rules=x.js), or be in the command text for a shell.
func pieces(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=", r) })
}

// cutAny is [strings.Cut] at the first of several characters.
func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// shebang returns the words of the first line of a script file, and whether it is one.
func shebang(path string) (words []string, isScript bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // opening a pipe blocks
		return nil, false
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	line, isScript := bytes.CutPrefix(head[:n], []byte("#!"))
	line, _, ended := bytes.Cut(line, []byte("\n"))
	if !isScript || !ended {
		return nil, isScript
	}
	return strings.Fields(string(line)), true
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
