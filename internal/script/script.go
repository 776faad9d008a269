package script

import (
	"context"
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

	// Unsandboxed says that a person has agreed to run it without a sandbox
	// where there is none; see [SandboxAuto].
	Unsandboxed bool
}

// String is the script as messages name it: skill/file.
func (s Script) String() string {
	if s.Skill == "" {
		return s.Name
	}
	return s.Skill + "/" + s.Name
}

// SandboxMode says whether scripts need a sandbox.
type SandboxMode string

// The modes of --sandbox.
const (
	// SandboxAuto uses the strongest sandbox that works here. Where none does,
	// only scripts that a person has agreed to run without one are run, see
	// [Script.Unsandboxed]. It is also the empty string.
	SandboxAuto    SandboxMode = "auto"
	SandboxRequire SandboxMode = "require" // a sandbox, or [ErrUnconfined]
	SandboxOff     SandboxMode = "off"     // none
)

// Runner runs scripts; several at a time, if need be. Its fields are not changed
// once it is used. A runner that has run something, or has tried its sandbox,
// must be closed.
type Runner struct {
	Dir string // the scripts' working directory, absolute

	// Self is the path of a program that calls [supervisor.Main] first, normally
	// this one. With it scripts run in a sandbox, and on Linux under a supervisor.
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
	AllowNet   bool     // sandboxed scripts may use the network
	AllowRead  []string // what sandboxed scripts may read besides the policy's; absolute
	AllowWrite []string // folders that they may write to, besides Dir and the temporary folder; absolute
	Protect    []string // what they may not write to all the same; absolute
	// MoreProtect finds out further paths for Protect when the sandbox is tried;
	// nil for none.
	MoreProtect func(ctx context.Context) []string
	Private     []string // files and folders that they may not read; absolute
	Cache       string   // where compilers' caches are kept between runs, one folder a script; "": nowhere

	// LookPath finds the interpreter: a bare name on the search path, or an
	// absolute path as it stands, and returns an absolute path. Where it is
	// nil, the PATH of Env is searched, relative entries left out.
	LookPath func(name string) (string, error)

	confinement confinement
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
