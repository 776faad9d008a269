package lint

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// stdinName names the document of standard input that has no file name.
const stdinName = "<stdin>"

// stdinDocument reads standard input; rules see the other files of its folder.
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
	doc.Dir, doc.LinkTarget, doc.Nested = saved.Dir, saved.LinkTarget, saved.Nested
	doc.Files = fix.Overlay{Files: saved.Files, Texts: map[string][]byte{file: src}}
	return doc, nil
}
