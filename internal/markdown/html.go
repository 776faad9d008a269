package markdown

import (
	"bytes"
	"html"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// pieces is a text in several parts of the source, because marks
// of a list or a quotation are between its lines.
type pieces struct {
	text  []byte
	parts []piece
}

type piece struct{ at, src int } // from text[at] on, the source from src on

// join puts segments together, those that follow on each other as one part.
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

// at returns the place in the source of a byte of the text.
func (p pieces) at(i int) int {
	k := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].at > i }) - 1
	return p.parts[k].src + i - p.parts[k].at
}

// span returns the place in the source of the stretch between two bytes, which
// is not empty.
func (p pieces) span(start, end int) (int, int) { return p.at(start), p.at(end-1) + 1 }

func (b *builder) htmlBlock(n *ast.HTMLBlock) {
	segments := text.NewSegments()
	segments.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
	if n.HasClosure() {
		segments.Append(n.ClosureLine)
	}
	b.html(join(b.src, segments))
}

// html takes links, anchors, comments and plain text out of HTML.
func (b *builder) html(p pieces) {
	for i := 0; i < len(p.text); {
		n := bytes.IndexByte(p.text[i:], '<')
		if n < 0 {
			b.htmlText(p, i, len(p.text))
			return
		}
		b.htmlText(p, i, i+n)
		i = b.markup(p, i+n)
	}
}

func (b *builder) htmlText(p pieces, start, end int) {
	for start < end {
		line := end
		if n := bytes.IndexByte(p.text[start:end], '\n'); n >= 0 {
			line = start + n + 1
		}
		if len(bytes.TrimSpace(p.text[start:line])) > 0 {
			b.prose(p.span(start, line))
		}
		start = line
	}
}

// markup takes what starts with < at i, and returns where it ends.
func (b *builder) markup(p pieces, i int) int {
	rest := p.text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return b.comment(p, i)
	case len(rest) > 1 && (rest[1] == '!' || rest[1] == '?' || rest[1] == '/'):
		return i + through(rest, ">")
	case len(rest) > 1 && isLetter(rest[1]):
		name, end := b.tag(p, i)
		switch name {
		case "script", "style", "textarea":
			if n := indexFold(p.text[end:], "</"+name); n >= 0 {
				return end + n
			}
			return len(p.text)
		case "h1", "h2", "h3", "h4", "h5", "h6":
			b.htmlHeading(p.text[end:], "</"+name)
		}
		return end
	}
	b.htmlText(p, i, i+1)
	return i + 1
}

func (b *builder) comment(p pieces, i int) int {
	const mark = len("<!--")
	from, end := i+mark, len(p.text)
	body := end
	switch rest := p.text[from:]; {
	case bytes.HasPrefix(rest, []byte(">")): // <!-->
		body, end = from, from+1
	case bytes.HasPrefix(rest, []byte("->")): // <!--->
		body, end = from, from+2
	default:
		if n := bytes.Index(rest, []byte("-->")); n >= 0 {
			body, end = from+n, from+n+3
		}
	}
	start, stop := p.span(i, end)
	b.page.Comments = append(b.page.Comments, Comment{string(p.text[from:body]), start, stop})
	return end
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// through is the length of a text up to and with the first mark.
func through(s []byte, mark string) int {
	if n := bytes.Index(s, []byte(mark)); n >= 0 {
		return n + len(mark)
	}
	return len(s)
}

// indexFold is bytes.Index without regard to case, for a small-lettered mark.
func indexFold(s []byte, mark string) int {
	for i := 0; i+len(mark) <= len(s); i++ {
		if s[i] == mark[0] && strings.EqualFold(string(s[i:i+len(mark)]), mark) {
			return i
		}
	}
	return -1
}

// tag takes the attributes of the opening tag at i, and returns its name in
// small letters and where it ends.
func (b *builder) tag(p pieces, i int) (name string, end int) {
	t := p.text
	j := i + 1
	for j < len(t) && !isSpace(t[j]) && t[j] != '>' && t[j] != '/' {
		j++
	}
	name = strings.ToLower(string(t[i+1 : j]))
	for j < len(t) && t[j] != '>' {
		if isSpace(t[j]) || t[j] == '/' {
			j++
			continue
		}
		key := j
		for j++; j < len(t) && !isSpace(t[j]) && t[j] != '=' && t[j] != '>' && t[j] != '/'; j++ {
		}
		attr := strings.ToLower(string(t[key:j]))
		k := j
		for k < len(t) && isSpace(t[k]) {
			k++
		}
		if k == len(t) || t[k] != '=' {
			continue
		}
		var start, stop int
		start, stop, j = attributeValue(t, k+1)
		b.attribute(p, name, attr, start, stop)
	}
	return name, min(j+1, len(t))
}

// attributeValue returns the stretch of the value that follows a = and where
// to read on.
func attributeValue(t []byte, i int) (start, stop, end int) {
	for i < len(t) && isSpace(t[i]) {
		i++
	}
	if i < len(t) && (t[i] == '"' || t[i] == '\'') {
		if n := bytes.IndexByte(t[i+1:], t[i]); n >= 0 {
			return i + 1, i + 1 + n, i + n + 2
		}
		return i + 1, len(t), len(t)
	}
	for start = i; i < len(t) && !isSpace(t[i]) && t[i] != '>'; i++ {
	}
	return start, i, i
}

// linkAttributes are the attributes that name a file or page, by tag.
var linkAttributes = map[string]string{
	"a": "href", "area": "href", "link": "href",
	"img": "src", "script": "src", "source": "src", "audio": "src", "video": "src",
	"track": "src", "iframe": "src", "embed": "src",
}

func (b *builder) attribute(p pieces, tag, name string, start, stop int) {
	switch value := bytes.TrimSpace(p.text[start:stop]); {
	case len(value) == 0:
	case name == "id" || name == "name":
		b.page.Anchors[html.UnescapeString(string(value))] = true
	case linkAttributes[tag] == name:
		start += bytes.Index(p.text[start:stop], value)
		from, to := p.span(start, start+len(value))
		b.link(HTML, []byte(html.UnescapeString(string(value))), from, to)
	}
}
