package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxSize is the length in bytes from which a text is not parsed.
const maxSize = 1 << 20

// Parse reads a Markdown text as CommonMark has it. Tables are text, with the
// links and code in them found; a footnote ([^1]: …) is a paragraph, not a
// link's definition. src is not changed, and not kept.
//
// Of a text whose fences an author may have paired otherwise than CommonMark
// does, only that is found which is there in both readings.
func Parse(src []byte) *Page {
	if len(src) > maxSize {
		return cutPage()
	}
	p := parse(src)
	if meant := asMeant(src); meant != nil {
		p.agree(parse(meant))
	}
	return p
}

func parse(src []byte) *Page {
	return parseWith(src, &meter{left: budget, whole: loneReturn(src)})
}

// loneReturn reports a carriage return that ends no line: the parser takes it
// for white space in some places and for text in others.
func loneReturn(src []byte) bool {
	return bytes.IndexByte(src, '\r') >= 0 && bytes.Count(src, []byte("\r")) > bytes.Count(src, []byte("\r\n"))
}

// parseWith parses with a meter that was not used before.
func parseWith(src []byte, m *meter) *Page {
	b := newBuilder(src, m)
	left := src
	if !m.whole {
		left = b.skim()
	}
	b.page.Anchors, b.slugs = make(map[string]bool, len(b.headings)), make(map[string]int, len(b.headings))
	if left != nil {
		if tooDeep(left) {
			return cutPage()
		}
		b.parse(left)
	}
	b.headingsBefore(len(src))
	b.resolve()
	b.page.Cut = m.left < 0
	sortPage(b.page)
	return b.page
}

func cutPage() *Page { return &Page{Anchors: map[string]bool{}, Cut: true} }

func newBuilder(src []byte, m *meter) *builder {
	const line, code = 96, 400 // bytes, about: room for a stretch, for a piece of code
	return &builder{
		src: src, meter: m, stretches: make([]Stretch, 0, len(src)/line),
		page: &Page{Prose: make([]Stretch, 0, len(src)/line), Code: make([]Code, 0, len(src)/code)},
	}
}

// parse adds what a text holds that has blanks for what is in the page.
func (b *builder) parse(left []byte) {
	b.meter.paren, b.defs = map[any]int{}, map[definition]Stretch{}
	pc := parser.NewContext()
	pc.Set(meterKey, b.meter)
	doc := shared().Parse(text.NewReader(left), parser.WithContext(pc))
	for _, s := range b.meter.prose {
		b.prose(s.Start, s.End)
	}
	b.walk(doc)
}

// shared is the parser of all texts: making one costs as much as parsing a
// page. What belongs to one text is in its context.
var shared = sync.OnceValue(newParser)

// newParser makes a parser without emphasis: it changes no link and no code,
// and costs time that grows with the square of a hostile text. Headings are
// looked at once more with it, for their anchors.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(blockParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(meteredCode{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(&meteredLink{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(meteredDefinitions{}, 100),
		),
	)
}

func sortPage(p *Page) {
	slices.SortStableFunc(p.Links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Kind, b.Kind))
	})
	p.Links = slices.Compact(p.Links)
	slices.SortStableFunc(p.Code, func(a, b Code) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(p.Comments, func(a, b Comment) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortFunc(p.Prose, func(a, b Stretch) int { return cmp.Compare(a.Start, b.Start) })
}
