package spec

import (
	"strings"
	"unicode"
)

var descriptionWhen = &Rule{
	ID:     "description-when",
	Title:  "description says when to use the skill",
	Level:  Info,
	Source: `specification, "description field": what the skill does and when to use it`,
	Check: func(p *Pass) {
		f := p.Doc.Field("description")
		if f == nil || !hasText(f.Value) || p.Doc.Field("when_to_use") != nil || p.Doc.byHand() || isSlot(f.Value.Text) || !lacksWhen(f.Value.Text) {
			return
		}
		p.Report(f.Value.Span, `add a sentence such as "Use when a task names a PDF."`,
			"the description does not say when to use the skill: agents choose by it")
	},
}

// byHand reports a skill that says of itself that only people start it: no
// agent chooses it by its description.
func (d *Document) byHand() bool {
	f := d.Field("disable-model-invocation")
	return f != nil && f.Value.Kind == Bool && strings.EqualFold(f.Value.Text, "true")
}

// isSlot reports the text of a template that is yet to be filled in: {what the
// skill does}.
func isSlot(text string) bool {
	text = strings.TrimSpace(text)
	for _, marks := range []string{"{}", "[]", "<>"} {
		if strings.HasPrefix(text, marks[:1]) && strings.IndexByte(text, marks[1]) == len(text)-1 {
			return true
		}
	}
	return false
}

// maxRead bounds the text that is searched for words: anything longer is over
// every client's limit, which other rules say.
const maxRead = 16 << 10

// lacksWhen reports whether a text is in a language that is known here and
// holds none of its words for occasions. In any other language, nothing is
// said of it.
func lacksWhen(text string) bool {
	if len(text) > maxRead {
		return false
	}
	text = strings.ToLower(text)
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, isBetweenWords) {
		switch w {
		case "when", "use", "whenever", "if":
			return false // as in most descriptions: no need to look further
		}
		words[w] = true
	}
	known := startsInEnglish(text, words)
	for _, l := range occasions {
		if l.speaks(text, words) {
			known = true
		}
		for _, hint := range l.hints {
			if l.hinted(hint, text, words) {
				return false
			}
		}
	}
	return known
}

func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != zeroWidthNonJoiner
}

// zeroWidthNonJoiner is a part of words in Persian.
const zeroWidthNonJoiner = '\u200c'

// language is how one language, or some near to it, speak of occasions.
type language struct {
	name string
	// script is the script that tells the language, nil for Latin letters,
	// where marks are words of which two stand in almost any text (of English one,
	// since most descriptions are in it, and short).
	script *unicode.RangeTable
	marks  string
	// hints are the words for occasions: whole words, or parts of words where
	// parts is set or the hint starts with an asterisk (an ending) or ends with
	// one (a stem). Of two words with a space between them, one follows the
	// other.
	parts bool
	hints []string
}

func (l language) speaks(text string, words map[string]bool) bool {
	if l.script != nil {
		return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(l.script, r) })
	}
	found := 0
	for mark := range strings.FieldsSeq(l.marks) {
		if words[mark] {
			found++
		}
	}
	return found > 1 || found == 1 && l.name == "English"
}

func (l language) hinted(hint, text string, words map[string]bool) bool {
	switch {
	case l.parts, strings.Contains(hint, " "):
		return strings.Contains(text, hint)
	case strings.HasPrefix(hint, "*"):
		return anyWord(words, func(w string) bool { return strings.HasSuffix(w, hint[1:]) })
	case strings.HasSuffix(hint, "*"):
		return anyWord(words, func(w string) bool { return strings.HasPrefix(w, hint[:len(hint)-1]) })
	}
	return words[hint]
}

func anyWord(words map[string]bool, is func(string) bool) bool {
	for w := range words {
		if is(w) {
			return true
		}
	}
	return false
}
