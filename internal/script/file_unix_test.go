//go:build unix

package script

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRefusesWhatIsNotAFile(t *testing.T) {
	s := skill(t, "scripts/a.sh", "echo\n")
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "scripts/pipe.sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(s.Dir, "scripts/folder.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe.sh", filepath.Join(s.Dir, "scripts/link.sh")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(s.Dir, "scripts")) // a socket's path is short
	listener, err := net.Listen("unix", "socket.sh")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	r := &Runner{Dir: t.TempDir(), Env: os.Environ()}
	for name, want := range map[string]string{
		"scripts/pipe.sh":   "a named pipe",
		"scripts/link.sh":   "a named pipe",
		"scripts/folder.sh": "a folder",
		"scripts/socket.sh": "a socket",
	} {
		s.Name = name
		if result, err := r.Run(t.Context(), s, nil); !errors.Is(err, ErrNotScript) || !strings.Contains(err.Error(), "it is "+want) {
			t.Errorf("Run(%q) = %+v, %v, want that it is %s", name, result, err, want)
		}
	}
	device := Script{Name: "null", Dir: "/dev"}
	if _, err := Digest(device); !errors.Is(err, ErrNotScript) || !strings.Contains(err.Error(), "a device") {
		t.Errorf("Digest(/dev/null) = %v, want that it is a device", err)
	}
}

func TestInspectLinks(t *testing.T) {
	s := skill(t, "scripts/a.sh", "echo\n")
	outside := filepath.Join(t.TempDir(), "outside.sh")
	if err := os.WriteFile(outside, []byte("echo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"inside.sh":         "scripts/a.sh",
		"absolute.sh":       outside,
		"up.sh":             "../" + filepath.Base(filepath.Dir(outside)) + "/outside.sh",
		"dir":               filepath.Dir(outside),
		"scripts/around.sh": "../../" + filepath.Base(s.Dir) + "/scripts/a.sh",
	} {
		if err := os.Symlink(target, filepath.Join(s.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, allowed := range map[string]bool{
		"inside.sh": true, "absolute.sh": false, "up.sh": false, "dir/outside.sh": false, "scripts/around.sh": false,
	} {
		s.Name = name
		if _, err := Digest(s); (err == nil) != allowed {
			t.Errorf("Digest(%q) = %v, want allowed: %t", name, err, allowed)
		}
	}

	// The skill's folder itself may be a link.
	link := filepath.Join(t.TempDir(), "skill")
	if err := os.Symlink(s.Dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Digest(Script{Name: "scripts/a.sh", Dir: link}); err != nil {
		t.Errorf("through a linked folder: got %v", err)
	}
}

// TestRefusesHugeFiles checks that a file too large for a script is neither run nor read.
func TestRefusesHugeFiles(t *testing.T) {
	s := skill(t, "a.sh", "echo\n")
	if err := os.Truncate(filepath.Join(s.Dir, "a.sh"), 1<<40); err != nil {
		t.Logf("no sparse file of this size here: %v", err)
		return
	}
	if _, err := Digest(s); !errors.Is(err, ErrNotScript) || !strings.Contains(err.Error(), "bytes, and a script") {
		t.Errorf("Digest() = %v, want ErrNotScript", err)
	}
}
