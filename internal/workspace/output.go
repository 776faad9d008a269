package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"skills/internal/files"
	"skills/internal/script"
)

// Limits of the output that is kept in files: of a command, and of all of a run.
const (
	maxKept    = 256 << 20 // bytes
	maxKeptAll = 1 << 30
)

// output keeps the whole output of a command: in memory while it is short, then in a file
// in the temporary folder of the run.
type output struct {
	runner script.Workspace
	most   int // bytes in a file

	mu     sync.Mutex
	memory []byte
	file   *os.File
	path   string // as the model can use it
	size   int
	failed bool
}

// maxMemory is how much output is kept before a file is needed.
const maxMemory = 4 * script.DefaultOutputLimit

// Write adds output. It never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size += len(p)
	switch {
	case o.failed:
	case o.size > o.most:
		o.drop()
	case o.file != nil:
		_, err := o.file.Write(p)
		if err != nil {
			o.drop()
		}
	default:
		o.memory = append(o.memory, p...)
		if len(o.memory) > maxMemory {
			o.spill()
		}
	}
	return len(p), nil
}

// spill moves what is in memory to a new file. A command can write to the folder, so the
// name must be free, and nothing is followed.
func (o *output) spill() {
	temp := o.runner.Temp()
	if temp == "" {
		o.failed = true
		return
	}
	root, err := files.OpenFolder(temp)
	if err != nil {
		o.failed = true
		return
	}
	defer root.Close()
	const most = 1000
	for n := 1; n <= most; n++ {
		name := fmt.Sprintf("output-%d.txt", n)
		file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			continue
		}
		o.file, o.path = file, filepath.Join(temp, name)
		if o.runner.TmpFolder() != "" {
			o.path = "/tmp/" + name
		}
		_, err = file.Write(o.memory)
		o.memory = nil
		if err != nil {
			o.drop()
		}
		return
	}
	o.failed = true
}

// keep returns the path of a file with the whole output, or "".
func (o *output) keep() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil && !o.failed {
		o.spill()
	}
	if o.failed {
		return ""
	}
	return o.path
}

// drop removes the file: it is of no use if it is not whole.
func (o *output) drop() {
	o.failed, o.memory = true, nil
	if o.file == nil {
		return
	}
	o.file.Close()
	root, err := files.OpenFolder(o.runner.Temp())
	if err == nil {
		_ = root.Remove(filepath.Base(o.path)) // else it stays until the run ends
		root.Close()
	}
	o.file = nil
}

// close ends the output, and returns how many bytes of it are in a file that is wanted.
func (o *output) close(wanted bool) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !wanted {
		o.drop()
	}
	o.failed = true
	if o.file == nil {
		return 0
	}
	o.file.Close()
	return o.size
}
