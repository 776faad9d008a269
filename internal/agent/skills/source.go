package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/script"
)

// maxSource is how much of a script a person is shown, and maxScript how much
// is read to know that it is the script that would run.
const (
	maxSource = 1 << 20
	maxScript = 64 << 20
)

// source returns the beginning of the script's text, if it is the one that was
// decided on.
func (p plan) source() (string, error) {
	if p.script.Call != nil {
		return "", nil
	}
	if _, err := script.Digest(p.file()); err != nil { // refuses what is no script
		return "", err
	}
	root, err := os.OpenRoot(p.skill.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	file, err := root.Open(filepath.FromSlash(p.script.Name))
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxScript))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(data); p.digest != "" && !strings.EqualFold(hex.EncodeToString(sum[:]), p.digest) {
		return "", script.ErrChanged
	}
	if len(data) > maxSource {
		return fmt.Sprintf("%s\n(%d bytes more)", strings.ToValidUTF8(string(data[:maxSource]), ""), len(data)-maxSource), nil
	}
	return string(data), nil
}
