package workspace

// An edit whose text is not in the file is answered with the place that is most like it, so
// that the model can correct its text without reading the whole file again.

import (
	"fmt"
	"strings"

	"skills/internal/printable"
)

// Bounds of the search for similar lines.
const (
	maxNearLines = 20_000 // lines of the file
	maxNearText  = 12     // lines that are shown
	leastShared  = 0.4    // of the words of the first line
)

// missing says that a text is not in a file, and what is most like it.
func missing(shown, text, old string) string {
	answer := fmt.Sprintf("The text is not in %s. It must match exactly, with its blanks and line ends.", shown)
	lines := strings.Split(text, "\n")
	wanted := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	at, exact := nearest(lines, wanted)
	if at < 0 {
		return answer
	}
	last := min(at+min(len(wanted), maxNearText), len(lines))
	why := "The nearest text begins in line %d:\n%s"
	if exact {
		why = "It differs only in blanks from the text that begins in line %d:\n%s"
	}
	return answer + " " + fmt.Sprintf(why, at+1, printable.Truncate(strings.Join(lines[at:last], "\n"), maxText/16))
}

// nearest returns the index of the first line of the most similar place, or -1. exact means
// that only white space differs.
func nearest(lines, wanted []string) (at int, exact bool) {
	skip := 0
	for skip < len(wanted)-1 && strings.TrimSpace(wanted[skip]) == "" {
		skip++
	}
	first := strings.Fields(wanted[skip])
	best, at := leastShared, -1
	for i := range lines[:min(len(lines), maxNearLines)] {
		start := i - skip
		if start < 0 {
			continue
		}
		if sameWords(lines[start:], wanted) {
			return start, true
		}
		shared := similarity(strings.Fields(lines[i]), first)
		if shared > best {
			best, at = shared, start
		}
	}
	return at, false
}

// sameWords reports whether lines begin with the wanted ones, apart from white space.
func sameWords(lines, wanted []string) bool {
	if len(lines) < len(wanted) {
		return false
	}
	for i, line := range wanted {
		if strings.Join(strings.Fields(line), " ") != strings.Join(strings.Fields(lines[i]), " ") {
			return false
		}
	}
	return true
}

// similarity returns the part of words that two lines share, from 0 to 1.
func similarity(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	count := map[string]int{}
	for _, word := range a {
		count[word]++
	}
	shared := 0
	for _, word := range b {
		if count[word] > 0 {
			count[word]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}
