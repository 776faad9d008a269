package rules

import (
	"errors"
	"io/fs"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// maxReadable is the size in bytes of the largest text or SKILL.md that an
// agent may read. Bundles and long tables are between maxText and this.
const maxReadable = 8 << 20

var unreadFile = &spec.Rule{
	ID:     "unread-file",
	Title:  "everything in the skill's folder can be read",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "specification, optional directories: an agent reads these files when it needs them; no other rule can speak of one that was not read",
	Check: func(p *spec.Pass) {
		if p.Doc.Files == nil {
			return
		}
		enough := false // reported once, because later files are not read either
		for _, f := range p.Doc.Files.List() {
			if p.Full() {
				return
			}
			kind := spec.KindName(f.Mode)
			switch {
			case f.Name == p.Doc.File || f.Mode.IsDir() || f.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0: // link-escape reports links
			case !f.Mode.IsRegular():
				p.ReportIn(p.Path(f.Name), spec.Span{}, nil, "delete it: a client that opens it may hang, and copies of the skill do not contain it",
					"%s is %s, not a file", printable.Quote(f.Name), kind)
			case f.Size > 0:
				enough = checkReadable(p, f, enough)
			}
		}
		for _, gap := range p.Doc.Files.Gaps() {
			if gap.Name == "" {
				p.Report(spec.Span{}, gap.Help, "the skill's folder %s", gap.Reason)
				continue
			}
			p.ReportIn(p.Path(gap.Name), spec.Span{}, nil, gap.Help, "the folder %s %s", printable.Quote(gap.Name), gap.Reason)
		}
	},
}

// checkReadable reports a regular file that rules could not read completely.
// enough is true if the limit for all files was already reported.
func checkReadable(p *spec.Pass, f spec.File, enough bool) bool {
	limit := int64(maxText)
	text := !isBinaryName(f.Name)
	if !text {
		limit = 1 // enough to test whether it is readable
	}
	src, err := p.Doc.Files.Read(f.Name, limit)
	switch {
	case errors.Is(err, spec.ErrReadEnough):
		if text && !enough {
			p.ReportIn(p.Path(f.Name), spec.Span{}, nil, "keep what the skill does not need out of its folder",
				"%s and later files were not checked: the files before them are too large", printable.Quote(f.Name))
		}
		return enough || text
	case err != nil:
		p.ReportIn(p.Path(f.Name), spec.Span{}, nil, "check its permissions; its contents were not checked", "cannot read %s: %v", printable.Quote(f.Name), bare(err))
	case f.Size > maxText && references.IsMarkdown(f.Name), text && f.Size > maxReadable && forAgents(f, src):
		p.ReportIn(p.Path(f.Name), spec.Span{}, nil, "split it: no agent reads a file of this size",
			"%s is %s, of which only the first MiB was checked", printable.Quote(f.Name), spec.FormatSize(f.Size))
	}
	return enough
}

// forAgents reports, from its name and beginning, whether an agent reads or
// runs a file; other files are data, which may be long.
func forAgents(f spec.File, src []byte) bool {
	t := &text{name: f.Name, src: src}
	return t.isProse() || t.isProgram()
}

// bare returns the innermost error, without the file name.
func bare(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
