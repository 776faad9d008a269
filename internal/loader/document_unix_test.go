//go:build unix

package loader

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreNeverOpened checks that no command waits for the writer of a pipe.
func TestPipesAreNeverOpened(t *testing.T) {
	root := tree{"p/references/": "", "p/scripts/": "", "p/a.md": "", "s/": "", "ok/SKILL.md": skillText("ok")}.in(t)
	for _, name := range []string{"p/SKILL.md", "p/references/pipe.md", "p/scripts/tool", "p/.gitignore"} {
		ok(t, syscall.Mkfifo(filepath.Join(root, name), 0o644))
	}
	tree{".git/HEAD": "", "d/SKILL.md": "-> /dev/zero"}.write(t, root)
	socket, err := net.Listen("unix", filepath.Join(root, "s", "SKILL.md"))
	ok(t, err)
	defer socket.Close()

	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	var got []string
	for _, f := range found {
		for _, fault := range OpenDocument(f).Faults {
			got = append(got, filepath.Base(f.Dir)+": "+fault.Message)
		}
	}
	same(t, "faults", got, []string{"d: SKILL.md is a link that leaves the skill's folder (to /dev/zero)", "p: SKILL.md is a pipe, not a file", "s: SKILL.md is a socket, not a file"})

	list, err := List(t.Context(), filepath.Join(root, "p"), Extensions{}, nil)
	ok(t, err)
	same(t, "resources", list.Resources, []string{"a.md"})
	same(t, "scripts", list.Scripts, nil)
	if _, _, err := ReadFile(t.Context(), filepath.Join(root, "p"), "references/pipe.md", 0, 0); err == nil {
		t.Error("reading a pipe: got no error")
	}
	var n notes
	skills, err := Files([]string{root}, FilesOptions{Notify: n.add}).Skills(t.Context())
	ok(t, err)
	if len(skills) != 1 || skills[0].Name != "ok" || len(n.all) != 4 {
		t.Errorf("got %d skills and %s want the good one and four notices", len(skills), n.text())
	}
}
