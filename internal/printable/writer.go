package printable

import (
	"io"
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"
)

// Columns returns the columns that a text takes on most terminals: two for wide
// characters, such as Chinese ones, none for combining marks and styles. [Width]
// is an upper bound for all terminals.
func Columns(s string) (n int) {
	for _, r := range unstyled(s) {
		switch {
		case r < unicode.MaxASCII:
			n++
		case isWide(r):
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			n++
		}
	}
	return n
}

// isWide reports whether r takes two columns.
func isWide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	kind := eastasian.LookupRune(r).Kind()
	return kind == eastasian.EastAsianWide || kind == eastasian.EastAsianFullwidth
}

// foldLines breaks long lines between words and indents continuation lines by
// two.
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

// TextWriter returns a writer for text for users. With ascii it replaces this
// program's marks, such as an ellipsis, for terminals that cannot show them;
// other characters stay. Lines are folded to the columns of the terminal,
// unless that is 0. Output for programs goes to the underlying writer, see
// [Exact].
func TextWriter(w io.Writer, ascii bool, columns func() int) io.Writer {
	return textWriter{w, ascii, columns}
}

// Exact returns the underlying writer of a [TextWriter], or w.
func Exact(w io.Writer) io.Writer {
	if t, ok := w.(textWriter); ok {
		return t.w
	}
	return w
}

// Like returns a writer to another w that replaces marks as a [TextWriter]
// does.
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

// Write writes complete characters.
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

// Fd returns the descriptor of the underlying file, or an invalid one for
// another writer.
func (t textWriter) Fd() uintptr {
	if f, ok := t.w.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Name returns the name of the underlying file, or "" for another writer.
func (t textWriter) Name() string {
	if f, ok := t.w.(interface{ Name() string }); ok {
		return f.Name()
	}
	return ""
}

// marks replaces this program's marks, and common typography, by ASCII.
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
