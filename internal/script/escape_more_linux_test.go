package script

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEscapesMore tries the further rows on every kind of confinement that there
// is here, and that they would work without one.
func TestEscapesMore(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("NOT TESTED: the attempts are in Python, which is not here")
		return
	}
	for _, kind := range []string{bare, off, kindOf, kindBubble} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			r := confinedRunner(t, kind, func(r *Runner) {
				r.Dir = filepath.Join(filepath.Dir(home), "work")
				furnish(t, home, r.Dir)
				r.Env = append(r.Env, "HOME="+home)
			})
			if r == nil {
				return
			}
			world, _ := victims(t)
			byNumber(t, world)
			rows := append(moreAttempts(), moreHonest()...)
			got := tryRows(t, r, rows, world)
			gaps := strings.Join(r.choice.told.Gaps, "\n")
			for _, row := range rows {
				t.Run(row.name, func(t *testing.T) { judge(t, row, kind, gaps, got[row.name]) })
			}
		})
	}
}

// tryRows runs rows in one script and returns how each has ended.
func tryRows(t *testing.T, r *Runner, rows []attempt, world map[string]any) map[string]string {
	t.Helper()
	var b strings.Builder
	b.WriteString(prelude + morePrelude)
	for i, row := range rows {
		fmt.Fprintf(&b, "def row%d():\n    %s\nattempt(%q, row%d)\n", i, row.body, row.name, i)
	}
	words, err := json.Marshal(world)
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, r, skill(t, "scripts/escape.py", b.String()), string(words))
	got := map[string]string{}
	for line := range strings.Lines(result.Stdout) {
		var row [2]string
		if json.Unmarshal([]byte(line), &row) == nil {
			got[row[0]] = row[1]
		}
	}
	if !result.OK() || len(got) != len(rows) {
		t.Fatalf("%d of %d rows tried, %+v", len(got), len(rows), result)
	}
	return got
}

// byNumber makes what processes of one user share by number: memory, a queue
// with a message in it, semaphores.
func byNumber(t *testing.T, world map[string]any) {
	t.Helper()
	shm, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.SysvShmCtl(shm, unix.IPC_RMID, nil) })
	queue, _, errno := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() { unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, 0) })
	semaphores, _, errno := unix.Syscall(unix.SYS_SEMGET, unix.IPC_PRIVATE, 1, unix.IPC_CREAT|0o600)
	if errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() { unix.Syscall6(unix.SYS_SEMCTL, semaphores, 0, unix.IPC_RMID, 0, 0, 0) })
	world["shmid"], world["msqid"], world["semid"] = shm, int(queue), int(semaphores)
}
