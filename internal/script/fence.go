package script

import (
	"fmt"
	"os"
	"os/exec"
)

// policy is what a script may do, as far as a fence can hold it to that.
type policy struct {
	dir   string   // the working directory: writable
	write []string // further writable folders
	net   bool     // the network may be used
}

// fence starts commands so that they can do no more than a policy allows.
type fence interface {
	// name is what stands in [Result.Sandbox].
	name() string
	// launch prepares the start of a command in p.dir with the environment env.
	launch(command []string, p policy, env []string) (*launch, error)
}

// launch is a process that is about to be started.
type launch struct {
	cmd *exec.Cmd // without streams; only a filter has a standard input
	// attach is called once the process runs and returns what ends it. An
	// error means that the script was not started after all.
	attach func(*os.Process) (group, error)
	// discard gives up what was made for the start; it is called always.
	discard func()
}

// group is a running script and everything that it has started.
type group interface {
	// terminate asks it to end.
	terminate()
	// kill ends it.
	kill()
	// reap waits for the script's end, ends what it leaves behind, and collects
	// its status.
	reap(cmd *exec.Cmd)
	// abandon is the last means where kill has not helped.
	abandon()
	// outcome is how it ended, once reap has returned.
	outcome(state *os.ProcessState) outcome
}

// outcome is how a script ended.
type outcome struct {
	code   int    // see [Result.ExitCode]
	signal string // see [Result.Signal]
}

// unfenced starts a command as it is. Where the runner knows its own program, a
// supervisor of ours stands between, so that nothing stays behind; see [Stage].
type unfenced struct{ self string }

func (unfenced) name() string { return "none" }

func (f unfenced) launch(command []string, p policy, env []string) (*launch, error) {
	if f.self != "" && supervises {
		return supervised(f.self, command, p, env)
	}
	return direct(command, p.dir, env), nil
}

// direct starts a command as a child of this process.
func direct(command []string, dir string, env []string) *launch {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, attributes()
	return &launch{
		cmd:     cmd,
		attach:  func(p *os.Process) (group, error) { return newSession(p), nil },
		discard: func() {},
	}
}

// fence chooses the fence for the runner's mode.
func (r *Runner) fence() (fence, error) {
	switch r.Sandbox {
	case SandboxAuto, SandboxOff, "":
		return unfenced{r.Self}, nil
	case SandboxRequire:
		return nil, &refusal{
			reason: ErrUnconfined,
			text:   ErrUnconfined.Error() + ", and confinement is required",
			hint:   "allow it to run unconfined with --sandbox off, if you trust the skill",
		}
	}
	return nil, fmt.Errorf("choosing the confinement: unknown mode %q (auto, require or off)", r.Sandbox)
}

// policy is the runner's settings as a fence takes them.
func (r *Runner) policy() policy {
	return policy{dir: r.Dir, write: r.AllowWrite, net: r.AllowNet}
}
