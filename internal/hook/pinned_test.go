package hook

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

type started struct{ commands [][]string }

func (s *started) Ask(_ context.Context, command []string, _ []byte, _ ...string) (script.Result, error) {
	s.commands = append(s.commands, command)
	return script.Result{}, nil
}

func (s *started) FindTrusted(name string) (string, bool) { return "/usr/bin/" + name, name != "none" }

func (s *started) Folders() []string { return []string{"/usr/bin"} }

// TestPinnedRunner checks that a hook's own code must not change during a run; its data
// may.
func TestPinnedRunner(t *testing.T) {
	for line, test := range map[string]struct{ files, change []string }{ // protected, and compared before a start
		"./check --level 2":       {[]string{"check"}, []string{"check"}},
		"sh plain":                {[]string{"plain"}, []string{"plain"}},
		"python3.12 -u plain":     {[]string{"plain"}, []string{"plain"}},
		"sh -e lib.sh notes":      {[]string{"lib.sh", "notes"}, []string{"lib.sh"}},
		"node --require=lib.js x": {[]string{"lib.js"}, []string{"lib.js"}},
		"sh -c 'cat | ./lib.sh'":  {[]string{"lib.sh"}, []string{"lib.sh"}},
		"sh later.sh":             {nil, []string{"later.sh"}},
		"./later":                 {nil, []string{"later"}},
		"wc -l notes":             {[]string{"notes"}, nil},
		"tee -a notes":            {[]string{"notes"}, nil},
		"echo notes":              {nil, nil},
		"sh lib.sh notes":         {[]string{"lib.sh", "notes"}, []string{"lib.sh"}},
		"none":                    {nil, nil},
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			filetest.Programs(t, dir, map[string]string{name: text})
		}
		all := []string{"check", "plain", "lib.sh", "lib.js", "notes"}
		for _, name := range all {
			write(name, "text\n")
		}
		c, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		runner := &started{}
		o := NewPinnedRunner(runner, dir, []string{dir}, c)
		var want []string
		for _, name := range test.files {
			want = append(want, filepath.Join(dir, name))
		}
		if got := o.Protect(); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", line, got, want)
		}
		for _, name := range append(all, "later", "later.sh") {
			before, had := os.ReadFile(filepath.Join(dir, name))
			write(name, "else\n")
			if _, err := o.Ask(t.Context(), c.Words, nil); (err != nil) != slices.Contains(test.change, name) {
				t.Errorf("%s: %s has changed: %v", line, name, err)
			}
			if had != nil {
				os.Remove(filepath.Join(dir, name))
			} else {
				write(name, string(before))
			}
		}
		if _, err := o.Ask(t.Context(), c.Words, nil); err != nil {
			t.Errorf("%s: all is as it was: %v", line, err)
		}
		// Where scripts cannot write, nothing is looked at.
		if got := NewPinnedRunner(runner, dir, []string{t.TempDir()}, c).Protect(); got != nil {
			t.Errorf("%s: elsewhere: found %q", line, got)
		}
	}
}

// TestPinnedFolders checks that the folder of a hook's code is protected as a whole, and
// which commands may run other code too.
func TestPinnedFolders(t *testing.T) {
	dir, outside := sandbox.Real(t.TempDir()), t.TempDir()
	for _, name := range []string{dir + "/top.sh", dir + "/tools/hook.py", dir + "/tools/hook.mk", dir + "/notes", outside + "/hook.py"} {
		os.Mkdir(filepath.Dir(name), 0o700)
		if err := os.WriteFile(name, []byte("text\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tools/hook.py", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(dir, "bin"), 0o700) // as in a virtual environment
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "bin/python")); err != nil {
		t.Fatal(err)
	}
	tools := []string{filepath.Join(dir, "tools")}
	for line, test := range map[string]struct {
		protect []string
		exposed bool
	}{
		"python3 tools/hook.py":                {tools, true},
		"./tools/hook.py":                      {tools, true}, // not a script
		"python3 link.py":                      {[]string{filepath.Join(dir, "link.py"), tools[0]}, true},
		"sh top.sh":                            {[]string{filepath.Join(dir, "top.sh")}, true},
		"python3 -m tools.hook":                {nil, true},
		"python3 -m tools.hook ./top.sh":       {[]string{filepath.Join(dir, "top.sh")}, true},
		"python3 -m x " + outside + "/hook.py": {nil, true},
		"make -s guard":                        {nil, true},
		"make -f tools/hook.mk":                {[]string{filepath.Join(dir, "tools/hook.mk")}, true},
		"wc -l notes":                          {[]string{filepath.Join(dir, "notes")}, true},
		"true":                                 {nil, false},
		"sh -c 'echo {}'":                      {nil, true},
		"python3 -u tools/hook.py -c x":        {tools, true},
		"python3 -c 'import x'":                {nil, true},
		"bin/python tools/hook.py":             {[]string{dir + "/bin", tools[0]}, true},
		"python3 " + outside + "/hook.py":      {nil, false},
		outside + "/hook.py":                   {nil, false},
	} {
		c, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		o := NewPinnedRunner(&started{}, dir, []string{dir}, c)
		if got := o.Protect(); !slices.Equal(got, test.protect) {
			t.Errorf("%s: protected %q, want %q", line, got, test.protect)
		}
		if got := len(o.Exposed()) > 0; got != test.exposed {
			t.Errorf("%s: exposed %t", line, got)
		}
	}
}
