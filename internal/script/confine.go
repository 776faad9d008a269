package script

import "fmt"

// policy is what a confined script may do besides reading.
type policy struct {
	dir   string   // the working directory: writable
	write []string // further writable folders
	net   bool     // the network may be used
}

// confinement puts a fence around a command before it is started. It works on
// the command line (a program that sets up the fence and then becomes the
// command), because a fence around the running process would be around us.
type confinement interface {
	// name is what stands in [Result.Sandbox].
	name() string
	// wrap returns the command line that runs the given one inside the fence.
	wrap(command []string, p policy) []string
}

// unconfined is the confinement that does nothing.
type unconfined struct{}

func (unconfined) name() string                             { return "none" }
func (unconfined) wrap(command []string, _ policy) []string { return command }

// confine chooses the confinement for the runner's mode. This is the one place
// that a real confinement has to be entered in.
func (r *Runner) confine() (confinement, error) {
	switch r.Sandbox {
	case SandboxAuto, SandboxOff, "":
		return unconfined{}, nil
	case SandboxRequire:
		return nil, &refusal{
			reason: ErrUnconfined,
			text:   ErrUnconfined.Error() + ", and confinement is required",
			hint:   "allow it to run unconfined with --sandbox off, if you trust the skill",
		}
	}
	return nil, fmt.Errorf("choosing the confinement: unknown mode %q (auto, require or off)", r.Sandbox)
}

// policy is the runner's settings as a confinement takes them.
func (r *Runner) policy() policy {
	return policy{dir: r.Dir, write: r.AllowWrite, net: r.AllowNet}
}
