package doctor

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDoctorNarrow checks that the list of doctor is broken between words.
func TestDoctorNarrow(t *testing.T) {
	const width = 40
	l := &checkList{width: width}
	l.title("a-skill-with-a-long-name", "folder with/several words/in its name")
	l.line(Missing, "python3: the interpreter of three scripts is not installed", "install it with the package manager of your system")
	for line := range strings.Lines(l.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
