package fix

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Diff writes the changes as a unified diff that patch -p1 and git apply take:
// a/ and b/ before the paths, three lines of context, git's headers for names
// and modes. The texts stand in it as they are, escape sequences included: for
// a terminal they have to be made harmless.
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
	fmt.Fprintf(w, "--- %s\n+++ %s\n", tabbed(a), tabbed(b))
	for _, h := range hunks(lines(f.Before), lines(f.After)) {
		h.write(w)
	}
}

// diffPath is a file's path as a diff names it: relative, with slashes.
func diffPath(dir, name string) string {
	p := filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))
	return strings.TrimLeft(strings.TrimPrefix(p, filepath.ToSlash(filepath.VolumeName(dir))), "/")
}

// tabbed ends a name with spaces in it by a tab, so that it is not taken for
// a name and a date.
func tabbed(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// quotePath writes a path as git does: in C quotes where it holds what could
// not stand on a line, or is not ASCII.
func quotePath(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7F || r == '"' || r == '\\' }) < 0 {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7F:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// lines splits a text behind every line feed. What stands behind the last one
// is a line too.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(text), "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// hunk is a stretch of changes with its context.
type hunk struct {
	from, to [2]int // line (from 0) and number of lines, before and after
	body     []string
}

func (h hunk) write(w io.Writer) {
	fmt.Fprintf(w, "@@ -%s +%s @@\n", place(h.from), place(h.to))
	for _, line := range h.body {
		io.WriteString(w, line)
		if !strings.HasSuffix(line, "\n") {
			io.WriteString(w, "\n\\ No newline at end of file\n")
		}
	}
}

// place writes a range as diff does: a number of 1 is left out, and an empty
// range names the line before it.
func place(r [2]int) string {
	switch r[1] {
	case 0:
		return strconv.Itoa(r[0]) + ",0"
	case 1:
		return strconv.Itoa(r[0] + 1)
	}
	return strconv.Itoa(r[0]+1) + "," + strconv.Itoa(r[1])
}
