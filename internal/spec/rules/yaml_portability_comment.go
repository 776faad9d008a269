package rules

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// checkComments reports text that YAML reads as a comment: the rest of a plain
// value after " #". Such values rarely have real comments, see swallowed.
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
		if len(comment) == len(rest) || !strings.HasPrefix(comment, "#") || !swallowed(comment[1:]) {
			continue
		}
		column := end.Column + utf8.RuneCountInString(rest) - utf8.RuneCountInString(comment)
		comment = strings.TrimRight(comment, " \t")
		p.Report(p.Doc.Lines().Span(end.Line, column, column+utf8.RuneCountInString(comment)),
			"quote the value: "+shorten(f.Key+": "+frontmatter.Quote(f.Value.Text+strings.TrimRight(rest, " \t"))),
			`" #" starts a comment that cuts off the value of %s: %s is lost`, printable.Quote(f.Key), printable.Quote(comment))
	}
}

// swallowed reports whether the text after a # belongs to the value rather than
// to a comment: no space follows the #, as in #12 or #tag.
func swallowed(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	if rest == "" || unicode.IsSpace(first) || strings.ContainsRune("#-=*~_", first) { // a ruler
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(rest), " ")
	word, _, _ = strings.Cut(word, "(") // without the author
	return !slices.Contains([]string{"todo", "fixme", "xxx", "hack", "note", "noqa", "nosec", "region", "endregion", "yamllint", "yaml-lint"}, strings.TrimRight(word, ":.!"))
}
