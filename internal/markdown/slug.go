package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// heading adds the anchors of a heading: its slug, numbered if it is a
// duplicate, the slug without the invisible characters of emoji, and the
// {#name} at its end that other renderers support.
func (b *builder) heading(n *ast.Heading) {
	words := string(bytes.TrimSpace(shown(n, b.src, nil)))
	if text, id, found := strings.Cut(words, "{#"); found && strings.HasSuffix(id, "}") {
		b.page.Anchors[id[:len(id)-1]] = true
		b.page.Anchors[slug(text)] = true
	}
	anchor := b.number(slug(words))
	b.page.Anchors[anchor] = true
	if lines := n.Lines(); lines.Len() > 0 {
		b.page.Headings = append(b.page.Headings, Heading{
			Level: n.Level, Text: words, Anchor: anchor, Start: b.clamp(lines.At(0).Start), End: b.clamp(lines.At(lines.Len() - 1).Stop),
		})
	}
	if strings.Contains(anchor, "\uFE0F") || strings.Contains(anchor, "\u200D") {
		b.page.Anchors[emojiMarks.Replace(anchor)] = true
	}
}

// emojiMarks removes the invisible characters of emoji.
var emojiMarks = strings.NewReplacer("\uFE0F", "", "\u200D", "")

// number makes a slug unique by appending -1, -2 and so on.
func (b *builder) number(slug string) string {
	anchor := slug
	for {
		if _, ok := b.slugs[anchor]; !ok {
			b.slugs[anchor] = 0
			return anchor
		}
		b.slugs[slug]++
		anchor = slug + "-" + strconv.Itoa(b.slugs[slug])
	}
}

// slug returns the anchor that GitHub gives to a heading: lower case, blanks as
// hyphens, and otherwise only letters, marks, digits, hyphens and underscores.
func slug(heading string) string {
	return strings.Map(slugRune, strings.TrimSpace(heading))
}

// slugRune returns a character's replacement in a slug, or -1.
func slugRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z': // most
		return r
	case r == ' ':
		return '-'
	case r == '-', r == '\u200D', unicode.IsLetter(r), unicode.IsMark(r), unicode.In(r, unicode.Nd, unicode.Nl, unicode.Pc):
		return unicode.ToLower(r)
	}
	return -1
}

// headingEmphasis parses emphasis only in headings, where underscores are part
// of a slug unless they mark emphasis. In other texts emphasis does not matter,
// and hostile input would take quadratic time.
type headingEmphasis struct{ parser.InlineParser }

func (p headingEmphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	const most = 2000 // bytes of a heading
	if lines := parent.Lines(); parent.Kind() != ast.KindHeading || lines.At(lines.Len()-1).Stop-lines.At(0).Start > most {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// shown appends the visible text below a node.
func shown(n ast.Node, src, out []byte) []byte {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			value := c.Segment.Value(src)
			if c.Parent().Kind() != ast.KindCodeSpan {
				value = plain(value)
			}
			out = append(out, value...)
			if c.SoftLineBreak() {
				out = append(out, ' ')
			}
		case *ast.AutoLink:
			out = append(out, c.Label(src)...)
		case *ast.Image, *ast.RawHTML:
		default:
			out = shown(c, src, out)
		}
	}
	return out
}
