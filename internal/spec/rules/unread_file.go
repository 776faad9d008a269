package rules

import (
	"errors"
	"io/fs"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// maxReadable is the size in bytes of the largest text that an agent may read.
// Bundles and long tables are between maxText and this.
const maxReadable = 8 << 20

var unreadFile = &spec.Rule{
	ID:     "unread-file",
	Title:  "everything in the skill's folder can be read",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "specification, optional directories: an agent reads these files when it needs them; other rules do not check files that cannot be read",
	Check: func(p *spec.Pass) {
		if n := int64(len(p.Doc.Body)); n > maxText { // the body is not parsed
			p.Report(spec.Span{}, "move detail into files under references/, which are read when they are needed",
				"%s is %s: its links and commands were not checked", printable.Quote(p.Doc.File), spec.FormatSize(n))
		}
		if p.Doc.Files == nil {
			return
		}
		complete := true // later files are not read either
		for _, f := range filesOf(p.Doc) {
			if p.Full() {
				return
			}
			switch {
			case f.Name == p.Doc.File || f.Mode.IsDir() || f.Mode&(fs.ModeSymlink|fs.ModeIrregular) != 0: // link-escape reports links
			case !f.Mode.IsRegular():
				reportFile(p, f.Name, "delete it: a client that opens it may hang, and copies of the skill do not contain it",
					"%s is %s, not a file", printable.Quote(f.Name), spec.KindName(f.Mode))
			case f.Size > 0 && complete:
				complete = checkReadable(p, f)
			}
		}
		for _, unlisted := range p.Doc.Files.Unlisted() {
			if unlisted.Name == "" {
				p.Report(spec.Span{}, unlisted.Help, "the skill's folder %s", unlisted.Reason)
				continue
			}
			reportFile(p, unlisted.Name, unlisted.Help, "the folder %s %s", printable.Quote(unlisted.Name), unlisted.Reason)
		}
	},
}

// checkReadable reports a regular file that rules could not read completely. It
// returns false if the limit for all files is reached.
func checkReadable(p *spec.Pass, f spec.File) bool {
	limit := int64(maxText)
	if isBinaryName(f.Name) {
		limit = 1 // enough to test whether it is readable
	}
	_, err := p.Doc.Files.Read(f.Name, limit)
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner // without the name
	}
	switch {
	case err == spec.ErrReadLimit:
		reportFile(p, f.Name, "keep what the skill does not need out of its folder", "%s and later files were not checked: the files before them are too large", printable.Quote(f.Name))
		return false
	case err != nil:
		reportFile(p, f.Name, "check its permissions; its contents were not checked", "cannot read %s: %v", printable.Quote(f.Name), err)
	case f.Size > maxText && references.IsMarkdown(f.Name), f.Size > maxReadable && !isBinaryName(f.Name):
		reportFile(p, f.Name, "split it: no agent reads a file of this size", "%s is %s, of which only the first MiB was checked", printable.Quote(f.Name), spec.FormatSize(f.Size))
	}
	return true
}
