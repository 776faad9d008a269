package rules

// The description is all that an agent knows of a skill before it loads it. The errors are
// what the specification requires; the rest is what clients cut off, escape or lack.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var descriptionRequired = &spec.Rule{
	ID:     "description-required",
	Title:  "description is present and a non-empty string",
	Level:  spec.Error,
	Source: `specification, "description field"`,
	Check:  func(p *spec.Pass) { requireText(p, "description") },
}

var descriptionLength = &spec.Rule{
	ID:     "description-length",
	Title:  fmt.Sprintf("description has at most %d characters", spec.MaxDescription),
	Level:  spec.Error,
	Source: `specification, "description field"; white space around it is not counted`,
	Check:  func(p *spec.Pass) { checkLength(p, "description", spec.MaxDescription, spec.Trim) },
}

// checkLength reports a text that has more than most characters after trim.
func checkLength(p *spec.Pass, key string, most int, trim func(string) string) {
	f := p.Doc.Field(key)
	if f == nil || !spec.HasText(f.Value) {
		return
	}
	if n := utf8.RuneCountInString(trim(f.Value.Text)); n > most {
		p.Report(f.Value.Span, "shorten it; details belong in the body",
			"%s exceeds %d character limit (%d chars)", strings.ToUpper(key[:1])+key[1:], most, n)
	}
}

var descriptionPortability = &spec.Rule{
	ID:     "description-portability",
	Title:  "description is accepted by every known client",
	Level:  spec.Warning,
	Source: "clients' loaders, which count bytes, UTF-16 units or white space; the vendors' upload checks, which refuse tags",
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("description")
		if f == nil || !spec.HasText(f.Value) {
			return
		}
		text := spec.Trim(f.Value.Text)
		if utf8.RuneCountInString(text) <= spec.MaxDescription {
			checkOtherCounts(p, f, text)
		}
		if !strings.ContainsFunc(text, isVisible) {
			p.Report(f.Value.Span, "say what the skill does and when to use it", "the description has only invisible characters: clients load it, but nobody can read it")
		}
		if at := xmlTag().FindStringIndex(f.Value.Text); at != nil {
			tag := f.Value.Text[at[0]:at[1]]
			p.Report(p.Doc.Within(f, at[0], at[1]), "write it without < and >, for example in capitals",
				"%s in the description looks like a tag: the vendors' upload checks refuse it", printable.Quote(tag))
		}
	},
}

// isVisible reports whether a character has a visible form of its own.
func isVisible(r rune) bool {
	const brailleBlank = '\u2800'
	return r != brailleBlank && unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// checkOtherCounts reports a description that is too long only as some clients
// count characters.
func checkOtherCounts(p *spec.Pass, f *spec.Field, text string) {
	whole, bytes, units := utf8.RuneCountInString(f.Value.Text), len(text), len(utf16.Encode([]rune(text)))
	switch {
	case bytes > spec.MaxDescription:
		unit, counts, clients := "bytes", fmt.Sprintf("%d bytes", bytes), "Crush, Google ADK, Microsoft Agent Framework for Go and others"
		if units > spec.MaxDescription {
			unit, counts, clients = "UTF-16 units and bytes", fmt.Sprintf("%d UTF-16 units and %s", units, counts), "pi, "+clients
		}
		p.Report(f.Value.Span, fmt.Sprintf("shorten it to %d %s if the skill is for those clients too", spec.MaxDescription, unit),
			"the description has %d characters, but %s: clients that count those (%s) take at most %d", utf8.RuneCountInString(text), counts, clients, spec.MaxDescription)
	case whole > spec.MaxDescription:
		p.Report(f.Value.Span, "delete the white space around the text, or write |- or >- instead of | or >",
			"the description has %d characters with the white space around it: the reference library, Crush and others count that and take at most %d", whole, spec.MaxDescription)
	}
}

// xmlTag matches text that looks like an XML tag: <name>, </name>, <!-- -->,
// but not a -> b, x < y or <3.
var xmlTag = lazyregexp.New(`<(?:[/!?-]{0,3}[A-Za-z]|!--)[^<>]*>`)

var descriptionWhen = &spec.Rule{
	ID:     "description-when",
	Title:  "description says when to use the skill",
	Level:  spec.Info,
	Source: `specification, "description field": what the skill does and when to use it`,
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("description")
		if f == nil || !spec.HasText(f.Value) || p.Doc.Field("when_to_use") != nil {
			return
		}
		if !lacksTrigger(f.Value.Text) {
			return
		}
		if f := p.Doc.Field("disable-model-invocation"); f != nil && f.Value.Kind == spec.Bool && strings.EqualFold(f.Value.Text, "true") {
			return // only users invoke it
		}
		p.Report(f.Value.Span, `add a sentence such as "Use when a task names a PDF."`,
			"the description does not say when to use the skill: agents choose by it")
	},
}

