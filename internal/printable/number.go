package printable

import (
	"fmt"
	"strconv"
)

// Plural writes a number with its noun: 1 error, 2 errors.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Grouped writes a number that is not negative with a comma before every three
// digits: 12,345.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
