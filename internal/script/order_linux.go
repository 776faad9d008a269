package script

import (
	"encoding/json"
	"fmt"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors that a supervisor is started with, beside the script's
// streams.
const (
	controlFD = 3 // the order, then one byte for each wish; its end means that the runner is gone
	reportFD  = 4 // the reports
)

// Wishes of the runner.
const (
	wishTerminate = 't' // ask the script to end
	wishKill      = 'k' // end it
)

// order is what a supervisor has to know besides the command line and the
// environment, which are its own.
type order struct {
	Kind    string   // of the fence, "" for none
	Write   [][]byte // see [policy]; bytes, for paths need not be text
	Secrets [][]byte
	Net     bool
	Limits  limits
}

// Kinds of fences.
const (
	kindLandlock   = "landlock"
	kindBubblewrap = "bubblewrap"
)

// raw turns paths into bytes, and texts bytes into paths.
func raw(paths []string) [][]byte {
	var out [][]byte
	for _, path := range paths {
		out = append(out, []byte(path))
	}
	return out
}

func texts(paths [][]byte) []string {
	var out []string
	for _, path := range paths {
		out = append(out, string(path))
	}
	return out
}

// report is one line of what a supervisor tells: that it is about to start the
// script; that the script runs, or why not; how it ended.
type report struct {
	Begun   bool   `json:",omitempty"`
	Started int    `json:",omitempty"` // the script's process
	Error   string `json:",omitempty"`
	Errno   int    `json:",omitempty"`

	Ended  bool   `json:",omitempty"`
	Code   int    `json:",omitempty"`
	Signal int    `json:",omitempty"`
	Excess string `json:",omitempty"` // the limit at which it was ended
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

// outcome is a reported end. A signal is told as shells tell it.
func (r report) outcome() outcome {
	if r.Signal > 0 {
		return outcome{code: 128 + r.Signal, signal: unix.SignalName(syscall.Signal(r.Signal)), excess: r.Excess}
	}
	return outcome{code: r.Code, excess: r.Excess}
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
