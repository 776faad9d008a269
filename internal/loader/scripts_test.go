package loader

import (
	"context"
	"errors"
	"testing"
)

func TestHasScripts(t *testing.T) {
	for name, tt := range map[string]struct {
		tree tree
		want bool
	}{
		"in scripts": {tree{"scripts/a.py": ""}, true},
		"at the top": {tree{"run.sh": ""}, true},
		"deep":       {tree{"a/b/c/d.js": ""}, true},
		"none":       {tree{"references/a.md": "", "assets/x.png": ""}, false},
		"too deep":   {tree{"1/2/3/4/5/6/7/8/9/d.js": ""}, false},
		"hidden":     {tree{".a.py": "", ".git/b.py": "", "node_modules/c.js": "", "__pycache__/d.py": ""}, false},
		"shebang":    {tree{"scripts/run": "#!/bin/sh\n"}, true},
		"no shebang": {tree{"scripts/data": "x"}, false},
		"a link":     {tree{"real.txt": "", "a.py": "-> real.txt"}, true},
		"a link out": {tree{"a.py": "-> ../../x.py"}, false},
		"a folder":   {tree{"scripts/a.py/": ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt.tree["SKILL.md"] = skillText("s")
			top := tree{}
			for file, text := range tt.tree {
				top["s/"+file] = text
			}
			root := top.in(t)
			_, skills := loadNames(t, []string{root}, FilesOptions{})
			got, err := skills[0].HasScripts(t.Context())
			if err != nil || got != tt.want {
				t.Errorf("got %t, %v, want %t", got, err, tt.want)
			}
			c, err := skills[0].Contents(t.Context())
			ok(t, err)
			if again, err := skills[0].HasScripts(t.Context()); err != nil || again != (len(c.Scripts) > 0) || again != got {
				t.Errorf("once loaded: got %t, %v, before %t", again, err, got)
			}
		})
	}
}

// TestHasScriptsOnce holds that a folder is searched once and that a failure is
// not kept.
func TestHasScriptsOnce(t *testing.T) {
	calls, fails := 0, errors.New("no disk")
	s := &Skill{Name: "s", Scripted: func(context.Context) (bool, error) {
		calls++
		return calls == 2, fails
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
	if calls != 2 {
		t.Errorf("calls %d times, want 2", calls)
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
