package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"skills/internal/spec"
)

// MaxSkillFile is the size in bytes up to which a SKILL.md is read.
const MaxSkillFile = 8 << 20

// ReadSkillFile reads a skill's file: entry is its name as the folder dir
// lists it, "" where it lists none. What keeps it from being read is a fault
// of the rule skill-file. A regular file with another case is read and a
// fault, for the reference library takes skill.md.
//
// Opening is contained in dir and never waits: pipes and devices are not
// opened.
func ReadSkillFile(dir, entry string) (src []byte, fault *spec.Fault) {
	if entry == "" {
		return nil, skillFault("write one, or name the folders that hold skills", "Missing required file: %s", skillFileName)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadableFault(entry, err)
	}
	defer root.Close()
	f, info, err := openRegular(root, entry)
	var odd *irregularError
	switch {
	case errors.As(err, &odd):
		return nil, skillFault("put a text file there", "%s is %s, not a file", entry, odd.what)
	case err != nil:
		return nil, linkFault(root, dir, entry, err)
	}
	defer f.Close()
	if info.Size() > MaxSkillFile {
		return nil, tooLarge(entry, info.Size())
	}
	src, err = readUpTo(f, info.Size(), MaxSkillFile+1)
	if err != nil {
		return nil, unreadableFault(entry, err)
	}
	if len(src) > MaxSkillFile {
		return nil, tooLarge(entry, int64(len(src)))
	}
	if entry != skillFileName {
		fault = skillFault("rename the file to "+skillFileName+": most clients do not see it as it is", "%s must be named %s", entry, skillFileName)
		if info, err := root.Lstat(entry); err == nil && info.Mode().IsRegular() {
			fault.Fix = &spec.Fix{Description: "rename " + entry + " to " + skillFileName, Rename: skillFileName}
		}
		return src, fault
	}
	return src, nil
}

// readUpTo reads a file to its end, at most limit bytes; size is what it is
// said to have.
func readUpTo(f io.Reader, size, limit int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(size, limit)+bytes.MinRead))
	_, err := b.ReadFrom(io.LimitReader(f, limit))
	return b.Bytes(), err
}

// OpenDocument reads and parses a skill's file. It always returns a document,
// with the faults that kept the file from being read. The skill's folder is in
// Files and looked at only when a rule asks; Files is an io.Closer too, which
// drops what was read of it.
func OpenDocument(found Found) *spec.Document {
	path, dir, target := found.Dir, filepath.Base(found.Real), ""
	if found.File != "" {
		path = filepath.Join(found.Dir, found.File)
	}
	if abs, err := filepath.Abs(found.Dir); err == nil && filepath.Base(abs) != dir {
		dir, target = filepath.Base(abs), dir
	}
	doc := &spec.Document{Path: path, Dir: dir}
	src, fault := readFound(found)
	if src != nil {
		doc = ParseDocument(path, dir, src)
	}
	if fault != nil {
		doc.Faults = append([]spec.Fault{*fault}, doc.Faults...)
	}
	doc.LinkTarget, doc.File = target, found.File
	files := newTree(found.Dir, found.File, src)
	files.held = found.entries
	doc.Files, doc.Nested = files, found.nested
	return doc
}

// readFound is ReadSkillFile for what a search found: most are files as the
// search has listed them, and read with less ado.
func readFound(found Found) ([]byte, *spec.Fault) {
	if found.File == skillFileName && found.lists(found.File) {
		if src, ok := readPlain(filepath.Join(found.Dir, found.File), nil); ok {
			return src, nil
		}
	}
	return ReadSkillFile(found.Dir, found.File)
}

// linkFault explains why an entry could not be opened.
func linkFault(root *os.Root, dir, entry string, err error) *spec.Fault {
	info, statErr := root.Lstat(entry)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return skillFault("it was there a moment ago: put it back", "Missing required file: %s", entry)
	case statErr != nil || info.Mode()&fs.ModeSymlink == 0:
		return unreadableFault(entry, err)
	}
	target, readErr := os.Stat(filepath.Join(dir, entry))
	link, linkErr := root.Readlink(entry)
	switch {
	case linkErr != nil: // it is none any more
		return unreadableFault(entry, err)
	case errors.Is(readErr, fs.ErrNotExist):
		return skillFault("mend the link, or put the file itself there", "%s is a link to %s, which does not exist", entry, link)
	case readErr != nil:
		return unreadableFault(entry, readErr)
	case !target.Mode().IsRegular():
		return skillFault("put a text file there", "%s is a link to %s, not to a file", entry, spec.KindName(target.Mode()))
	case filepath.IsAbs(link):
		return skillFault("put the file itself there", "%s is a link to an absolute path (%s), which other machines do not have", entry, link)
	}
	return skillFault("put the file itself there: a skill must be whole when its folder is copied",
		"%s is a link that leaves the skill's folder (to %s)", entry, link)
}

func tooLarge(entry string, size int64) *spec.Fault {
	return skillFault("move detail into files under references/, which are read when they are needed",
		"%s is %s, the limit is %s", entry, spec.FormatSize(size), spec.FormatSize(MaxSkillFile))
}

func unreadableFault(entry string, err error) *spec.Fault {
	help := "check the permissions of the file and its folder"
	if isCircle(err) {
		help = "put the file itself there"
	}
	return skillFault(help, "cannot read %s: %v", entry, reason(err))
}

func skillFault(help, format string, args ...any) *spec.Fault {
	return &spec.Fault{Rule: "skill-file", Message: fmt.Sprintf(format, args...), Help: help}
}
