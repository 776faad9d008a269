package rules

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var bannedWord = &spec.Rule{
	ID:     "banned-word",
	Title:  "no word that the configuration bans",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "banned in .skills.yaml",
	Varies: func(o spec.Options) bool { return len(o.Banned) > 0 },
	Check: func(p *spec.Pass) {
		if len(p.Banned) == 0 {
			return
		}
		for _, t := range referencedTexts(p) {
			lower := bytes.ToLower(t.src)
			for _, banned := range p.Banned {
				if p.Full() {
					return
				}
				reportBanned(p, t, lower, banned)
			}
		}
	},
	Join: func(places []spec.Place) string {
		return fmt.Sprintf("%s (%d places)", places[0].Message, len(places))
	},
}

// reportBanned reports where a word is in a text; lower is the text in lower case.
func reportBanned(p *spec.Pass, t *text, lower []byte, banned spec.BannedWord) {
	const limit = 20 // of places in a file
	words := strings.Fields(banned.Word)
	if !bytes.Contains(lower, []byte(strings.ToLower(words[0]))) {
		return // most words
	}
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	help := "remove or replace it: .skills.yaml bans it"
	message := printable.Quote(banned.Word) + " is banned"
	if banned.Reason != "" {
		message += ": " + printable.Truncate(printable.Line(banned.Reason), 300)
	}
	reported := 0
	for _, at := range regexp.MustCompile(`(?i)`+strings.Join(words, `\s+`)).FindAllIndex(t.src, -1) {
		if reported < limit && isWhole(t.src, at[0], at[1]) {
			reported++
			t.report(p, at[0], at[1], help, "%s", message).In(banned.Word+"\n"+t.name, banned.Word)
		}
	}
}

// isWhole reports whether a range is not part of a longer word or name. In a name with
// digits or punctuation, such as that of a model, a hyphen or a dot continues it: gpt-4 is
// not in gpt-4.1 or gpt-4-turbo, but in openai/gpt-4. In scripts without spaces between
// words, every range is whole.
func isWhole(src []byte, start, end int) bool {
	first, _ := utf8.DecodeRune(src[start:end])
	last, _ := utf8.DecodeLastRune(src[start:end])
	before, size := utf8.DecodeLastRune(src[:start])
	further, _ := utf8.DecodeLastRune(src[:start-size])
	after, size := utf8.DecodeRune(src[end:])
	beyond, _ := utf8.DecodeRune(src[end+size:])
	isName := bytes.ContainsFunc(src[start:end], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsSpace(r) })
	continues := func(from, r, next rune) bool {
		joined := isName && (r == '-' || r == '.') && isSpaced(next)
		return isSpaced(from) && (isSpaced(r) || joined)
	}
	return !continues(first, before, further) && !continues(last, after, beyond)
}

// isSpaced reports whether a character belongs to words with spaces between them.
func isSpaced(r rune) bool {
	word := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
	return word && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// referencedTexts returns the SKILL.md, the pages that it leads to and the other texts that
// these name.
func referencedTexts(p *spec.Pass) (out []*text) {
	pages := skillOf(p).linkedPages()
	is := map[string]bool{p.Doc.File: true}
	var others []spec.File
	for _, in := range pages {
		is[in.name] = true
		out = append(out, &in.text)
	}
	for _, f := range filesOf(p.Doc) {
		if !is[f.Name] && hasText(f) {
			others = append(others, f)
		}
	}
	named := references.NewNames(fileNames(others))
	for _, in := range pages {
		named.Add(string(in.src), false)
		for _, l := range in.Links {
			name, _, _ := l.Split()
			named.Add(name, false)
		}
	}
	for _, f := range others {
		if !named.Has(f.Name) {
			continue
		}
		if t := readText(p.Doc, f); t != nil {
			out = append(out, t)
		}
	}
	return out
}
