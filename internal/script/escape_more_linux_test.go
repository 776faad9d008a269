package script

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/filetest"
)

// TestEscapesMore tries the further rows in every kind of sandbox that there
// is here, and that they would work without one.
func TestEscapesMore(t *testing.T) {
	tryEachKind(t, func(t *testing.T, kind, home string) {
		s := newMore(t, kind, home, false)
		judgeRows(t, s.runner, kind, s.rows, tryRows(t, s.runner, s.script, s.rows, s.world))
	})
}

func newMore(t *testing.T, kind, home string, lines bool) suite {
	world, _ := victims(t)
	byNumber(t, world)
	world["home"] = home
	r := sandboxedRunner(t, kind, func(r *Runner) {
		r.Dir, r.Lines = filepath.Join(filepath.Dir(home), "repository", "work"), lines
		populate(t, home, r.Dir)
		r.Env = append(r.Env, "HOME="+home)
		populateMore(t, r, home, world)
	})
	rows := append(moreAttempts(), moreOrdinary()...)
	return suite{runner: r, script: attemptScript(t, rows, map[string]string{".env": "KEY=1\n"}), rows: rows, world: world}
}

// populateMore puts more into the folders, and variables that name some of it
// into the environment.
func populateMore(t *testing.T, r *Runner, home string, world map[string]any) {
	t.Helper()
	base := filepath.Dir(home)
	if err := os.RemoveAll(filepath.Join(r.Dir, ".git")); err != nil { // the repository is the folder above
		t.Fatal(err)
	}
	named := filepath.Join(base, "named")
	world["named"], world["skills"] = named, filepath.Join(base, "skills")
	filetest.Write(t, base, map[string]string{
		"repository/.git/HEAD": "x", "repository/.env": "KEY=1\n", "repository/src/file": "x", "skills/b/SKILL.md": "x", "skills/b/.env.local": "KEY=1\n",
		"named/config/gh/hosts.yml": "secret\n", "named/config/app/settings": "x", "named/aws": "secret\n", "named/kube": "secret\n", "named/kube2": "secret\n",
		"named/gcloud/token": "secret\n", "named/google": "secret\n", "named/cargo/credentials.toml": "secret\n", "named/cargo/config.toml": "x",
	})
	filetest.Write(t, home, map[string]string{"dotfiles/aws": "secret\n", ".kaggle/kaggle.json": "secret\n", ".config/google-chrome-beta/Default/Cookies": "secret\n"})
	if err := os.Symlink("../dotfiles/aws", filepath.Join(home, ".aws", "linked")); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, r.Dir, map[string]string{
		"prod.env": "KEY=1\n", "example.env": "KEY=\n", "my-netrc": "secret\n", "beside/SKILL.md": "x", "sub/.git/HEAD": "x", "sub/.git/config": "", "sub/.git/config.worktree": "",
		"sub/.git/objects/x": "", "far/down/.git/config": "", "sub/.git/modules/m/config": "", "sub/.git/modules/m/HEAD": "",
	})
	r.Protect, r.AllowRead = []string{filepath.Join(base, "skills")}, []string{filepath.Join(named, "google")}
	r.Env = append(r.Env, "XDG_CONFIG_HOME="+named+"/config", "AWS_SHARED_CREDENTIALS_FILE="+named+"/aws", "KUBECONFIG="+named+"/kube:"+named+"/kube2",
		"CLOUDSDK_CONFIG="+named+"/gcloud", "CARGO_HOME="+named+"/cargo", "NETRC=my-netrc", "GOOGLE_APPLICATION_CREDENTIALS="+named+"/google", "GNUPGHOME="+base)
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
