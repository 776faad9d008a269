package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"skills/internal/script/sandbox"
)

// start is the folder in which this process was started.
type start struct {
	dir    string // as [os.Getwd] names it
	pwd    string // as the shell that started this program names it; or ""
	info   fs.FileInfo
	parent bool // the program that started this one is in the same folder
}

// started is found out before anything else. A script of another process can replace what
// a path leads to at any time, but not what this process was started in.
var started = func() (s start) {
	s.dir, _ = os.Getwd()
	s.info, _ = os.Stat(".")
	if pwd := os.Getenv("PWD"); filepath.IsAbs(pwd) {
		s.pwd = pwd
	}
	parent, err := os.Stat("/proc/" + strconv.Itoa(os.Getppid()) + "/cwd")
	s.parent = err == nil && os.SameFile(parent, s.info)
	return s
}()

// check returns an error if a working folder is not the one in which the program was
// started, or is not the one to which the user has changed: a link may have been in its
// place only then. A program that starts this one in a folder of its choice is not in that
// folder itself.
func (s start) check(dir string, info fs.FileInfo, homes []string) error {
	if s.info == nil || !os.SameFile(info, s.info) {
		if dir == s.dir || dir == s.pwd {
			return fmt.Errorf("the working folder %s was replaced while this program was starting", dir)
		}
		return nil // another folder, of this program
	}
	if s.pwd == "" || s.pwd == dir || !s.parent {
		return nil
	}
	named, err := sandbox.CheckWrite("the folder", s.pwd, homes)
	if errors.Is(err, sandbox.ErrTooWide) || err == nil && sandbox.Within(sandbox.Real(dir), named) {
		return nil // no script can write there, or everything below is as good
	}
	return fmt.Errorf("the working folder is %s, and not %s as the shell has it (PWD): it may have been replaced; change to the folder again", dir, s.pwd)
}
