//go:build unix

package hostile

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"skills/internal/testing/filetest"
)

// hostileNames are names that folders and files can have.
var hostileNames = map[string]string{
	"line feed": "a\n::error::b", "carriage return": "a\rb", "escape": "a\x1b[31mb\x1b]0;c\a", "delete": "a\x7fb", "backspace": "a\bb",
	"C1 control": "a\u009b31mb", "override": "a\u202eb\u2066c", "line separator": "a\u2028b", "tags": "a\U000E0041\U000E007Fb",
	"markup": `a"<b>&'c|d` + "`e`", "command": "a%0A::error file=b,line=1::c", "position": "a:1:2: error: b [skill-file]",
	"not UTF-8": "caf\xe9\x9b31m", "surrogate": "a\xed\xa0\x80b",
}

// harmful are the characters that must not reach a terminal or a log as they
// are; line feeds and tabs are layout.
var harmful = regexp.MustCompile(`[\x00-\x08\x0B-\x1F\x7F-\x{9F}\x{2028}-\x{202E}\x{2066}-\x{2069}\x{E0000}-\x{E007F}]`)

// TestHostileNames uses control characters and markup in names of folders and files.
// Every output format stays valid, and no name reaches a terminal unescaped.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for about, name := range hostileNames {
		t.Run(about, func(t *testing.T) {
			root := t.TempDir()
			if !hostileFolder(t, root, name) {
				t.Skip("the disk refuses the name")
			}
			var report struct {
				Skills []struct{ Diagnostics []any }
			}
			out := harmless(t, skillsIn(t, root, "validate", "--format", "json"), exitProblems)
			must(t, json.Unmarshal([]byte(out), &report))
			if len(report.Skills) != 1 || len(report.Skills[0].Diagnostics) < 5 {
				t.Fatalf("got %s, want one skill with its findings", out)
			}
			found := len(report.Skills[0].Diagnostics)

			out = harmless(t, skillsIn(t, root, "validate", "-v"), exitProblems)
			if n := len(regexp.MustCompile(`(?m)^name/.* \[[a-z-]+\]$`).FindAllString(out, -1)); n != found {
				t.Errorf("%d lines of findings, want %d:\n%s", n, found, out)
			}
			out = harmless(t, skillsIn(t, root, "validate", "--format", "github", "-v"), exitProblems)
			if n := len(regexp.MustCompile(`(?m)^::(error|warning|notice) file=name/[^,:]*,`).FindAllString(out, -1)); n != found || strings.Count(out, "\n") != found {
				t.Errorf("%d annotations in %d lines, want %d:\n%s", n, strings.Count(out, "\n"), found, out)
			}
			out = harmless(t, skillsIn(t, root, "validate", "--format", "sarif"), exitProblems)
			if !json.Valid([]byte(out)) {
				t.Errorf("no JSON:\n%s", out)
			}
			out = harmless(t, skillsIn(t, root, "validate", "--format", "junit"), exitProblems)
			for d := xml.NewDecoder(strings.NewReader(out)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("no XML: %v\n%s", err, out)
				}
			}
			harmless(t, skillsIn(t, root, "validate", "--format", "markdown"), exitProblems)

			harmless(t, skillsIn(t, root, "list", "."), exitFine)
			if out := harmless(t, skillsIn(t, root, "list", "--format", "json", "."), exitFine); !json.Valid([]byte(out)) {
				t.Errorf("no JSON:\n%s", out)
			}
			for _, format := range []string{"json", "xml", "markdown"} {
				harmless(t, skillsIn(t, root, "to-prompt", "--format", format, "."), exitFine)
			}
			must(t, os.Remove(filepath.Join(root, "name", name, "SKILL.md")))
			path := filepath.Join("name", name)
			for _, command := range []string{"validate", "to-prompt", "read-properties"} {
				harmless(t, skillsIn(t, root, command, path), exitProblems)
				harmless(t, skillsIn(t, root, command, path+"/nothing"), exitUsage)
			}
		})
	}
}

// hostileFolder makes a skill whose folder and files have a name, each file
// with something to be found in it; false where the disk refuses the name.
func hostileFolder(t *testing.T, root, name string) bool {
	t.Helper()
	dir := filepath.Join(root, "name", name)
	if err := os.MkdirAll(dir, 0o755); err != nil && runtime.GOOS == "darwin" && !utf8.ValidString(name) {
		return false
	}
	makeFile(t, filepath.Join(dir, "SKILL.md"), "---\nname: other\ndescription: Turns pages into text. Use when a page has to be read.\nodd: 1\n---\n\nRead [it](nothing.md).\n")
	makeFile(t, filepath.Join(dir, "references", name+".md"), "a\u202eb\n")
	must(t, os.Symlink("/"+name, filepath.Join(dir, "link"+name)))
	fifo(t, filepath.Join(dir, "pipe"+name))
	return true
}

// harmless fails unless a run ended with code and printed UTF-8 without
// anything unsafe; it returns the standard output.
func harmless(t *testing.T, r ran, code int) string {
	t.Helper()
	r.wants(t, code)
	for _, s := range []string{r.out, r.errors} {
		if at := harmful.FindStringIndex(s); at != nil || !utf8.ValidString(s) {
			t.Errorf("%v in %q", at, s)
		}
	}
	return r.out
}

// unprivileged runs the program as a user without root's right to read everything.
type unprivileged struct {
	program string
	user    *syscall.SysProcAttr
}

func newUnprivileged(t *testing.T) unprivileged {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	if os.Geteuid() != 0 {
		return unprivileged{program: self}
	}
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755)) // another user has to get there
	filetest.Programs(t, dir, map[string]string{"skills": filetest.Read(t, self)})
	return unprivileged{filepath.Join(dir, "skills"), &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}}
}

func (s unprivileged) skillsIn(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return runIn(t, dir, func(ctx context.Context) *exec.Cmd {
		c := exec.CommandContext(ctx, s.program, args...)
		c.Args[0], c.SysProcAttr = "skills", s.user
		return c
	})
}

// denyAccess sets the permissions of a path until the end of the test.
func denyAccess(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Chmod(path, mode))
	t.Cleanup(func() { os.Chmod(path, info.Mode().Perm()) })
}

// TestHostilePermissions checks that unreadable files are reported and that everything
// else is still checked.
func TestHostilePermissions(t *testing.T) {
	t.Parallel()
	s, root := newUnprivileged(t), t.TempDir()
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
		denyAccess(t, filepath.Join(root, filepath.FromSlash(name)), mode)
	}
	for _, tt := range []struct {
		path    string
		code    int
		message string
		hint    string
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
		{".", exitProblems, "warning: folder: cannot read folder: permission denied", "  hint: skills in it are not seen"},
		{".", exitProblems, "warning: .gitignore: cannot be used: permission denied", "6 skills: 2 errors, 6 warnings"}, // three have the description of another
	} {
		s.skillsIn(t, root, "validate", tt.path).wants(t, tt.code, tt.message, tt.hint)
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

	denyAccess(t, filepath.Join(root, "tree", "open", "scripts", "x.py"), 0)
	for _, flag := range []string{"--config", "--baseline"} {
		s.skillsIn(t, root, "validate", flag, "tree/open/scripts/x.py", "tree").wants(t, exitUsage, "x.py: cannot be read: permission denied", "hint: check the permissions")
	}
	for _, flag := range []string{"--format=json=tree/group/x", "--write-baseline=tree/group/x"} {
		s.skillsIn(t, root, "validate", flag, "tree").wants(t, exitUsage, "error: writing tree/group/x: permission denied", "hint: check the folder")
	}
}
