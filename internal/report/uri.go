package report

import (
	"fmt"
	"path/filepath"
	"strings"
)

// fileURI writes a path as a URI (RFC 3986): relative paths as relative
// references, absolute ones with the scheme file. Bytes that are no plain
// letters, digits, or one of -._~/ are percent-encoded, those of names that are
// not UTF-8 as well.
func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	prefix := ""
	if filepath.IsAbs(path) {
		prefix = "file://"
		if !strings.HasPrefix(slashed, "/") { // C:/folder
			prefix += "/"
		}
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i := range len(slashed) {
		switch c := slashed[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
