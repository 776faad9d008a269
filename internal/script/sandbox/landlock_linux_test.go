package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLandlockAlone checks Landlock without the system call filter: a thread cannot
// connect or listen anywhere.
func TestLandlockAlone(t *testing.T) {
	version := landlockVersion()
	if err := checkLandlock(version); err != nil {
		t.Skip("Landlock does not work here:", err)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	abstract := fmt.Sprintf("@skills-test-alone-%d", os.Getpid())
	unixListener, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer unixListener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	tcp := func(do func(int, unix.Sockaddr) error, port int) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return do(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	try := func(restricted bool) map[string]error {
		got := map[string]error{}
		dir := t.TempDir()
		attempt := func() error {
			if restricted {
				if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
					return err
				}
				if err := Restrict(Policy{Write: []string{dir}}); err != nil {
					return err
				}
			}
			got["connect by TCP"] = tcp(unix.Connect, port)
			got["listen by TCP"] = tcp(unix.Bind, 0)
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			got["connect to an abstract socket"] = unix.Connect(fd, &unix.SockaddrUnix{Name: abstract})
			return nil
		}
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: no other goroutine gets the restricted thread
			done <- attempt()
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return got
	}
	for what, err := range try(false) {
		if err != nil {
			t.Errorf("%s without Landlock: %v", what, err)
		}
	}
	want := map[string]syscall.Errno{"connect by TCP": unix.EACCES, "listen by TCP": unix.EACCES, "connect to an abstract socket": unix.EPERM}
	since := map[string]int{"connect by TCP": 4, "listen by TCP": 4, "connect to an abstract socket": 6}
	got := try(true)
	for what, errno := range want {
		t.Run(what, func(t *testing.T) {
			if version < since[what] {
				t.Skipf("this is denied since Landlock %d, and here is %d", since[what], version)
			}
			if !errors.Is(got[what], errno) {
				t.Errorf("got %v, want %v", got[what], errno)
			}
		})
	}
}
