package script

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What a thread gives up is gone from the thread itself: capset and the
// bounding set each stand behind the other once a program is started, so that
// no script can tell whether one of them is missing.
func TestGiveUpPrivileges(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("NOT TESTED: only the superuser has privileges to give up")
		return
	}
	err := onDoomedThread(func() error {
		if err := giveUpPrivileges(); err != nil {
			return err
		}
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var left [2]unix.CapUserData
		if err := unix.Capget(&header, &left[0]); err != nil || left != [2]unix.CapUserData{} {
			return fmt.Errorf("left are %+v (%v)", left, err)
		}
		for c := range 41 {
			if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); has != 0 && err == nil {
				return fmt.Errorf("privilege %d can be had again", c)
			}
			if has, err := unix.PrctlRetInt(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_IS_SET, uintptr(c), 0, 0); has != 0 && err == nil {
				return fmt.Errorf("privilege %d is handed on", c)
			}
		}
		if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set != 1 {
			return fmt.Errorf("no new privileges: %d (%v)", set, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Landlock holds by itself what the filter of system calls holds before it:
// without the filter, a thread behind it connects and listens nowhere.
func TestLandlockAlone(t *testing.T) {
	if err := kernelLacks(); err != nil {
		t.Logf("NOT TESTED with landlock: %v", err)
		return
	}
	version, _, _ := syscall.Syscall(sysLandlockCreate, 0, 0, landlockVersion)
	if version < 6 {
		t.Logf("NOT TESTED: abstract sockets, which Landlock %d does not know (TCP: from version 4)", version)
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
		if err := onDoomedThread(func() error {
			if restricted {
				if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
					return err
				}
				if err := restrict(order{Kind: kindLandlock, Write: raw([]string{dir}), Secrets: raw([]string{filepath.Join(dir, "none")})}); err != nil {
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
		}); err != nil {
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
	if version < 4 {
		delete(want, "connect by TCP")
		delete(want, "listen by TCP")
	}
	if version < 6 {
		delete(want, "connect to an abstract socket")
	}
	got := try(true)
	for what, errno := range want {
		if !errors.Is(got[what], errno) {
			t.Errorf("%s: got %v, want %v", what, got[what], errno)
		}
	}
}
