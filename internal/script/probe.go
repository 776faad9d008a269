package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// probeWord is the first argument that makes our program look around behind a
// fence; see [Runner.Confinement].
const probeWord = "__probe"

// probePassed is what it prints where the fence holds.
const probePassed = "confined\n"

// probeArguments tell a probe what to try. open are the secrets that the fence
// does not keep.
func probeArguments(p policy, open []string) []string {
	var words []string
	for _, secret := range p.secrets {
		if !slices.Contains(open, secret) {
			words = append(words, "secret="+secret)
		}
	}
	words = append(words, "write="+p.temp, "outside="+filepath.Dir(p.temp))
	if !p.net {
		words = append(words, "offline=")
	}
	return words
}

// probe tries what a script must not be able to do, and what it must. It
// returns the first thing that is wrong.
func probe(words []string) error {
	for _, word := range words {
		what, path, _ := strings.Cut(word, "=")
		var err error
		switch what {
		case "secret":
			err = probeSecret(path)
		case "write":
			if err = probeWrite(path); err != nil {
				err = fmt.Errorf("nothing can be written in the temporary folder: %w", err)
			}
		case "outside":
			if probeWrite(path) == nil {
				err = fmt.Errorf("%s can be written", path)
			}
		case "offline":
			err = probeNetwork()
		default:
			err = fmt.Errorf("an unknown word %q", word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// probeSecret fails where there is something to be read.
func probeSecret(path string) error {
	file, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if names, err := file.Readdirnames(1); err == nil && len(names) > 0 {
		return fmt.Errorf("%s can be read", path)
	}
	if _, err := file.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s can be read", path)
	}
	return nil
}

// probeWrite fails where no file can be made in a folder.
func probeWrite(dir string) error {
	file, err := os.CreateTemp(dir, "probe-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
