package printable

import (
	"io"
	"regexp"
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"
)

// Columns is how many columns a text takes at most terminals: two for wide
// characters, such as Chinese ones, none for combining marks. [Width] is for
// text that must not take more at any.
func Columns(s string) (n int) {
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII:
			n++
		case IsWide(r):
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			n++
		}
	}
	return n
}

// IsWide reports characters that take two columns.
func IsWide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	kind := eastasian.LookupRune(r).Kind()
	return kind == eastasian.EastAsianWide || kind == eastasian.EastAsianFullwidth
}

// foldLines breaks long lines between words and indents what continues a line by two.
func foldLines(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > columns {
			rest := strings.TrimLeft(line, " ")
			indent := line[:len(line)-len(rest)]
			lines[i] = indent + Fold(rest, len(indent), columns, indent+"  ")
		}
	}
	return strings.Join(lines, "\n")
}

// styles are the escape sequences that take no columns.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TextWriter returns a writer for text that people read. With ascii it replaces
// the marks of this program, such as an ellipsis, for terminals that cannot show
// them; other characters stay. Whole lines are folded to the columns of the
// terminal, unless they are 0. Programs get the writer beneath; see [Exact].
func TextWriter(w io.Writer, ascii bool, columns func() int) io.Writer {
	return textWriter{w, ascii, columns}
}

// Exact returns the writer beneath a [TextWriter], or w.
func Exact(w io.Writer) io.Writer {
	if t, ok := w.(textWriter); ok {
		return t.w
	}
	return w
}

// Like returns a writer to another w that replaces marks as a [TextWriter] does.
func Like(text, w io.Writer) io.Writer {
	if t, ok := text.(textWriter); ok && t.ascii {
		return textWriter{w, true, func() int { return 0 }}
	}
	return w
}

type textWriter struct {
	w       io.Writer
	ascii   bool
	columns func() int
}

// Write writes whole characters.
func (t textWriter) Write(p []byte) (int, error) {
	text := string(p)
	if t.ascii {
		text = marks.Replace(text)
	}
	if strings.HasSuffix(text, "\n") && !strings.Contains(text, "\r") {
		if columns := t.columns(); columns > 0 {
			text = foldLines(text, columns-1)
		}
	}
	if _, err := io.WriteString(t.w, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Fd is the descriptor of the file beneath, none for another writer.
func (t textWriter) Fd() uintptr {
	if f, ok := t.w.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Name is the name of the file beneath, "" for another writer.
func (t textWriter) Name() string {
	if f, ok := t.w.(interface{ Name() string }); ok {
		return f.Name()
	}
	return ""
}

// marks are what this program prints, and usual typography, in ASCII.
var marks = strings.NewReplacer(markPairs()...)

func markPairs() []string {
	pairs := []string{
		"·", "|", "…", "...", "—", "-", "–", "-", "−", "-", "‑", "-", "─", "-", "│", "|", "└", "`", "├", "|", "≈", "~", "✓", "ok", "✗", "x", "×", "x",
		"→", "->", "←", "<-", "≤", "<=", "≥", ">=", "•", "*", "“", `"`, "”", `"`, "‘", "'", "’", "'", "\u00a0", " ", "␡", "^?", "\uFFFD", "?",
	}
	for r := range rune(0x20) { // pictures of control characters
		pairs = append(pairs, string('␀'+r), "^"+string('@'+r))
	}
	return pairs
}
