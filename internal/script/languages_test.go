package script

import (
	"strings"
	"testing"

	"skills/internal/pymeta"
)

const metadata = "# /// script\n# dependencies = [\n#   \"requests\",\n# ]\n# ///\n"

func TestInlineBlock(t *testing.T) {
	tests := []struct {
		name, head string
		want       bool
	}{
		{"block", metadata + "import requests\n", true},
		{"after a shebang and a comment", "#!/usr/bin/env python3\n# hello\n\n" + metadata, true},
		{"CR LF", strings.ReplaceAll(metadata, "\n", "\r\n"), true},
		{"empty comment line inside", "# /// script\n#\n# ///\n", true},
		{"none", "import requests\n", false},
		{"not closed", "# /// script\n# dependencies = []\nimport x\n# ///\n", false},
		{"no content", "# /// script\n# ///\n", false},
		{"another type", "# /// pyproject\n# a = 1\n# ///\n", false},
		{"no blank", "#/// script\n# a = 1\n# ///\n", false},
		{"indented", "  # /// script\n  # a = 1\n  # ///\n", false},
		{"the second one is whole", "# /// script\n# a\nx\n" + metadata, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, got := pymeta.Read([]byte(test.head)); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestRunnable(t *testing.T) {
	tests := []struct {
		name, head string
		want       bool
	}{
		{"scripts/convert.py", "", true},
		{"run.SH", "", true},
		{"a.mjs", "", true},
		{"a.csx", "", true},
		{"scripts/tool", "#!/bin/sh\n", true},
		{"notes.md", "# Notes\n", false},
		{"notes.md", "#!/usr/bin/env cat\n", true},
		{"scripts/tool", "\x7fELF", false},
		{"scripts/py", "", false},
	}
	for _, test := range tests {
		if got := Runnable(test.name, []byte(test.head)); got != test.want {
			t.Errorf("Runnable(%q, %q) = %t, want %t", test.name, test.head, got, test.want)
		}
	}
}
