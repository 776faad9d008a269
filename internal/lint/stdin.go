package lint

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

// stdinName names the document of standard input that has no file name.
const stdinName = "<stdin>"

// stdinDocument reads the document of standard input. If its folder exists, the
// rules see the folder's other files.
func (o Options) stdinDocument(ctx context.Context) (*spec.Document, error) {
	filename := o.StdinFilename
	if filename != "" {
		if isDir(o.absolute(filename)) {
			filename = filepath.Join(filename, spec.FileName)
		}
		if base := filepath.Base(filename); !strings.EqualFold(base, spec.FileName) {
			return nil, refused("standard input is read as a "+spec.FileName+": write --stdin-filename "+filepath.Join(filepath.Dir(filename), spec.FileName),
				"--stdin-filename names %s, not a %s", base, spec.FileName)
		}
	}
	src, err := io.ReadAll(io.LimitReader(o.Stdin, loader.MaxSkillFile+1))
	if err != nil {
		return nil, refused("pipe a SKILL.md in", "reading standard input: %w", safefile.Reason(err))
	}
	if len(src) > loader.MaxSkillFile {
		return nil, refused("check the file by its path", "standard input is larger than %d bytes", loader.MaxSkillFile)
	}
	if filename == "" {
		return loader.ParseDocument(stdinName, "", src), nil
	}
	file := filepath.Base(filename)
	doc := loader.ParseDocument(filename, filepath.Base(filepath.Dir(o.absolute(filename))), src)
	if doc.File = file; file != spec.FileName {
		doc.Faults = append(doc.Faults, spec.Fault{Rule: "skill-file", Message: file + " must be named " + spec.FileName, Help: "rename the file"})
	}
	if !isDir(filepath.Dir(o.absolute(filename))) {
		return doc, nil
	}
	found, err := loader.Search{}.Inspect(ctx, filepath.Dir(filename))
	if err != nil {
		return doc, context.Cause(ctx) // a folder that cannot be read is ignored
	}
	saved := loader.OpenDocument(found)
	doc.Dir, doc.LinkTarget, doc.Nested = saved.Dir, saved.LinkTarget, found.Nested
	doc.Files = piped{saved.Files, file, src}
	return doc, nil
}

// piped is a skill's folder in which the text of standard input replaces the
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
