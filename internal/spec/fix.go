package spec

import (
	"errors"
	"io/fs"
)

// Files is what rules see of a skill's folder. Implementations read each file
// at most once, bound what they read and never leave the folder.
type Files interface {
	// List returns every file and folder below the skill's folder, sorted by
	// name; the number is bounded. Hidden ones, node_modules and the like are
	// listed as what they are, but not what is inside them.
	List() []File
	// Gaps returns what List leaves out although it ought to be there, in a
	// fixed order.
	Gaps() []Gap
	// Read returns a regular file's content, at most limit bytes of it. The
	// content must not be changed. ErrReadEnough says that the bound on all
	// files together is reached.
	Read(name string, limit int64) ([]byte, error)
	// Above reports whether there is a file or folder at a clean path that starts
	// with ../; known is false where nobody looks. Nothing is read there.
	Above(name string) (exists, known bool)
}

// ErrReadEnough is the error of reading once as much was read of a skill's
// files as is going to be.
var ErrReadEnough = errors.New("enough was read of this skill's files")

// Gap is a part of a skill's folder that could not be listed.
type Gap struct {
	Name   string // of a folder, relative to the skill with slashes; "" for the whole skill
	Reason string // a sentence without its subject: "cannot be read: permission denied"
	Help   string
}

// File is one entry of a skill's folder.
type File struct {
	Name    string // relative to the skill, with slashes
	Mode    fs.FileMode
	Size    int64
	Link    string // what a symbolic link leads to, as written; "" for anything else
	Outside bool   // a link that leads out of the skill's folder, or nowhere
	Skipped bool   // a folder whose contents are not listed
}
