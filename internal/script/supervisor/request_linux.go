package supervisor

import (
	"encoding/json"
	"fmt"
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"skills/internal/script/sandbox"
)

// The descriptors that a supervisor is started with, beside the script's
// streams.
const (
	controlFD = 3 // the request, then one byte per command; closed when the runner is gone
	reportFD  = 4 // the reports
)

// Commands of the runner.
const (
	commandTerminate = 't' // ask the script to end
	commandKill      = 'k' // end it
)

// request is what a supervisor has to know besides the command line and the
// environment, which are its own.
type request struct {
	Setup  sandbox.Setup
	Limits Limits
}

// report is one line that a supervisor sends: the script runs, or why not; how
// it ended.
type report struct {
	Started bool   `json:",omitempty"`
	Error   string `json:",omitempty"`
	Errno   int    `json:",omitempty"`

	Ended  bool   `json:",omitempty"`
	Code   int    `json:",omitempty"`
	Signal int    `json:",omitempty"`
	Limit  string `json:",omitempty"` // the limit at which it was ended
}

// err is the reported error, or nil.
func (r report) err() error {
	switch {
	case r.Errno != 0:
		return fmt.Errorf("%s: %w", r.Error, syscall.Errno(r.Errno))
	case r.Error != "":
		return fmt.Errorf("%s", r.Error)
	}
	return nil
}

// outcome is a reported end. A signal becomes an exit code as in a shell.
func (r report) outcome() Outcome {
	if r.Signal > 0 {
		return Outcome{Code: 128 + r.Signal, Signal: unix.SignalName(syscall.Signal(r.Signal)), Limit: r.Limit}
	}
	return Outcome{Code: r.Code, Limit: r.Limit}
}

// send writes a value as one line of JSON.
func send(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
