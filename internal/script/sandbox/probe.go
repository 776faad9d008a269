package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ProbeWord is the first argument that makes this program [Probe] its sandbox.
const ProbeWord = "__probe"

// EnterWord is the first argument that makes this program complete bubblewrap's
// sandbox from inside and then start the script.
const EnterWord = "__enter"

// ProbePassed is printed by the probe if the sandbox works.
const ProbePassed = "sandboxed\n"

// Files next to the temporary folder for the probe.
const (
	MarkerName = "marker"  // must not be readable
	EscapeName = "escaped" // must not exist outside the sandbox after the probe tried to create it
)

// ProbeArguments returns the arguments of a probe; marker must not be readable.
func ProbeArguments(p Policy, marker string) []string {
	words := []string{ProbeWord, marker, p.Temp, p.Dir}
	if !p.Net {
		words = append(words, "offline")
	}
	return words
}

// Probe tests what a script must be able to do, and what it must not. words are
// those of [ProbeArguments] except the first. It returns the first failure.
func Probe(words []string) error {
	if len(words) < 3 {
		return errors.New("arguments are missing")
	}
	marker, temp, dir := words[0], words[1], words[2]
	if _, err := os.ReadFile(marker); err == nil {
		return fmt.Errorf("%s can be read", marker)
	}
	// The file may appear inside the sandbox without existing outside of it.
	os.WriteFile(filepath.Join(filepath.Dir(marker), EscapeName), nil, 0o600)
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Errorf("the working folder cannot be read: %w", err)
	}
	probe := filepath.Join(temp, "probe")
	err := os.WriteFile(probe, nil, 0o600)
	if err == nil {
		err = os.Remove(probe)
	}
	if err != nil {
		return fmt.Errorf("the temporary folder cannot be written: %w", err)
	}
	if len(words) > 3 {
		return tryNetwork()
	}
	return nil
}

// tryNetwork fails unless the sandbox denies a connection. No server is needed:
// without a sandbox the error is a different one.
func tryNetwork() error {
	connection, err := net.DialTimeout("tcp4", "127.0.0.1:9", time.Second)
	if err == nil {
		connection.Close()
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENETUNREACH) {
		return nil
	}
	return errors.New("the network can be used")
}
