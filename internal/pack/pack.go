// Package pack makes reproducible archives of skills, and the index under which a
// web server offers them.
package pack

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/safefile"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// maxTotal is how many bytes of files are packed: more than any target takes.
const maxTotal = 256 << 20

// Archive is a packed skill.
type Archive struct {
	Bytes   []byte
	Digest  string   // sha256:… of Bytes
	Files   int      // in it
	Skipped []string // files and folders that were left out, sorted, folders with a slash at the end

	only string // digest of SKILL.md, if it is the only file
}

// Error is why a skill cannot be packed, one sentence a problem.
type Error struct {
	Path     string
	Problems []string
}

// Error names the skill and what is wrong.
func (e *Error) Error() string {
	return e.Path + " cannot be packed: " + strings.Join(e.Problems, "; ")
}

// file is a file of an archive.
type file struct {
	name    string
	content []byte
}

// Pack makes the archive of a skill with a name: a zip with sorted names, fixed
// times, and modes that follow from the contents. Hidden files, evals, bytecode and
// node_modules are left out. The error is an *Error: a link, another file that is not
// regular, something unreadable, names that one disk cannot hold together, or a limit.
func Pack(dir, name string, target Target) (Archive, error) {
	refuse := &Error{Path: dir}
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || name == "." {
		refuse.add("its name is no name of a folder: %s", printable.Quote(name))
		return Archive{}, refuse
	}
	listed, gaps := loader.AllFiles(dir)
	for _, g := range gaps {
		refuse.add("%s %s", path.Join("its folder", g.Name), g.Reason)
	}
	var out Archive
	var files []file
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		refuse.add("its folder cannot be read: %v", safefile.Reason(err))
		return out, refuse
	}
	defer root.Close()
	names := map[string]string{}
	left := int64(maxTotal)
	for _, f := range listed {
		if skipped := leftOut(f); skipped != "" {
			out.Skipped = append(out.Skipped, skipped)
			continue
		}
		if f.Mode.IsDir() {
			continue
		}
		var content bytes.Buffer
		fold := references.Fold(f.Name)
		switch {
		case !utf8.ValidString(f.Name), strings.ContainsFunc(f.Name, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`\:*?"<>|`, r) }):
			refuse.add("not every system can have a file with the name %s", printable.Quote(f.Name))
			continue
		case names[fold] != "":
			refuse.add("%s and %s are one name on some disks", printable.Quote(names[fold]), printable.Quote(f.Name))
			continue
		case f.Link != "":
			refuse.add("%s is a link; put the file itself there", f.Name)
			continue
		case !f.Mode.IsRegular():
			refuse.add("%s is %s", f.Name, spec.KindName(f.Mode))
			continue
		}
		names[fold] = f.Name
		if err := safefile.Copy(&content, root, f.Name, left); err != nil {
			refuse.add("%s: %v", f.Name, err)
			continue
		}
		left -= int64(content.Len())
		files = append(files, file{f.Name, content.Bytes()})
	}
	out.Skipped = slices.Compact(slices.Sorted(slices.Values(out.Skipped)))
	refuse.Problems = append(refuse.Problems, target.check(name, files)...)
	if len(refuse.Problems) > 0 {
		return out, refuse
	}
	if len(files) == 1 {
		out.only = digest(files[0].content)
	}
	out.Files = len(files)
	prefix := name + "/"
	if target.Root {
		prefix = ""
	}
	if out.Bytes, err = archive(prefix, files); err != nil {
		return out, err
	}
	out.Digest = digest(out.Bytes)
	if target.Archive > 0 && int64(len(out.Bytes)) > target.Archive {
		refuse.add("the archive has %s bytes; %s takes %s", printable.Grouped(int64(len(out.Bytes))), target.Name, printable.Grouped(target.Archive))
		return out, refuse
	}
	return out, nil
}

func (e *Error) add(format string, args ...any) {
	e.Problems = append(e.Problems, fmt.Sprintf(format, args...))
}

// leftOut returns what an entry is left out with: itself or a folder that it is in,
// "" for none.
func leftOut(f spec.File) string {
	parts := strings.Split(f.Name, "/")
	for i, part := range parts {
		folder := i < len(parts)-1 || f.Mode.IsDir()
		skip := strings.HasPrefix(part, ".") || !folder && (strings.HasSuffix(part, ".pyc") || part == "Thumbs.db") ||
			folder && (part == "__pycache__" || part == "node_modules" || part == "evals" && i == 0)
		if skip {
			name := strings.Join(parts[:i+1], "/")
			if folder {
				name += "/"
			}
			return name
		}
	}
	return ""
}

// epoch is the time of every file: the first that zip has.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// archive writes a zip with the same bytes for the same files, on every machine.
func archive(prefix string, files []file) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		header := &zip.FileHeader{Name: prefix + f.name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(0o644)
		// The bit on the disk is lost on Windows.
		if bytes.HasPrefix(f.content, []byte("#!")) || bytes.HasPrefix(f.content, []byte("\x7fELF")) {
			header.SetMode(0o755)
		}
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(f.content)
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	return out.Bytes(), nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
