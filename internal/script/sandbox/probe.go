package sandbox

import (
	"cmp"
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

// ProbePassed is what the probe prints if the sandbox holds.
const ProbePassed = "sandboxed\n"

// Files beside the temporary folder, so that a probe has something to try.
const (
	MarkerName = "marker"  // no script can read it
	EscapeName = "escaped" // a probe tries to create it; it must not exist afterwards outside of the sandbox
)

// ProbeArguments are the arguments for a probe; marker must not be readable.
func ProbeArguments(p Policy, marker string) []string {
	words := []string{ProbeWord, marker, p.Temp, p.Dir}
	if !p.Net {
		words = append(words, "offline")
	}
	return words
}

// Probe tries what a script must not be able to do, and what it must, with the words of
// [ProbeArguments] but the first. The error is the first thing that is wrong.
func Probe(words []string) error {
	if len(words) < 3 {
		return errors.New("arguments are missing")
	}
	marker, temp, dir := words[0], words[1], words[2]
	if _, err := os.ReadFile(marker); err == nil {
		return fmt.Errorf("%s can be read", marker)
	}
	// Inside, a file can have appeared without having left the sandbox.
	os.WriteFile(filepath.Join(filepath.Dir(marker), EscapeName), nil, 0o600)
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Errorf("the working folder cannot be read: %w", err)
	}
	probe := filepath.Join(temp, "probe")
	if err := cmp.Or(os.WriteFile(probe, nil, 0o600), os.Remove(probe)); err != nil {
		return fmt.Errorf("the temporary folder cannot be written: %w", err)
	}
	if len(words) > 3 {
		return tryNetwork()
	}
	return nil
}

// tryNetwork fails if the sandbox does not refuse a connection. Nobody has to
// listen: without a sandbox the error is another one.
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
