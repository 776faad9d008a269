package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// unsupported returns why the machine does not support a kind of sandbox, or nil.
// It does not use the code under test: a bug there must not look like a missing
// feature of the machine.
func unsupported(t testing.TB, kind string) error {
	t.Helper()
	switch {
	case kind == kindLandlock && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return errors.New("there is no seccomp filter for " + runtime.GOARCH)
	case kind == kindLandlock:
		return checkLandlock()
	case kind == kindBubblewrap:
		return checkBwrap()
	}
	return nil
}

// The kernel's interface, in numbers of its own.
const (
	prSetNoNewPrivs        = 38
	sysLandlockCreate      = 444
	sysLandlockRestrict    = 446
	landlockVersion        = 1
	landlockRightMakeChar  = 1 << 6
	landlockVersionAtLeast = 3
)

// checkLandlock checks whether a thread can restrict itself with Landlock.
func checkLandlock() error {
	version, _, errno := syscall.Syscall(sysLandlockCreate, 0, 0, landlockVersion)
	if errno != 0 {
		return fmt.Errorf("the kernel has no Landlock: %w", errno)
	}
	if version < landlockVersionAtLeast {
		return fmt.Errorf("the kernel's Landlock is version %d", version)
	}
	return onNewThread(func() error {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
			return fmt.Errorf("no new privileges: %w", errno)
		}
		rights := uint64(landlockRightMakeChar)
		set, _, errno := syscall.Syscall(sysLandlockCreate, uintptr(unsafe.Pointer(&rights)), 8, 0)
		if errno != 0 {
			return fmt.Errorf("making a set of rules: %w", errno)
		}
		defer syscall.Close(int(set))
		if _, _, errno := syscall.Syscall(sysLandlockRestrict, set, 0, 0); errno != 0 {
			return fmt.Errorf("keeping to a set of rules: %w", errno)
		}
		return nil
	})
}

// onNewThread calls f on a thread that is not the main thread and that ends
// afterwards.
func onNewThread(f func() error) error {
	result := make(chan error)
	var begin func()
	begin = func() {
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			defer runtime.UnlockOSThread()
			next := make(chan struct{})
			go func() { defer close(next); begin() }()
			<-next
			return
		}
		result <- f()
	}
	go begin()
	return <-result
}

// checkBwrap checks whether bubblewrap supports what the sandbox needs on this machine.
var checkBwrap = sync.OnceValue(func() error {
	program, why := findBwrap()
	if program == "" {
		return errors.New(why)
	}
	words := strings.Fields("--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-net --ro-bind / / --dev /dev --proc /proc --tmpfs /dev/shm -- /bin/true")
	if out, err := exec.Command(program, words...).CombinedOutput(); err != nil {
		return fmt.Errorf("it does not work here: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
})

// findBwrap finds bubblewrap on PATH, or where ci/bubblewrap.sh puts it.
var findBwrap = sync.OnceValues(func() (program, why string) {
	if found, err := exec.LookPath("bwrap"); err == nil {
		return found, ""
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err.Error()
	}
	program = filepath.Join(cache, "skills-test-bubblewrap", "usr", "bin", "bwrap")
	if _, err := os.Stat(program); err != nil {
		return "", "it is not installed, and ci/bubblewrap.sh has not downloaded it"
	}
	return program, ""
})
