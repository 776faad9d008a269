//go:build unix

package cmd

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
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

// Whatever a folder and its files are called, every format stays what it is
// and nothing in a name acts on who reads it.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	for about, name := range hostileNames {
		t.Run(about, func(t *testing.T) {
			root := t.TempDir()
			if !hostileFolder(t, root, name) {
				return
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
