package markdown

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxSize is the length in bytes of the longest text that is parsed.
const maxSize = 1 << 20

// Parse parses a Markdown text as CommonMark. Tables are text in which links
// and code are found; a footnote ([^1]: …) is a paragraph, not a link
// definition. src is neither modified nor kept.
//
// If the author may have paired fences other than CommonMark does, the page is what
// the author meant, without the samples with doubtful fences.
func Parse(src []byte) *Page {
	if len(src) > maxSize {
		return cutPage()
	}
	p := parse(src)
	fenced := func(c Code) bool {
		return c.Block && (strings.Contains(c.Text, "```") || strings.Contains(c.Text, "~~~"))
	}
	if slices.ContainsFunc(p.Code, fenced) {
		if meant, samples := pairNestedFences(src); meant != nil {
			p.readAsMeant(parse(meant), samples)
		}
	}
	return p
}

func parse(src []byte) *Page { return parseWith(shared(), src) }

func parseWith(p parser.Parser, src []byte) *Page {
	b := &builder{
		src:   src,
		meter: &meter{left: budget, paren: map[any]int{}},
		page:  &Page{Anchors: map[string]bool{}},
		slugs: map[string]int{}, defs: map[definition]Range{},
	}
	pc := parser.NewContext()
	pc.Set(meterKey, b.meter)
	b.walk(p.Parse(text.NewReader(src), parser.WithContext(pc)))
	b.resolve()
	b.page.Cut = b.meter.left < 0
	sortPage(b.page)
	return b.page
}

func cutPage() *Page { return &Page{Anchors: map[string]bool{}, Cut: true} }

// shared is the parser for all texts, because creating one takes as long as
// parsing a page. The state of a text is in its context.
var shared = sync.OnceValue(func() parser.Parser { return newParser(true) })

// headingPriority is goldmark's priority of the parser of headings that are a paragraph
// with a line under it.
const headingPriority = 100

// newParser returns a parser with emphasis only in headings. With plain, paragraphs
// without inline elements are not searched for them.
func newParser(plain bool) parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		if b.Value == parser.NewListParser() || b.Value == parser.NewBlockquoteParser() {
			blocks[i].Value = meteredContainer{b.Value.(parser.BlockParser)}
		}
		if plain && b.Value == parser.NewParagraphParser() {
			blocks[i].Value = plainParagraph{b.Value.(parser.BlockParser)}
		}
		if plain && b.Priority == headingPriority {
			blocks[i].Value = underlinedHeading{b.Value.(parser.BlockParser)}
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(
			util.Prioritized(meteredCode{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(&meteredLink{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(headingEmphasis{parser.NewEmphasisParser()}, 500),
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
	slices.SortFunc(p.Prose, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
}
