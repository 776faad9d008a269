package script

import (
	"io"
	"io/fs"
	"time"
)

// Defaults of a [Runner].
const (
	DefaultTimeout   = 60 * time.Second
	DefaultOutputCap = 64 << 10
)

// Script names one file of a skill that is to be run.
type Script struct {
	Skill  string // the skill's name, for messages
	Name   string // the file, relative to Dir, with slashes
	Dir    string // the skill's folder, absolute
	Digest string // SHA-256 in hexadecimal that the file must still have; empty: any

	Folder fs.FileInfo // what Dir must still be; nil: any
}

// String is the script as messages name it: skill/file.
func (s Script) String() string {
	if s.Skill == "" {
		return s.Name
	}
	return s.Skill + "/" + s.Name
}

// SandboxMode says how much confinement a script needs.
type SandboxMode string

// Whether an unattended run may go on where "auto" has found nothing is the
// caller's decision.
const (
	SandboxAuto    SandboxMode = "auto"    // the strongest there is, or none; also the empty string
	SandboxRequire SandboxMode = "require" // some confinement, or [ErrUnconfined]
	SandboxOff     SandboxMode = "off"     // none
)

// Runner runs scripts; several at a time, if need be. Its fields are not changed
// once it is used. A runner that has run something, or was asked for its
// [Runner.Confinement], must be closed.
type Runner struct {
	Dir string // the scripts' working directory, absolute

	// Self is the path of a program that calls [Stage] first, normally our own.
	// With it scripts run under a supervisor, where there is one (Linux).
	Self string

	// Env is the parent's environment, each entry KEY=VALUE. Scripts are given
	// the harmless part of it: PATH, HOME, the locale, the temporary folder,
	// where tool chains are installed.
	Env []string

	// PassEnv names further variables of Env that scripts are given. This is
	// the only way for a key or a token to reach a script.
	PassEnv []string

	Timeout   time.Duration // the limit of one script; 0: [DefaultTimeout], below 0: none
	OutputCap int           // bytes kept of each stream; 0 or less: [DefaultOutputCap]

	// Filter, where it is not nil, is put into the way of each stream, after
	// escape sequences are gone and before the cap cuts it: what must not be
	// kept is taken out while it is whole. It is given clean text, whole
	// characters at a time, and closed at the stream's end.
	Filter func(to io.Writer) io.WriteCloser

	Sandbox    SandboxMode
	AllowNet   bool     // confined scripts may use the network
	AllowWrite []string // folders that confined scripts may write to, besides Dir and the temporary folder; absolute
	Protect    []string // folders that they may not write to all the same; absolute
	Secrets    []string // files and folders that they may not read, besides those that are known; absolute

	// LookPath finds the interpreter: a bare name on the search path, or an
	// absolute path as it stands, and returns an absolute path. Where it is
	// nil, the PATH of Env is searched, relative entries left out.
	LookPath func(name string) (string, error)

	choice choice
}

// Runnable says whether a file would be run as a script: a regular file that
// either has the extension of a known language or begins with a shebang line.
// The executable bit does not matter. Of head, the beginning of the file's
// content, the first line is enough.
func Runnable(name string, head []byte, mode fs.FileMode) bool {
	if !mode.IsRegular() {
		return false
	}
	if _, known := languageOf(name); known {
		return true
	}
	return len(shebang(head)) > 0
}
