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
)

const contextLines = 3 // around a change

// Diff writes the changes as a unified diff that patch -p1 and git apply take:
// a/ and b/ before the paths, three lines of context, git's headers for names
// and modes. The texts are written as they are, escape sequences included: the
// caller sanitises them for a terminal.
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
	text := string(f.Before)
	// The edits are those of the text itself, so there is nothing to fail.
	diff, _ := udiff.ToUnified(tabbed(a), tabbed(b), text, udiff.Lines(text, string(f.After)), contextLines)
	io.WriteString(w, diff)
}

// diffPath is a file's path as a diff names it: relative, with slashes.
func diffPath(dir, name string) string {
	p := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))
	return strings.TrimLeft(strings.TrimPrefix(p, filepath.ToSlash(filepath.VolumeName(dir))), "/")
}

// tabbed ends a name with spaces by a tab: a date could follow the name.
func tabbed(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// quotePath writes a path with odd characters in quotes, as git does.
func quotePath(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '"' || r == '\\' }) {
		return strconv.Quote(s)
	}
	return s
}
