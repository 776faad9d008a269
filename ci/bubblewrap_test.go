package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"skills/internal/testing/filetest"
)

// TestBubblewrap downloads bubblewrap from a pretended archive, once, and only where it is not
// installed.
func TestBubblewrap(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // bubblewrap is for Linux
	}
	dir := t.TempDir()
	bin := filetest.Programs(t, filepath.Join(dir, "bin"), map[string]string{
		"apt-get":  "#!/bin/sh\n[ \"$1\" = download ] && touch bubblewrap_1_amd64.deb && echo downloaded >>" + dir + "/log\n",
		"dpkg-deb": "#!/bin/sh\nmkdir -p \"$3/usr/bin\" && echo bwrap >\"$3/usr/bin/bwrap\" && chmod 755 \"$3/usr/bin/bwrap\"\n",
	})
	run := func(path, want string) {
		t.Helper()
		c := exec.Command("bash", "bubblewrap.sh")
		c.Env = append(os.Environ(), "PATH="+path, "XDG_CACHE_HOME="+dir)
		if out, err := c.Output(); err != nil || string(out) != want+"\n" {
			t.Errorf("got %q, %v, want %q", out, err, want)
		}
	}
	tools := filepath.Join(dir, "tools") // without a bwrap of the machine
	filetest.Must(t, os.Mkdir(tools, 0o755))
	for _, name := range []string{"bash", "mktemp", "rm", "chmod", "mkdir", "dirname", "cp", "mv", "touch", "sh"} {
		program, err := exec.LookPath(name)
		filetest.Must(t, err)
		filetest.Must(t, os.Symlink(program, filepath.Join(tools, name)))
	}
	downloaded := filepath.Join(dir, "skills-test-bubblewrap/usr/bin/bwrap")
	for range 2 {
		run(bin+":"+tools, downloaded)
	}
	if got := filetest.Read(t, filepath.Join(dir, "log")) + filetest.Read(t, downloaded); got != "downloaded\nbwrap\n" {
		t.Errorf("got %q, want one download", got)
	}
	installed := filetest.Programs(t, filepath.Join(dir, "installed"), map[string]string{"bwrap": "#!/bin/sh\n"})
	run(installed+":"+tools, filepath.Join(installed, "bwrap"))
}
