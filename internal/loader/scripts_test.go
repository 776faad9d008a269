package loader

import (
	"context"
	"errors"
	"testing"
)

func TestScripted(t *testing.T) {
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
			got, err := skills[0].Scripted(t.Context())
			if err != nil || got != tt.want {
				t.Errorf("got %t, %v, want %t", got, err, tt.want)
			}
			c, err := skills[0].Contents(t.Context())
			ok(t, err)
			if got != (len(c.Scripts) > 0) {
				t.Errorf("got %t, and %d scripts", got, len(c.Scripts))
			}
		})
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
