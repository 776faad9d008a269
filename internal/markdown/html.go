package markdown

// HTML inside Markdown has links and anchors too. goldmark leaves it as raw text, in pieces
// between the marks of lists and quotations, so it is put together, searched by
// expressions, and what is found gets its place in the source again.

import (
	"bytes"
	"html"
	"regexp"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"skills/internal/lazyregexp"
)

// pieces is a text in several parts of the source, with marks of a list or a
// quotation between its lines.
type pieces struct {
	text  []byte
	parts []piece
}

type piece struct{ at, src int } // text[at:] corresponds to the source from src on

// join concatenates segments, merging adjacent ones.
func join(src []byte, segments *text.Segments) pieces {
	var p pieces
	end := -1
	for i := range segments.Len() {
		s := segments.At(i)
		start, stop := min(max(s.Start, 0), len(src)), min(max(s.Stop, 0), len(src))
		if stop <= start {
			continue
		}
		if start != end {
			p.parts = append(p.parts, piece{len(p.text), start})
		}
		end = stop
		p.text = append(p.text, src[start:stop]...)
	}
	return p
}

// at returns the source offset of a byte of the text.
func (p pieces) at(i int) int {
	k := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].at > i }) - 1
	return p.parts[k].src + i - p.parts[k].at
}

// span returns the source range of a non-empty range of the text.
func (p pieces) span(start, end int) (int, int) { return p.at(start), p.at(end-1) + 1 }

func (b *builder) htmlBlock(n *ast.HTMLBlock) {
	segments := text.NewSegments()
	segments.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
	if n.HasClosure() {
		segments.Append(n.ClosureLine)
	}
	b.html(join(b.src, segments))
}

var (
	// htmlMarkup matches a comment (text in group 1), another declaration or a
	// closing tag, or an opening tag with its name and attributes (groups 2 and
	// 3).
	htmlMarkup    = lazyregexp.New(`(?is)<!--(?:-?>|(.*?)(?:-->|\z))|<[!?/][^>]*>?|<([a-z][^\s/>]*)((?:[^>"']|"[^"]*(?:"|\z)|'[^']*(?:'|\z))*)>?`)
	htmlAttribute = lazyregexp.New(`([^\s"'>/=]+)\s*=\s*(?:"([^"]*)(?:"|\z)|'([^']*)(?:'|\z)|([^\s"'>]+))`)
	htmlHeading   = lazyregexp.New(`(?is)^(.*?)</(h[1-6])`)
	htmlTag       = lazyregexp.New(`<[^<>]*>`)
	// rawText maps elements whose content is not markup to their end tags.
	rawText = map[string]func() *regexp.Regexp{
		"script": lazyregexp.New(`(?i)</script`), "style": lazyregexp.New(`(?i)</style`), "textarea": lazyregexp.New(`(?i)</textarea`),
	}
)

// html collects links, anchors, comments and plain text from HTML.
func (b *builder) html(p pieces) {
	for at := 0; at < len(p.text); {
		m := htmlMarkup().FindSubmatchIndex(p.text[at:])
		if m == nil {
			b.htmlText(p, at, len(p.text))
			return
		}
		group := func(i int) (start, end int) { return at + m[2*i], at + m[2*i+1] }
		start, end := group(0)
		b.htmlText(p, at, start)
		switch {
		case m[4] >= 0:
			from, to := group(2)
			name := strings.ToLower(string(p.text[from:to]))
			from, to = group(3)
			b.attributes(p, name, from, to)
			end = b.element(p, name, end)
		case bytes.HasPrefix(p.text[start:], []byte("<!--")):
			c := Comment{}
			if m[2] >= 0 {
				from, to := group(1)
				c.Text = string(p.text[from:to])
			}
			c.Start, c.End = p.span(start, end)
			b.page.Comments = append(b.page.Comments, c)
		}
		at = end
	}
}

func (b *builder) htmlText(p pieces, start, end int) {
	for line := range bytes.Lines(p.text[start:end]) {
		if len(bytes.TrimSpace(line)) > 0 {
			b.prose(p.span(start, start+len(line)))
		}
		start += len(line)
	}
}

// element handles the content of an opening tag, and returns where to continue.
// A heading's anchor is made from its visible text, as on GitHub.
func (b *builder) element(p pieces, name string, end int) int {
	rest := p.text[end:]
	if closing := rawText[name]; closing != nil {
		if at := closing().FindIndex(rest); at != nil {
			return end + at[0]
		}
		return len(p.text)
	}
	if len(name) != 2 || name[0]|' ' != 'h' {
		return end
	}
	if m := htmlHeading().FindSubmatch(rest[:min(len(rest), 4000)]); m != nil && strings.EqualFold(name, string(m[2])) {
		text := html.UnescapeString(htmlTag().ReplaceAllString(string(m[1]), ""))
		b.page.Anchors[b.number(slug(strings.Join(strings.Fields(text), " ")))] = true
	}
	return end
}

// linkAttributes are the attributes that refer to a file or page, by tag.
var linkAttributes = map[string]string{
	"a": "href", "area": "href", "link": "href",
	"img": "src", "script": "src", "source": "src", "audio": "src", "video": "src",
	"track": "src", "iframe": "src", "embed": "src",
}

// attributes collects the links and anchors in a tag's attributes.
func (b *builder) attributes(p pieces, tag string, start, end int) {
	for _, m := range htmlAttribute().FindAllSubmatchIndex(p.text[start:end], -1) {
		from, to := start+max(m[4], m[6], m[8]), start+max(m[5], m[7], m[9])
		value := bytes.TrimSpace(p.text[from:to])
		switch name := strings.ToLower(string(p.text[start+m[2] : start+m[3]])); {
		case len(value) == 0:
		case name == "id" || name == "name":
			b.page.Anchors[html.UnescapeString(string(value))] = true
		case linkAttributes[tag] == name:
			from += bytes.Index(p.text[from:to], value)
			from, to := p.span(from, from+len(value))
			b.link(HTML, []byte(html.UnescapeString(string(value))), from, to)
		}
	}
}
