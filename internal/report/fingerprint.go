package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"skills/internal/spec"
)

// fingerprintKey names how the fingerprints are made, with a version.
const fingerprintKey = "culpritLine/v1"

// fingerprints counts findings that look alike.
type fingerprints map[string]int

// of returns what a finding is known by when lines above it come and go: its
// rule, its file (from the root of the repository, so that the folder a check
// was started in makes no difference) and the text of the line at which it
// starts, with a number where several are alike.
func (f fingerprints) of(d spec.Diagnostic, file, line string) string {
	text := strings.Join([]string{d.Rule, filepath.ToSlash(file), strings.TrimSpace(line)}, "\x00")
	sum := sha256.Sum256([]byte(text))
	id := hex.EncodeToString(sum[:16])
	f[id]++
	return fmt.Sprintf("%s:%d", id, f[id])
}
