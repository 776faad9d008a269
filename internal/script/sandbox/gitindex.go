package sandbox

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// submodules returns the .git of each submodule in a working tree, by the index of its
// repository, with the parts of the submodules' repositories. git is the .git of the
// working tree. Submodules of submodules count.
func submodules(tree, git string, homes []string) []string {
	var found []string
	var search func(tree, git string, depth int)
	search = func(tree, git string, depth int) {
		dirs := repository(git, homes)
		if len(dirs) == 0 || depth > maxIncludes || !mayHaveSubmodules(tree, dirs[0]) {
			return
		}
		for _, name := range gitlinks(dirs[0]) {
			at := filepath.Join(tree, filepath.FromSlash(name))
			if git := filepath.Join(at, ".git"); filepath.IsLocal(name) && exists(git) && len(found) <= most {
				found = append(append(found, git), repository(git, homes)...)
				search(at, git, depth+1)
			}
		}
	}
	search(tree, git, 0)
	return found
}

// mayHaveSubmodules reports whether the index of a working tree has to be read, which
// takes time if the repository is large.
func mayHaveSubmodules(tree, git string) bool {
	return exists(filepath.Join(tree, ".gitmodules")) || exists(filepath.Join(git, "modules"))
}

// gitlinks returns the paths of submodules in the index of a Git directory.
func gitlinks(git string) (names []string) {
	const largest = 64 << 20
	file, err := os.Open(filepath.Join(git, "index"))
	if err != nil {
		return nil
	}
	defer file.Close()
	index, _ := io.ReadAll(io.LimitReader(file, largest))
	const header = 12
	if len(index) < header || string(index[:4]) != "DIRC" {
		return nil
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	hash := 20
	if strings.Contains(strings.ToLower(head(filepath.Join(git, "config"))), "sha256") {
		hash = 32
	}
	rest, name := index[header:], []byte(nil)
	for ; count > 0; count-- {
		const modeAt, stat, submodule, extended = 24, 40, 0o160000, 0x4000
		length := stat + hash + 2
		if len(rest) < length+2 {
			break
		}
		mode := binary.BigEndian.Uint32(rest[modeAt:])
		if version >= 3 && binary.BigEndian.Uint16(rest[stat+hash:])&extended != 0 {
			length += 2
		}
		kept := 0
		if version >= 4 { // the name shares a beginning with the one before
			removed, size := offsetNumber(rest[length:])
			kept, length = max(0, len(name)-removed), length+size
		}
		end := bytes.IndexByte(rest[min(length, len(rest)):], 0)
		if end < 0 {
			break
		}
		name = append(name[:kept:kept], rest[length:length+end]...)
		length += end + 1
		if version < 4 {
			length = (length + 7) &^ 7
		}
		if mode == submodule {
			names = append(names, string(name))
		}
		rest = rest[min(length, len(rest)):]
	}
	return names
}

// offsetNumber reads a number of Git's format for offsets, and returns its size.
func offsetNumber(data []byte) (number, size int) {
	for i, b := range data {
		if i > 0 {
			number++
		}
		number = number<<7 | int(b&0x7f)
		if b < 0x80 || i > 3 {
			return number, i + 1
		}
	}
	return number, len(data)
}
