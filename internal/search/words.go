package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Text becomes words in these steps:
//
//   - Compatibility forms are unified and accents removed, so that "Résumé" is "resume".
//   - A word is a run of letters and digits. Apostrophes inside a word disappear.
//   - A name of several parts is found by the whole and by its parts: setState is also
//     "set" and "state", and react18 is also "react" and "18". A name of two capitalised
//     parts is left whole, because most are brands: JavaScript is not about Java.
//   - Spellings that punctuation makes are words: C++, C#, .NET, Node.js, .docx.
//   - Chinese, Japanese and Korean have no spaces between words: each pair of characters is one.

// Limits of what is a word.
const (
	maxWord  = 64 // bytes; the rest is hashes and encoded data
	minSplit = 3  // letters before the digits of a name such as react18
)

// A word is one word of a text.
type word struct {
	text string // lower case, without accents
	part bool   // part of a longer word that was also reported
}

// words calls yield with each word of a text.
func words(text string, yield func(word)) {
	text = fold(text)
	previous := "" // the word directly before, for "node" in "node.js"
	previousEnd := -1
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case ideographic(r):
			end := at + span(text[at:], ideographic)
			bigrams(text[at:end], yield)
			previous, at = "", end
		case inWord(r):
			end := at + span(text[at:], func(r rune) bool { return (inWord(r) || apostrophe(r)) && !ideographic(r) })
			raw := strings.TrimRightFunc(text[at:end], apostrophe)
			lower := plainWord(raw)
			if symbol, length := symbolic(lower, text[end:]); symbol != "" {
				yield(word{text: symbol})
				previous, at = "", end+length
				continue
			}
			dotted := previousEnd >= 0 && previousEnd+1 == at && text[previousEnd] == '.'
			emit(raw, lower, yield)
			switch {
			case dotted && lower == "js" && previous != "":
				yield(word{text: previous + "js"})
			case lower == "net" && at > 0 && text[at-1] == '.':
				yield(word{text: "dotnet"})
			}
			previous, previousEnd, at = lower, end, end
		default:
			at += size
		}
	}
}

// symbolic returns the word for a name that ends in punctuation, and how long that is.
func symbolic(lower, rest string) (name string, length int) {
	switch {
	case lower == "c" && strings.HasPrefix(rest, "++"):
		return "cpp", 2
	case (lower == "c" || lower == "f") && strings.HasPrefix(rest, "#"):
		return lower + "sharp", 1
	}
	return "", 0
}

// emit reports a word and its parts.
func emit(raw, lower string, yield func(word)) {
	if lower == "" || len(lower) > maxWord {
		return
	}
	yield(word{text: lower})
	if parts := humps(raw); len(parts) > 0 {
		for _, p := range parts {
			yield(word{text: strings.ToLower(p), part: true})
		}
		return
	}
	letters := strings.IndexAny(lower, "0123456789")
	if letters >= minSplit && strings.Trim(lower[letters:], "0123456789") == "" {
		yield(word{text: lower[:letters], part: true})
		yield(word{text: lower[letters:], part: true})
	}
}

// humps returns the parts of a camel-case name: all of setState and WeakReferenceMessenger,
// none of JavaScript, iPhone and README.
func humps(raw string) []string {
	mixed := false
	for i := 1; i < len(raw) && !mixed; i++ {
		mixed = upper(raw[i]) && !upper(raw[i-1])
	}
	if !mixed {
		return nil
	}
	var parts []string
	start := 0
	for i := 1; i < len(raw); i++ {
		begins := upper(raw[i]) && !upper(raw[i-1])
		acronymEnds := upper(raw[i]) && i+1 < len(raw) && lowerLetter(raw[i+1]) && upper(raw[i-1])
		if begins || acronymEnds {
			parts = append(parts, raw[start:i])
			start = i
		}
	}
	parts = append(parts, raw[start:])
	for _, p := range parts {
		if len(p) < 2 {
			return nil
		}
	}
	if brand := len(parts) == 2 && upper(raw[0]); brand {
		return nil
	}
	return parts
}

func upper(c byte) bool       { return 'A' <= c && c <= 'Z' }
func lowerLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// bigrams reports each pair of characters, or the only one.
func bigrams(run string, yield func(word)) {
	previous := -1
	for at := range run {
		if previous >= 0 {
			_, size := utf8.DecodeRuneInString(run[at:])
			yield(word{text: run[previous : at+size]})
		}
		previous = at
	}
	if previous == 0 {
		yield(word{text: run})
	}
}

// span returns how many bytes at the start of a text are of a class.
func span(text string, class func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !class(r) }); end >= 0 {
		return end
	}
	return len(text)
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' }

func ideographic(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// plainWord returns a word in lower case, without apostrophes and a possessive s.
func plainWord(raw string) string {
	if !strings.ContainsFunc(raw, apostrophe) {
		return strings.ToLower(raw)
	}
	lower := strings.ToLower(strings.ReplaceAll(raw, "’", "'"))
	return strings.ReplaceAll(strings.TrimSuffix(lower, "'s"), "'", "")
}

// fold unifies compatibility forms and removes accents.
func fold(text string) string {
	if ascii(text) {
		return text
	}
	decomposed := norm.NFKD.String(text)
	text = strings.Map(func(r rune) rune {
		if accent := 0x300 <= r && r <= 0x36f; accent || r == utf8.RuneError {
			return -1
		}
		return r
	}, decomposed)
	return norm.NFC.String(text)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// stem returns what a word has in common with its other forms: "deploying" is "deploy".
func stem(text string) string {
	if len(text) < 4 || !ascii(text) {
		return text
	}
	return english.Stem(text, true)
}
