package loader

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
)

func TestHasScripts(t *testing.T) {
	for name, tt := range map[string]struct {
		tree  tree
		kinds Kinds
		want  bool
		sure  bool // without listing the folder
	}{
		"in scripts":          {tree{"scripts/a.py": ""}, Kinds{}, true, true},
		"at the top":          {tree{"run.sh": ""}, Kinds{}, true, true},
		"deep":                {tree{"a/b/c/d.js": ""}, Kinds{}, true, true},
		"none":                {tree{"references/a.md": "", "assets/x.png": ""}, Kinds{}, false, true},
		"too deep":            {tree{"1/2/3/4/5/6/7/8/9/d.js": ""}, Kinds{}, false, true},
		"hidden":              {tree{".a.py": "", ".git/b.py": "", "node_modules/c.js": "", "__pycache__/d.py": ""}, Kinds{}, false, true},
		"shebang":             {tree{"scripts/run": "#!/bin/sh\n"}, Kinds{}, true, false},
		"no shebang":          {tree{"scripts/data": "x"}, Kinds{}, false, false},
		"a link":              {tree{"real.txt": "", "a.py": "-> real.txt"}, Kinds{}, true, false},
		"a link out":          {tree{"a.py": "-> ../../x.py"}, Kinds{}, false, false},
		"a folder":            {tree{"scripts/a.py/": ""}, Kinds{}, false, true},
		"other kinds":         {tree{"a.py": ""}, Kinds{ScriptExtensions: []string{".lua"}}, false, true},
		"no kinds":            {tree{"scripts/a.py": "#!/bin/sh\n"}, Kinds{ScriptExtensions: []string{}}, false, true},
		"not accepted":        {tree{"no.py": ""}, Kinds{}, false, true},
		"not accepted, other": {tree{"no.py": "", "z.py": ""}, Kinds{}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			tt.tree["SKILL.md"] = skillText("s")
			top := tree{}
			for file, text := range tt.tree {
				top["s/"+file] = text
			}
			root := top.in(t)
			accept := func(_, name string) bool { return name != "no.py" }
			_, skills := loadNames(t, []string{root}, FilesOptions{Kinds: tt.kinds, Accept: accept})
			got, err := skills[0].HasScripts(t.Context())
			if err != nil || got != tt.want {
				t.Errorf("got %t, %v, want %t", got, err, tt.want)
			}
			if _, sure := lookForScript(skills[0].Dir, nil, tt.kinds.orDefault(), func(name string) bool { return accept("", name) }); sure != tt.sure {
				t.Errorf("a look was enough: %t, want %t", sure, tt.sure)
			}
			c, err := skills[0].Contents(t.Context())
			ok(t, err)
			if again, err := skills[0].HasScripts(t.Context()); err != nil || again != (len(c.Scripts) > 0) || again != got {
				t.Errorf("once loaded: got %t, %v, before %t", again, err, got)
			}
		})
	}
}

// TestHasScriptsOnce holds that a folder is looked through once, that a failure
// is not kept, and that the listing which found the skill is not read again.
func TestHasScriptsOnce(t *testing.T) {
	asked, fails := 0, errors.New("no disk")
	s := &Skill{Name: "s", Scripted: func(context.Context) (bool, error) {
		asked++
		return asked == 2, fails
	}}
	if _, err := s.HasScripts(t.Context()); err == nil {
		t.Error("want the error")
	}
	fails = nil
	for range 3 {
		if has, err := s.HasScripts(t.Context()); !has || err != nil {
			t.Errorf("got %t, %v", has, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}

	dir := tree{"SKILL.md": skillText("s"), "run.py": ""}.in(t)
	top, err := readDir(dir)
	ok(t, err)
	all := func(string) bool { return true }
	ok(t, os.RemoveAll(dir))
	if has, sure := lookForScript(dir, top, Kinds{}.orDefault(), all); !has || !sure {
		t.Errorf("by the listing: got %t, %t", has, sure)
	}
	if _, sure := lookForScript(dir, nil, Kinds{}.orDefault(), all); sure {
		t.Error("a folder that is gone was looked through")
	}
}

func TestAny(t *testing.T) {
	for _, tt := range []struct {
		n, at int
		want  bool
	}{{0, 0, false}, {1, 0, true}, {100, 99, true}, {100, 100, false}} {
		if got, err := Any(t.Context(), tt.n, func(i int) bool { return i == tt.at }); got != tt.want || err != nil {
			t.Errorf("%v: got %t, %v", tt, got, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Any(ended, 5, func(int) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What a search found is read as any other, also where it is empty or no file.
func TestOpenFound(t *testing.T) {
	root := tree{"a/SKILL.md": "", "b/SKILL.md": skillText("b"), "c/SKILL.md/": "", "d/SKILL.md": "-> ../b/SKILL.md", "e/skill.md": skillText("e")}.in(t)
	found, err := Search{}.Find(t.Context(), root)
	ok(t, err)
	for _, f := range found {
		got := OpenDocument(f)
		f.entries = nil
		want := OpenDocument(f)
		if !bytes.Equal(got.Source, want.Source) || (got.Source == nil) != (want.Source == nil) || !reflect.DeepEqual(got.Faults, want.Faults) {
			t.Errorf("%s: got %q, %v, want %q, %v", f.Dir, got.Source, got.Faults, want.Source, want.Faults)
		}
	}
	if len(found) != 5 {
		t.Errorf("got %d skills", len(found))
	}
}
