package loader

// A SKILL.md becomes a document for the rules, from memory or from its folder. That never
// fails: a file that cannot be read, is too large or is a link that leads nowhere is a
// document with a fault, which the rules report like any other finding.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/adrg/frontmatter"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/spec"
)

// MaxSkillFile is the maximum size of a SKILL.md, in bytes.
const MaxSkillFile = 8 << 20

// ParseDocument parses a SKILL.md from memory. path is the file's name in
// findings, dir the name of its folder or "". It never fails: problems are
// faults of the document.
//
// The scan finds the block as the specification defines it. Unless the block has only
// plain fields, adrg/frontmatter passes it to our decoder. A block that it finds
// elsewhere is not used, because it accepts more fences: indented, after blank lines,
// inside a block of text, unclosed.
func ParseDocument(path, dir string, src []byte) *spec.Document {
	doc := spec.Scan(path, dir, src)
	doc.File = spec.FileName
	block := doc.Block()
	if !block.Closed() {
		return doc
	}
	own := src[block.Start:block.End]
	if doc.DecodePlain(own) {
		return doc // nothing in it needs a parser
	}
	format := frontmatter.NewFormat("---", "---", func(found []byte, to any) error {
		if !bytes.Equal(found, own) {
			return errors.New("the frontmatter ends elsewhere")
		}
		to.(*spec.Document).Decode(own)
		return nil
	})
	// Only the part before the body is passed, which avoids copying the body.
	front := bytes.NewReader(src[:block.BodyStart])
	if _, err := frontmatter.MustParse(front, doc, format); err != nil {
		doc.Decode(own)
	}
	return doc
}

// OpenDocument reads and parses a skill's file. It always returns a document;
// read errors are its faults. Files is set to the skill's folder, which is read
// only when a rule needs it.
func OpenDocument(found Found) *spec.Document {
	doc, _ := openDocument(found, nil)
	return doc
}

// openDocument is OpenDocument with the source in buffer, if it is large enough, and with
// the state of the file before it was read; nil if it cannot be read.
func openDocument(found Found, buffer []byte) (*spec.Document, fs.FileInfo) {
	path, dir, target := found.Dir, filepath.Base(found.Real), ""
	if found.File != "" {
		path = filepath.Join(found.Dir, found.File)
	}
	if found.name != "" && found.name != dir {
		dir, target = found.name, dir
	}
	src, info, fault := readSkillFile(found.Dir, found.File, buffer)
	doc := &spec.Document{Path: path, Dir: dir}
	if src != nil {
		doc = ParseDocument(path, dir, src)
	}
	if fault != nil {
		doc.Faults = append([]spec.Fault{*fault}, doc.Faults...)
	}
	doc.LinkTarget, doc.File = target, found.File
	doc.Files, doc.Nested = newFolder(found.Dir, found.File, src), found.nested
	return doc, info
}

// ReadSkillFile reads a skill's file. entry is its name as listed in the folder
// dir, or "" if there is none. A read error is a fault of the rule skill-file.
// A regular file with other letter case is read and is a fault, because the
// reference library accepts skill.md.
//
// The path is confined to dir, and pipes and devices are not opened.
func ReadSkillFile(dir, entry string) (src []byte, fault *spec.Fault) {
	src, _, fault = readSkillFile(dir, entry, nil)
	return src, fault
}

// readSkillFile is ReadSkillFile with the source in buffer, if it is large enough, and with
// the state of the file.
func readSkillFile(dir, entry string, buffer []byte) (src []byte, info fs.FileInfo, fault *spec.Fault) {
	if entry == "" {
		return nil, nil, skillFault("write one, or name the folders that hold skills", "Missing required file: %s", skillFileName)
	}
	path := filepath.Join(dir, entry)
	src, info, err := readFile(dir, entry, buffer, 0, MaxSkillFile)
	switch {
	case errors.Is(err, errNotFile):
		return nil, nil, skillFault("put a text file there", "%v", err)
	case err != nil:
		return nil, nil, openFault(dir, entry, err)
	case info.Size() > MaxSkillFile:
		return nil, info, skillFault("move detail into files under references/, which are read when they are needed",
			"%s is %s, the limit is %s", entry, spec.FormatSize(info.Size()), spec.FormatSize(MaxSkillFile))
	}
	if entry != skillFileName {
		fault = skillFault("rename the file to "+skillFileName+": most clients do not find it under this name", "%s must be named %s", entry, skillFileName)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			fault.Fix = &spec.Fix{Description: "rename " + entry + " to " + skillFileName, Rename: skillFileName}
		}
	}
	return src, info, fault
}

// openFault explains why an entry could not be opened.
func openFault(dir, entry string, err error) *spec.Fault {
	path := filepath.Join(dir, entry)
	if link, linkErr := os.Readlink(path); linkErr == nil {
		_, statErr := os.Stat(path)
		switch {
		case errors.Is(statErr, fs.ErrNotExist):
			return skillFault("repair the link, or put the file itself there", "%s is a link to %s, which does not exist", entry, link)
		case statErr == nil:
			return skillFault("put the file itself there: a skill must be complete when its folder is copied",
				"%s is a link that leaves the skill's folder (to %s)", entry, link)
		}
		err = statErr
	}
	help := "check the permissions of the file and its folder"
	if errors.Is(err, syscall.ELOOP) {
		help = "put the file itself there"
	}
	return skillFault(help, "cannot read %s: %v", entry, files.Reason(err))
}

func skillFault(help, format string, args ...any) *spec.Fault {
	return &spec.Fault{Rule: "skill-file", Message: fmt.Sprintf(format, args...), Help: help}
}

// Properties reads a skill's frontmatter with read, which is
// [spec.ReadProperties] or [spec.UsableProperties]. The error is a *fault.Error.
func Properties(found Found, read func(*spec.Document) (spec.Properties, error)) (spec.Properties, error) {
	doc := OpenDocument(found)
	p, err := read(doc)
	if err == nil {
		return p, nil
	}
	var e *spec.ReadError
	switch {
	case !errors.As(err, &e):
		return p, &fault.Error{Message: fmt.Sprintf("%s: %v", doc.Path, err)}
	case doc.File == "" && e.Rule == "skill-file":
		return p, notFound(doc.Path)
	}
	place := spec.Diagnostic{Path: doc.Path, Span: e.Span}.Place()
	return p, &fault.Error{Message: fmt.Sprintf("%s: %v", place, e), Hint: e.Help}
}

func notFound(path string) *fault.Error {
	return &fault.Error{Message: skillFileName + " not found in " + path, Hint: "name a folder that holds a " + skillFileName}
}

// PropertiesAt reads the frontmatter of the skill at path, as the reference
// library does: it does not search a folder. Errors are *fault.Error and
// *TargetError, unless the context ended.
func PropertiesAt(ctx context.Context, path string) (spec.Properties, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := Search{}.Inspect(ctx, path)
		if err != nil {
			return spec.Properties{}, err
		}
		return Properties(found, spec.ReadProperties)
	}
	target, err := Resolve(ctx, path, Search{})
	var bad *TargetError
	switch {
	case errors.As(err, &bad) && bad.Problem == TargetNoSkill:
		return spec.Properties{}, notFound(path)
	case err != nil:
		return spec.Properties{}, err
	}
	return Properties(target.Skills[0], spec.ReadProperties)
}
