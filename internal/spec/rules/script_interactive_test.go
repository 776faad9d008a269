package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestPrompts(t *testing.T) {
	for _, tt := range []struct{ name, file, src, want string }{
		{"script", "x.py", "a = 1\nname = input(\"Name? \")\n", "2:8 input"},
		{"by shebang", "tool", "#!/usr/bin/env -S uv run --script\ninput('x')\n", "2:1 input"},
		{"without extension", "deploy", "#!/usr/bin/env bash\nread -p 'x' a\n", "2:1 read"},
		{"no script", "x.md", "input('x')\n", ""},
		{"test", "test_x.py", "input('x')\n", ""},
		{"other file", "notes", "read -p x\ninput('x')\n", ""},
	} {
		t.Run(tt.file+"/"+tt.name, func(t *testing.T) {
			d := bodyWith("", map[string]string{"scripts/" + tt.file: tt.src})
			got := ""
			for _, x := range Check(d, spec.Options{}) {
				if x.Rule == "script-interactive" {
					got = strings.TrimPrefix(x.Place(), "my-skill/scripts/"+tt.file+":") + " " + strings.Split(x.Message, `"`)[1]
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPromptsAreCounted(t *testing.T) {
	d := bodyWith("", map[string]string{"scripts/x.py": "input('a')\ninput('b')\ninput('c')\n"})
	want := `scripts/x.py:1:1: "input" waits for user input (and 2 more lines in this file)`
	if got := findings(d, "script-interactive"); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
