package protocol

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Path returns the absolute path of a file URI; ok is false for other schemes, hosts and
// for what is not a URI.
func Path(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", false
	}
	isLocal := u.Host == "" || strings.EqualFold(u.Host, "localhost")
	if !strings.EqualFold(u.Scheme, "file") || !isLocal {
		return "", false
	}
	path = u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
		if len(path) > 1 && path[1] == ':' {
			path = strings.ToUpper(path[:1]) + path[1:] // editors differ
		}
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", false
	}
	return filepath.Clean(path), true
}

// URI returns the file URI of an absolute path.
func URI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
