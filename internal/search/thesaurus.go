package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// maxPhrase is how many words an entry of the thesaurus may have.
const maxPhrase = 7

// thesaurus has the entries by the stem of their first word.
type thesaurus map[string][]meaning

// A meaning is an entry: the stems of what is said, and of the words it may mean.
type meaning struct{ said, means []string }

var readThesaurus = sync.OnceValue(func() thesaurus { return parseThesaurus(thesaurusText) })

func parseThesaurus(text string) thesaurus {
	t := thesaurus{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		said, means, directed := strings.Cut(line, ">")
		if !directed {
			means = said
		}
		stems := meaningful(stemsOf(means))
		for entry := range strings.SplitSeq(said, ",") {
			if s := stemsOf(entry); len(s) > 0 {
				t[s[0]] = append(t[s[0]], meaning{s, stems})
			}
		}
	}
	return t
}

// meaningful removes stop words and duplicates.
func meaningful(stems []string) (kept []string) {
	for _, s := range stems {
		if !stopWords[s] && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

func stemsOf(text string) (stems []string) {
	words(text, func(w word) {
		if !w.part {
			stems = append(stems, stem(w.text))
		}
	})
	return stems
}

// startingWith returns the entries that the stems of a text begin with.
func (t thesaurus) startingWith(stems []string) (found []meaning) {
	for _, m := range t[stems[0]] {
		if len(m.said) <= len(stems) && slices.Equal(m.said, stems[:len(m.said)]) {
			found = append(found, m)
		}
	}
	return found
}

// thesaurusWords returns the words of the thesaurus as they are written.
var thesaurusWords = sync.OnceValue(func() map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words(line, func(w word) {
			if !stopWords[w.text] {
				found[w.text] = true
			}
		})
	}
	return found
})
