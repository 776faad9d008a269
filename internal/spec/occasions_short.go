package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// englishStarts are words with which a description starts in English and in
// hardly any other language: words that are a noun elsewhere, as guides and
// reviews are, or an order, as create is in Italian and send in Danish, are
// left out.
const englishStarts = `adds analyzes builds calculates cleans compiles converts creates deletes deploys draws explains extracts
	fetches finds formats generates gets gives handles helps improves keeps knows lists makes manages moves optimizes
	organizes parses performs processes provides reads removes renames renders retrieves rewrites runs schedules scrapes
	searches sends simplifies solves sorts speaks summarises summarizes takes teaches tells transcribes transforms
	translates turns validates verifies writes
	analyze build delete explain fetch improve keep make manage optimize perform publish read rewrite simplify solve
	summarise summarize teach tell translate turn write`

// englishToo are marks of other languages that are English words as well.
const englishToo = "a as do i per pro con to on"

// startsInEnglish reports whether a text, in small letters, is in English though
// it is too short to hold one of its marks: by its first word, unless anything
// speaks for another language.
func startsInEnglish(text string, words map[string]bool) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\"'*_ \t\n"), " ")
	if !slices.Contains(strings.Fields(englishStarts), strings.TrimRight(first, ".,:;*_")) {
		return false
	}
	for w := range words {
		if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 || isForeignMark(w) {
			return false
		}
	}
	return true
}

// isForeignMark reports whether a word is a mark of another language.
func isForeignMark(word string) bool {
	if slices.Contains(strings.Fields(englishToo), word) {
		return false
	}
	return slices.ContainsFunc(occasions, func(l language) bool {
		return l.script == nil && l.name != "English" && slices.Contains(strings.Fields(l.marks), word)
	})
}
