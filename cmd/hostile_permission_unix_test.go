//go:build unix

package cmd

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// stranger runs the program as a user to whom permissions mean something: as
// root they would not.
type stranger struct {
	program string
	user    *syscall.SysProcAttr
}

func newStranger(t *testing.T) stranger {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	if os.Geteuid() != 0 {
		return stranger{program: self}
	}
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // another user has to get there
	copied := filepath.Join(dir, "skills")
	from, err := os.Open(self)
	must(t, err)
	defer from.Close()
	to, err := os.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	must(t, err)
	_, err = io.Copy(to, from)
	must(t, err)
	must(t, to.Close())
	return stranger{copied, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}}
}

func (s stranger) skillsIn(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return runIn(t, dir, func(ctx context.Context) *exec.Cmd {
		c := exec.CommandContext(ctx, s.program, args...)
		c.Args[0], c.SysProcAttr = "skills", s.user
		return c
	})
}

// closed takes permissions away until the test's end.
func closed(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Chmod(path, mode))
	t.Cleanup(func() { os.Chmod(path, info.Mode().Perm()) })
}

// What may not be read is named, and the rest is checked.
func TestHostilePermissions(t *testing.T) {
	t.Parallel()
	s, root := newStranger(t), t.TempDir()
	for _, name := range []string{"file", "folder", "unlisted", "unentered", "inner", "script", "picture", "tree/open", "tree/closed", "tree/group/a"} {
		hostileSkill(t, filepath.Join(root, filepath.FromSlash(name)))
	}
	makeFile(t, filepath.Join(root, "picture", "assets", "p.png"), "\x89PNG")
	makeFile(t, filepath.Join(root, ".git", "HEAD"), "")
	makeFile(t, filepath.Join(root, ".gitignore"), "secret\n")
	for name, mode := range map[string]os.FileMode{
		"file/SKILL.md": 0, "folder": 0, "unlisted": 0o111, "unentered": 0o444, "inner/references": 0, "script/scripts/x.py": 0,
		"picture/assets/p.png": 0, "tree/closed": 0, "tree/group": 0o111, ".gitignore": 0,
	} {
		closed(t, filepath.Join(root, filepath.FromSlash(name)), mode)
	}
	for _, tt := range []struct {
		path string
		code int
		says string
		hint string
	}{
		{"file", exitProblems, "file/SKILL.md: error: cannot read SKILL.md: permission denied [skill-file]", "  help: check the permissions"},
		{"unentered", exitProblems, "unentered/SKILL.md: error: cannot read SKILL.md: permission denied [skill-file]", "  help: check the permissions"},
		{"folder", exitUsage, "error: folder: cannot be read: permission denied", "hint: check the permissions"},
		{"folder/SKILL.md", exitUsage, "error: folder/SKILL.md: cannot be read: permission denied", "hint: check the permissions"},
		{"unlisted", exitUsage, "error: unlisted: cannot be read: permission denied", "hint: check the permissions"},
		{"unlisted/SKILL.md", exitUsage, "error: unlisted/SKILL.md: cannot search for its skill: unlisted: cannot be read: permission denied", "hint: check the permissions"},
		{"unlisted/scripts/x.py", exitUsage, "error: unlisted/scripts/x.py: cannot search for its skill: unlisted: cannot be read: permission denied", "hint: check the permissions"},
		{"tree", exitProblems, "warning: tree/closed: cannot read folder: permission denied", "  hint: skills in it are not seen"},
		{"tree", exitProblems, "warning: tree/group: cannot read folder: permission denied", "  hint: skills in it are not seen"},
		{"inner", exitFine, `inner/references: warning: the folder "references" cannot be read: permission denied [unread-file]`, "  help: check its permissions"},
		{"script", exitFine, `script/scripts/x.py: warning: cannot read "scripts/x.py": permission denied [unread-file]`, "  help: check its permissions"},
		{"picture", exitFine, `picture/assets/p.png: warning: cannot read "assets/p.png": permission denied [unread-file]`, "  help: check its permissions"},
		{".", exitProblems, "warning: .gitignore: cannot be used: permission denied", "6 skills: 2 errors, 3 warnings in 5 skills"},
	} {
		s.skillsIn(t, root, "validate", tt.path).wants(t, tt.code, tt.says, tt.hint)
	}
	for _, command := range []string{"list", "to-prompt", "read-properties"} {
		s.skillsIn(t, root, command, "folder").wants(t, exitUsage, "error: folder: cannot be read: permission denied", "hint: check the permissions")
	}
	for _, command := range []string{"to-prompt", "read-properties"} {
		s.skillsIn(t, root, command, "file").wants(t, exitProblems, "error: file/SKILL.md: cannot read SKILL.md: permission denied", "hint: check the permissions")
	}
	must(t, os.Rename(filepath.Join(root, "folder"), filepath.Join(root, "skills")))
	s.skillsIn(t, root, "list").wants(t, exitUsage, "error: skills: cannot be read: permission denied", "hint: check the permissions")
	must(t, os.Rename(filepath.Join(root, "skills"), filepath.Join(root, "folder")))

	closed(t, filepath.Join(root, "tree", "open", "scripts", "x.py"), 0)
	for _, flag := range []string{"--config", "--baseline"} {
		s.skillsIn(t, root, "validate", flag, "tree/open/scripts/x.py", "tree").wants(t, exitUsage, "x.py: cannot be read: permission denied", "hint: check the permissions")
	}
	for _, flag := range []string{"--format=json=tree/group/x", "--write-baseline=tree/group/x"} {
		s.skillsIn(t, root, "validate", flag, "tree").wants(t, exitUsage, "error: writing tree/group/x: permission denied", "hint: check the folder")
	}
}
