package files

import (
	"crypto/rand"
	"os"
	"strings"
	"time"
)

// temporaryName returns the name of a temporary file for a file, which cannot exist yet.
func temporaryName(name string) string {
	return "." + name + "." + rand.Text()[:temporaryRandom] + ".tmp"
}

const (
	temporaryRandom = 10        // characters that make a temporary name unique
	staleAge        = time.Hour // of a temporary file whose program must have been killed
)

// removeStale removes the temporary files for a file that killed programs left. It only
// removes regular files that were not written to for an hour, because other programs may be
// writing theirs.
func removeStale(root *os.Root, name string) {
	folder, err := root.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1) // what cannot be read stays
	for _, entry := range entries {
		random, hasStart := strings.CutPrefix(entry.Name(), "."+name+".")
		random, hasEnd := strings.CutSuffix(random, ".tmp")
		isRandom := len(random) == temporaryRandom && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
		isOurs := hasStart && hasEnd && isRandom
		if !isOurs || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > staleAge {
			root.Remove(entry.Name())
		}
	}
}
