package cmd

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// stdinName is how a document is called that has no other name.
const stdinName = "<stdin>"

// stdinDocument reads the document of standard input, which stands for the
// SKILL.md at filename, "" for none. Where its folder is there, the rules see
// the folder's other files.
func (a *app) stdinDocument(ctx context.Context, filename string) (*spec.Document, error) {
	if filename != "" {
		if isDir(a.absolute(filename)) {
			filename = filepath.Join(filename, spec.FileName)
		}
		if base := filepath.Base(filename); !strings.EqualFold(base, spec.FileName) {
			return nil, wrongUsage("standard input is read as a "+spec.FileName+": write --stdin-filename "+filepath.Join(filepath.Dir(filename), spec.FileName),
				"--stdin-filename names %s, which is no %s", base, spec.FileName)
		}
	}
	src, err := io.ReadAll(io.LimitReader(a.Stdin, loader.MaxSkillFile+1))
	if err != nil {
		return nil, wrongUsage("pipe a SKILL.md in", "reading standard input: %w", safefile.Reason(err))
	}
	if len(src) > loader.MaxSkillFile {
		return nil, wrongUsage("check the file by its path", "standard input is larger than %d bytes", loader.MaxSkillFile)
	}
	if filename == "" {
		return loader.ParseDocument(stdinName, "", src), nil
	}
	file := filepath.Base(filename)
	doc := loader.ParseDocument(filename, filepath.Base(filepath.Dir(a.absolute(filename))), src)
	if doc.File = file; file != spec.FileName {
		doc.Faults = append(doc.Faults, spec.Fault{Rule: "skill-file", Message: file + " must be named " + spec.FileName, Help: "rename the file"})
	}
	if !isDir(filepath.Dir(a.absolute(filename))) {
		return doc, nil
	}
	found, err := loader.Search{}.Inspect(ctx, filepath.Dir(filename))
	if err != nil {
		return doc, context.Cause(ctx) // a folder that cannot be read is none
	}
	saved := loader.OpenDocument(found)
	doc.Dir, doc.LinkTarget, doc.Nested = saved.Dir, saved.LinkTarget, found.Nested
	doc.Files = piped{saved.Files, file, src}
	return doc, nil
}

// piped is a skill's folder with the text of standard input in the place of its
// SKILL.md.
type piped struct {
	spec.Files
	file string
	src  []byte
}

// List implements spec.Files.
func (p piped) List() []spec.File {
	list := slices.Clone(p.Files.List())
	own := spec.File{Name: p.file, Size: int64(len(p.src))}
	at, there := slices.BinarySearchFunc(list, p.file, func(f spec.File, name string) int { return strings.Compare(f.Name, name) })
	if !there {
		return slices.Insert(list, at, own)
	}
	own.Mode = list[at].Mode.Perm()
	list[at] = own
	return list
}

// Read implements spec.Files.
func (p piped) Read(name string, limit int64) ([]byte, error) {
	if name == p.file {
		return p.src[:min(int64(len(p.src)), max(limit, 0))], nil
	}
	return p.Files.Read(name, limit)
}
