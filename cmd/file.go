package cmd

import (
	"errors"
	"fmt"

	"skills/internal/safefile"
)

// readBounded reads a file, or a pipe that a person named, of at most limit
// bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	data, err := safefile.Read(path, limit)
	if errors.Is(err, safefile.ErrTooLarge) {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}
