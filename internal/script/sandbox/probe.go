package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ProbeWord is the first argument that makes this program try the sandbox it is
// started in, see [Probe].
const ProbeWord = "__probe"

// ProbePassed is what the probe prints if the sandbox holds.
const ProbePassed = "confined\n"

// MarkerName is the file beside the temporary folder that no script can read,
// so that a probe has something to try.
const MarkerName = "marker"

// EscapeName is the file beside it that a probe tries to create. It must not
// exist afterwards outside of the sandbox.
const EscapeName = "escaped"

// ProbeArguments are the arguments for a probe of a policy. marker is the file
// that must not be readable.
func ProbeArguments(p Policy, marker string) []string {
	words := []string{ProbeWord, "unreadable=" + marker, "writable=" + p.Temp, "escape=" + filepath.Join(filepath.Dir(marker), EscapeName), "readable=" + p.Dir}
	if !p.Net {
		words = append(words, "offline=")
	}
	return words
}

// Probe tries what a script must not be able to do, and what it must. words are
// what [ProbeArguments] returned, without the first. It returns the first thing
// that is wrong.
func Probe(words []string) error {
	for _, word := range words {
		what, path, _ := strings.Cut(word, "=")
		var err error
		switch what {
		case "unreadable":
			if canRead(path) {
				err = fmt.Errorf("%s can be read", path)
			}
		case "readable":
			if _, err = os.ReadDir(path); err != nil {
				err = fmt.Errorf("the working folder cannot be read: %w", err)
			}
		case "writable":
			if err = tryWrite(path); err != nil {
				err = fmt.Errorf("the temporary folder cannot be written: %w", err)
			}
		case "escape": // the one who tries the sandbox looks whether it has arrived
			os.WriteFile(path, nil, 0o600)
		case "offline":
			err = tryNetwork()
		default:
			err = fmt.Errorf("unknown argument %q", word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func canRead(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	_, err = file.Read(make([]byte, 1))
	return err == nil || errors.Is(err, io.EOF)
}

func tryWrite(dir string) error {
	file, err := os.CreateTemp(dir, "probe-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
