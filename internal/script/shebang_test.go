package script

import (
	"slices"
	"strings"
	"testing"
)

func TestShebang(t *testing.T) {
	tests := []struct {
		name, head string
		want       []string
	}{
		{"none", "print(1)\n", nil},
		{"empty file", "", nil},
		{"nothing after it", "#!\n", nil},
		{"blanks after it", "#!  \t\nx", nil},
		{"a comment", "# !/bin/sh\n", nil},
		{"not on the first line", "\n#!/bin/sh\n", nil},
		{"path", "#!/bin/bash\necho\n", []string{"/bin/bash"}},
		{"no newline", "#!/bin/sh", []string{"/bin/sh"}},
		{"blank before the path", "#! /bin/sh\n", []string{"/bin/sh"}},
		{"option", "#!/bin/sh -e\n", []string{"/bin/sh", "-e"}},
		{"two options", "#!/bin/bash -e  -u\n", []string{"/bin/bash", "-e", "-u"}},
		{"CR LF", "#!/bin/sh -e\r\necho\r\n", []string{"/bin/sh", "-e"}},
		{"byte order mark", "\ufeff#!/bin/sh\n", []string{"/bin/sh"}},
		{"env", "#!/usr/bin/env python3\n", []string{"python3"}},
		{"env, CR LF", "#!/usr/bin/env python3\r\n", []string{"python3"}},
		{"env with an option of the program", "#!/usr/bin/env python3 -u\n", []string{"python3", "-u"}},
		{"env -S", "#!/usr/bin/env -S deno run --allow-read\n", []string{"deno", "run", "--allow-read"}},
		{"env -S, joined", "#!/usr/bin/env -Sdeno run\n", []string{"deno", "run"}},
		{"env --split-string", "#!/usr/bin/env --split-string=uv run\n", []string{"/usr/bin/env", "--split-string=uv", "run"}},
		{"env with a variable", "#!/usr/bin/env -S A=1 python3\n", []string{"/usr/bin/env", "A=1", "python3"}},
		{"env with an option", "#!/usr/bin/env -i python3\n", []string{"/usr/bin/env", "-i", "python3"}},
		{"env alone", "#!/usr/bin/env\n", nil},
		{"env -S alone", "#!/usr/bin/env -S\n", nil},
		{"NUL", "#!/bin/\x00sh\n", nil},
		{"endless", "#!" + strings.Repeat("x", 5000), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := shebang([]byte(test.head)); !slices.Equal(got, test.want) {
				t.Errorf("shebang(%.60q) = %q, want %q", test.head, got, test.want)
			}
		})
	}
}

func FuzzShebang(f *testing.F) {
	f.Add("#!/usr/bin/env -S deno run -x\r\n")
	f.Add("\ufeff#!/bin/sh -e")
	f.Fuzz(func(t *testing.T, head string) {
		words := shebang([]byte(head))
		if len(words) > 0 && words[0] == "" {
			t.Fatalf("shebang(%q) = %q, want an interpreter", head, words)
		}
		for _, word := range words {
			if strings.ContainsAny(word, "\n\x00") {
				t.Fatalf("shebang(%q) = %q, a word goes beyond the line", head, words)
			}
		}
	})
}
