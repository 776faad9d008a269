package fix

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"

	"skills/internal/spec"
)

const contextLines = 3 // lines before and after a change

// Diff writes the changes as a unified diff for patch -p1 and git apply: a/ and
// b/ before the paths, three lines of context, git's headers for names and
// modes. The texts may contain escape sequences, which the caller must sanitise
// for a terminal.
func Diff(w io.Writer, changes ...Changes) error {
	out := bufio.NewWriter(w)
	for _, c := range changes {
		for _, f := range c.Files {
			diffFile(out, c.Dir, f)
		}
	}
	return out.Flush()
}

func diffFile(w io.Writer, dir string, f File) {
	before, after := diffPath(dir, f.Name), diffPath(dir, f.Name)
	if f.NewName != "" {
		after = diffPath(dir, f.NewName)
	}
	a, b := quotePath("a/"+before), quotePath("b/"+after)
	fmt.Fprintf(w, "diff --git %s %s\n", a, b)
	if f.Executable {
		fmt.Fprint(w, "old mode 100644\nnew mode 100755\n")
	}
	if f.NewName != "" {
		fmt.Fprintf(w, "rename from %s\nrename to %s\n", quotePath(before), quotePath(after))
	}
	if bytes.Equal(f.Before, f.After) {
		return
	}
	if f.Removed {
		fmt.Fprint(w, "deleted file mode 100644\n")
		b = "/dev/null"
	}
	text := string(f.Before)
	// The edits belong to the text, so this cannot fail.
	diff, _ := udiff.ToUnified(tabbed(a), tabbed(b), text, udiff.Lines(text, string(f.After)), contextLines)
	io.WriteString(w, diff)
}

// diffPath returns a file's path as used in a diff: relative, with slashes.
func diffPath(dir, name string) string {
	p := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))
	return strings.TrimLeft(strings.TrimPrefix(p, filepath.ToSlash(filepath.VolumeName(dir))), "/")
}

// tabbed appends a tab to a name with spaces, because a date could follow the
// name.
func tabbed(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// quotePath quotes a path with special characters, as git does.
func quotePath(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '"' || r == '\\' }) {
		return strconv.Quote(s)
	}
	return s
}

// Edits returns the change of the text, by lines.
func (f File) Edits() (out []spec.Edit) {
	for _, e := range udiff.Lines(string(f.Before), string(f.After)) {
		out = append(out, spec.Edit{File: f.Name, Start: e.Start, End: e.End, Text: e.New})
	}
	return out
}