// Words that show when to use a skill, for the two supported languages. The
// lists are generous: a missed finding costs one piece of advice, a false one
// costs trust.
const (
	englishTriggers = `when whenever if while before after during once upon unless until anytime always use used useful
		trigger triggers triggered triggering keyword keywords invoke invoked invokes activate activated activates asks asked asking
		mention mentions mentioned mentioning wants needs needed needing requested encounter encounters encountered encountering
		suitable ideal handy intended relevant appropriate scenario scenarios situation situations must should whether`
	chineseTriggers = `当 當 时 時 如果 若 用于 用於 适用 適用 适合 適合 使用 场景 場景 情况 情況 触发 觸發 需要 请求 請求 之前 之后
		每次 每当 必须 一旦 可用 调用 想要 要求 提到 凡是 遇到`
)

// englishPhrases are triggers of several words.
var englishPhrases = []string{"user request", "users request", "on request", "in case", "in cases"}

// englishMarks are words that identify a text as English, unless it contains
// one of foreignMarks, which are frequent in other languages.
const (
	englishMarks = `the and of to for with from into by your about this that these those which using their its through between
		against across without within`
	foreignMarks = `der das und mit eine zu aus het een voor les des du une et pour avec dans el los las del una para uma em il gli
		della oraz och för av til og ve bir ile dan dari untuk yang dengan egy`
)

// englishStarts are words that start an English description and hardly any in
// another language. Omitted are words that are nouns elsewhere, such as guides
// and reviews, or imperatives, such as create in Italian and send in Danish.
const englishStarts = `adds analyzes builds calculates cleans compiles converts creates deletes deploys does draws explains extracts
	fetches finds formats generates gets gives handles helps improves keeps knows lists makes manages moves optimizes
	organizes parses performs processes provides reads removes renames renders retrieves rewrites runs schedules scrapes
	searches sends simplifies solves sorts speaks summarises summarizes takes teaches tells transcribes transforms
	translates turns validates verifies writes
	analyze build delete explain fetch improve keep make manage optimize perform publish read rewrite simplify solve
	summarise summarize teach tell translate turn write`

// maxRead limits the text that is searched, in bytes. Longer text exceeds the
// limit of every client, which other rules report.
const maxRead = 16 << 10

// lacksTrigger reports whether a text is English or Chinese and contains none
// of the words that show when to use a skill. It returns false for a text with
// letters of other languages.
func lacksTrigger(text string) bool {
	if len(text) > maxRead {
		return false
	}
	text = strings.ToLower(text)
	holds := func(s string) bool { return strings.Contains(text, s) }
	if slices.ContainsFunc([]string{"need", "necessary", "appropriate", "required", "relevant", "applicable", "useful", "helpful"}, holds) {
		text = emptyTrigger().ReplaceAllString(text, "")
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	chinese, accented := false, 0
	for _, word := range words {
		for _, r := range word {
			switch {
			case r < utf8.RuneSelf:
			case unicode.Is(unicode.Han, r):
				chinese = true
			case unicode.Is(unicode.Latin, r):
				accented++
			default:
				return false
			}
		}
	}
	const few = 10 // words per accent, as in names and loanwords in English
	if accented*few > len(words) || !chinese && !isEnglish(words) {
		return false
	}
	return !holdsWord(words, englishTriggers) && !slices.ContainsFunc(englishPhrases, holds) &&
		!slices.ContainsFunc(strings.Fields(chineseTriggers), holds)
}

// emptyTrigger matches sentences that have the form of a trigger but name none.
var emptyTrigger = lazyregexp.New(`(?:please )?(?:use|invoke|run|apply|activate)(?: (?:this|it|the))?(?: skill)? (?:when(?:ever)?|if|as|where) (?:it is |it's |you )?(?:needed|need it|necessary|appropriate|required|relevant|applicable|useful|helpful)[ \t]*(?:[.!;]|$)`)

// isEnglish reports whether lower-case words are those of an English text.
func isEnglish(words []string) bool {
	return len(words) > 0 && !holdsWord(words, foreignMarks) &&
		(holdsWord(words, englishMarks) || slices.Contains(strings.Fields(englishStarts), words[0]))
}

// holdsWord reports whether one of the words is in a list.
func holdsWord(words []string, list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(w string) bool { return slices.Contains(words, w) })
}
