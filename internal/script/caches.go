package script

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// cache is a folder in which a tool keeps what it can make again, and the
// variable that tells it.
type cache struct{ variable, dir string }

// caches are the cache folders of one script: in the temporary folder, or for
// those who compile or install between runs, in a folder for this very script
// and content, which is kept. No two skills share one, so that none can poison
// another's. What is below the kept folder may be the work of the script, so it
// is only touched through an [os.Root].
func (r *Runner) caches(s Script, temp string, command []string) (list []cache, kept string, err error) {
	program := strings.TrimSuffix(base(r.Interpreter(command)), ".exe")
	dir := temp
	if r.Cache != "" && slices.Contains([]string{"go", "uv", "deno", "bun", "dotnet"}, program) {
		if kept, err = r.scriptCache(s); err != nil {
			return nil, "", err
		}
		dir = kept
	}
	list = []cache{
		{"XDG_CACHE_HOME", filepath.Join(temp, "cache")}, {"MPLCONFIGDIR", filepath.Join(temp, "matplotlib")},
		{"GOCACHE", filepath.Join(dir, "go-build")}, {"UV_CACHE_DIR", filepath.Join(dir, "uv")}, {"DENO_DIR", filepath.Join(dir, "deno")},
		{"npm_config_cache", filepath.Join(dir, "npm")}, {"DOTNET_CLI_HOME", filepath.Join(dir, "dotnet")},
	}
	if program == "uv" {
		err = r.seedUV(dir)
	}
	return list, kept, err
}

// scriptCache is the folder for the caches of a script and its present content.
// Those of earlier contents are removed.
func (r *Runner) scriptCache(s Script) (string, error) {
	digest := s.Digest
	if digest == "" {
		var err error
		if digest, err = Digest(s); err != nil {
			return "", err
		}
	}
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return "", err
	}
	id := sha256.Sum256([]byte(real + "\x00" + s.Name))
	parent := filepath.Join(r.Cache, hex.EncodeToString(id[:8]))
	dir := filepath.Join(parent, digest)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("creating the script's cache: %w", err)
	}
	entries, _ := os.ReadDir(parent)
	for _, entry := range entries {
		if entry.Name() != digest {
			removeAll(filepath.Join(parent, entry.Name()))
		}
	}
	return filepath.EvalSymlinks(dir)
}

// seedUV fills the cache of uv in a folder with links to the user's, which the
// script can read and not change. Packages are linked as a whole; the folders
// around them are made anew, because uv adds to them.
func (r *Runner) seedUV(dir string) error {
	from, _ := sandbox.Lookup(r.Env, "UV_CACHE_DIR")
	if homes := r.homes(); from == "" && len(homes) > 0 {
		from = filepath.Join(homes[0], ".cache", "uv")
	}
	if !filepath.IsAbs(from) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("preparing uv's cache: %w", err)
	}
	defer root.Close()
	const mostEntries = 50_000
	count := 0
	filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if count++; count > mostEntries {
			return fs.SkipAll
		}
		if err != nil {
			return nil // a cache that cannot be read is no cache
		}
		rel, _ := filepath.Rel(from, path)
		target := filepath.Join("uv", rel)
		bucket, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case d.IsDir() && nested && wholeEntries(bucket):
			root.Symlink(path, target)
			return fs.SkipDir
		case d.IsDir():
			root.MkdirAll(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			if link, err := os.Readlink(path); err == nil {
				root.Symlink(link, target)
			}
		case d.Type().IsRegular() && !strings.HasSuffix(d.Name(), ".lock"):
			root.Symlink(path, target)
		}
		return nil // what is missing is made by uv
	})
	return nil
}

// wholeEntries reports whether the entries of a folder of uv's cache are
// linked as a whole: unpacked packages and environments.
func wholeEntries(bucket string) bool {
	return slices.ContainsFunc([]string{"archive-", "environments-", "builds-", "git-", "binaries-"}, func(prefix string) bool { return strings.HasPrefix(bucket, prefix) })
}
