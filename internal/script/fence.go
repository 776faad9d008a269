package script

import (
	"os"
	"os/exec"
)

// fence starts commands so that they can do no more than a policy allows.
type fence interface {
	// name is what stands in [Result.Sandbox].
	name() string
	// suits says why the fence cannot hold a policy here, or nil. That it can
	// is known once it has been tried, see [Runner.try].
	suits(p policy) error
	// open are the secrets that it does not keep.
	open(p policy) []string
	// gaps says, in words, what of a policy it does not hold.
	gaps(p policy) []string
	// launch prepares the start of a command with the environment env.
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
	excess string // see [Result.Excess]
	err    error  // it turned out not to have been started
}

// unfenced starts a command as it is. Where the runner knows its own program, a
// supervisor of ours stands between, so that nothing stays behind; see [Stage].
type unfenced struct{ self string }

func (unfenced) name() string         { return nameNone }
func (unfenced) suits(policy) error   { return nil }
func (unfenced) open(policy) []string { return nil }
func (unfenced) gaps(policy) []string { return nil }

// nameNone is the name of no confinement.
const nameNone = "none"

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
