package search

import (
	"slices"
	"strings"
	"testing"
)

func TestParseThesaurus(t *testing.T) {
	th := parseThesaurus("# comment\n\nmovies, film\nlog in, sign up > authentication, access control, the access\n")
	for text, want := range map[string]string{
		"movie":        "movi film",
		"films":        "movi film",
		"log in":       "authent access control",
		"signing up":   "authent access control",
		"log":          "",
		"authenticate": "",
		"comment":      "",
	} {
		var got []string
		for _, m := range th.startingWith(stemsOf(text)) {
			got = append(got, m.means...)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
}

// TestThesaurus checks the table for entries that can never match.
func TestThesaurus(t *testing.T) {
	for line := range strings.Lines(thesaurusText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		said, means, directed := strings.Cut(line, ">")
		if entries := strings.Split(said, ","); !directed && len(entries) < 2 {
			t.Errorf("%q has one entry", line)
		}
		if directed && len(meaningful(stemsOf(means))) == 0 {
			t.Errorf("%q has no meaning", line)
		}
		for entry := range strings.SplitSeq(said, ",") {
			entry = strings.TrimSpace(entry)
			switch {
			case len(stemsOf(entry)) == 0 || len(stemsOf(entry)) > maxPhrase:
				t.Errorf("%q: %q has %d words, the limits are 1 and %d", line, entry, len(stemsOf(entry)), maxPhrase)
			case stopWords[entry]:
				t.Errorf("%q: %q is a stop word", line, entry)
			case entry != strings.ToLower(entry):
				t.Errorf("%q: %q is not in lower case", line, entry)
			}
		}
	}
}
