package spec

import "unicode"

// EstimateTokens returns about how many tokens a model counts for a text. It
// is a guess from the kinds of characters, made to be cheap: vocabularies
// differ by more than its error.
func EstimateTokens(s string) int {
	var sum float64
	letters, newline := 0, false
	word := func() {
		if letters > 0 {
			sum += 0.915
		}
		if letters > 7 {
			sum += 0.613
		}
		letters = 0
	}
	for _, r := range s {
		isLetter := r < 0x80 && unicode.IsLetter(r)
		if !isLetter {
			word()
		}
		switch {
		case isLetter:
			letters++
		case r == '\n':
			if !newline {
				sum += 1.137
			}
		case r == ' ' || r == '\t' || r == '\r':
		case r >= '0' && r <= '9':
			sum += 1.157 / 2
		case r < 0x80:
			sum += 0.528
		default:
			sum += 0.838
		}
		newline = r == '\n'
	}
	word()
	return int(sum + 0.5)
}
