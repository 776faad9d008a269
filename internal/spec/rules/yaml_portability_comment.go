package rules

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// checkComments reports text that YAML reads as a comment: the rest of a plain value
// after " #". Such values seldom have real comments, see swallowed.
func checkComments(p *spec.Pass) {
	block := p.Doc.Block()
	commented := bytes.IndexByte(p.Doc.Source[block.Start:block.End], '#') >= 0
	for i := range p.Doc.Fields {
		f := &p.Doc.Fields[i]
		switch f.Key {
		case "description", "compatibility", "when_to_use":
		default:
			continue
		}
		text := f.Value.Text
		if f.Value.Style != spec.Plain || !commented || f.Value.Alias || text == "" {
			continue
		}
		end := p.Doc.Within(f, strings.LastIndexByte(text, ' ')+1, len(text)).End
		rest := string([]rune(p.Doc.Line(end.Line))[end.Column-1:])
		comment := strings.TrimLeft(rest, " \t")
		if len(comment) == len(rest) || !strings.HasPrefix(comment, "#") || !swallowed(f.Value.Text, comment[1:]) {
			continue
		}
		column := end.Column + utf8.RuneCountInString(rest) - utf8.RuneCountInString(comment)
		comment = strings.TrimRight(comment, " \t")
		p.Report(p.Doc.Lines().Span(end.Line, column, column+utf8.RuneCountInString(comment)),
			"quote the value: "+shorten(f.Key+": "+frontmatter.Quote(f.Value.Text+strings.TrimRight(rest, " \t"))),
			`" #" starts a comment that cuts off the value of %s: %s is lost`, printable.Quote(f.Key), printable.Quote(comment))
	}
}

// swallowed reports whether the text after a # is the rest of a value rather than a
// comment: there is no space between them, as in #12 or #tag, or the sentence before
// the # ends only after it, and is long.
func swallowed(text, rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case strings.TrimSpace(rest) == "":
		return true // not an empty comment, but the name C #
	case !unicode.IsSpace(first):
		word, _, _ := strings.Cut(strings.ToLower(rest), " ")
		word, _, _ = strings.Cut(word, "(") // without the author
		switch strings.TrimRight(word, ":.!") {
		case "todo", "fixme", "xxx", "hack", "note", "noqa", "nosec", "region", "endregion", "yamllint", "yaml-lint":
			return false
		}
		return !strings.ContainsRune("#-=*~_", first) // a ruler
	}
	rest = strings.TrimSpace(rest)
	first, _ = utf8.DecodeRuneInString(rest)
	word := text[strings.LastIndexByte(text, ' ')+1:]
	long := utf8.RuneCountInString(rest) >= longRest || utf8.RuneCountInString(word) == 1 // C # and F #
	return !endsAsText(text) && endsAsText(rest) && !unicode.IsUpper(first) && long
}

// longRest is the length of a text after " # " that is too long for a note.
const longRest = 40

// endsAsText reports whether a text ends like a sentence, in any script.
func endsAsText(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Pe, r) || unicode.Is(unicode.Pf, r) || r == '"' || r == '\''
	})
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.Sentence_Terminal, last) || last == '…'
}
