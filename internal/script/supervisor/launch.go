// Package supervisor starts a command, bounds it and ends everything it has
// started. On Linux a process of this program stands between the two, which
// adopts what the command leaves behind; elsewhere the command's process group,
// session or job object is ended.
package supervisor

import (
	"os"
	"os/exec"

	"skills/internal/script/sandbox"
)

// Command is a program to start. It has no terminal and, unless Stdin is set, an
// empty standard input.
type Command struct {
	Args  []string // the absolute path of the program, and its arguments
	Dir   string   // the working folder
	Env   []string // KEY=VALUE
	Stdin *os.File // nil: the null device

	// Self is the path of a program that calls [Main] first, normally this one.
	// If it is empty there is no supervisor; outside Linux there is none anyway.
	Self   string
	Setup  sandbox.Setup // what the supervisor sets up for the command
	Limits Limits
}

// Limits are how much of the machine a command and all its descendants get; 0 is
// no limit. They are enforced on Linux, under a supervisor.
type Limits struct {
	Processes int    // at a time
	Memory    uint64 // bytes of all processes together
	Data      uint64 // bytes of one of them
	File      uint64 // bytes of one file
	Open      uint64 // open files of one process
}

// launch is a process that is about to be started.
type launch struct {
	cmd *exec.Cmd // without streams
	// attach is called once the process runs and returns what ends it. An
	// error means that the command was not started after all.
	attach func(*os.Process) (group, error)
	// discard releases what was opened for the start; it is always called.
	discard func()
}

// group is a running command and everything that it has started.
type group interface {
	// terminate asks it to end.
	terminate()
	// kill ends it.
	kill()
	// reap waits for the command's end, ends what it leaves behind, and collects
	// its status.
	reap(cmd *exec.Cmd)
	// abandon is the last resort if kill has not helped.
	abandon()
	// outcome is how it ended, once reap has returned.
	outcome(state *os.ProcessState) Outcome
}

// direct launches a command as a child of this process.
func direct(c Command) *launch {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, attributes()
	return &launch{
		cmd:     cmd,
		attach:  func(p *os.Process) (group, error) { return newSession(p), nil },
		discard: func() {},
	}
}
