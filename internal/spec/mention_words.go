package spec

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mentionWords yields the words of a text, of letters and of the marks that
// paths and patterns have, each with the one behind it.
func mentionWords(src string) iter.Seq2[string, string] {
	return func(yield func(word, next string) bool) {
		last, start := "", -1
		end := func(at int) bool {
			word := src[start:at]
			start = -1
			before := last
			last = word
			return before == "" || yield(before, word)
		}
		for at, r := range src {
			switch in := inMention(r); {
			case in && start < 0:
				start = at
			case !in && start >= 0:
				if !end(at) {
					return
				}
			}
		}
		if start >= 0 && !end(len(src)) {
			return
		}
		if last != "" {
			yield(last, "")
		}
	}
}

func inMention(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || strings.IndexByte("._-/\\*{}<>$?~+@%", byte(r)) >= 0
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isPlainWord reports words that stand for nothing but themselves.
func isPlainWord(w string) bool { return !strings.ContainsAny(w, "./\\*{}<>$?,") }
