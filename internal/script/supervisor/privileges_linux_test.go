package supervisor

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDropPrivileges checks the thread itself, because a started program cannot show
// whether capset or the bounding set did the work.
func TestDropPrivileges(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser has privileges to give up")
	}
	var err error
	onExitingThread(func() {
		err = func() error {
			if err := dropPrivileges(); err != nil {
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
		}()
	})
	if err != nil {
		t.Error(err)
	}
}
