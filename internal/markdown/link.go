package markdown

import (
	"bytes"
	"encoding/hex"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"skills/internal/lazyregexp"
)

func (b *builder) link(kind LinkKind, target []byte, start, end int) {
	start = b.clamp(start)
	b.page.Links = append(b.page.Links, Link{Kind: kind, Target: percentDecode(target), Start: start, End: max(start, b.clamp(end))})
}

// markdownLink adds a link or an image.
func (b *builder) markdownLink(n ast.Node, kind LinkKind, dest []byte, ref *ast.ReferenceLink) {
	if ref == nil {
		start := b.destination(b.meter.paren[n]+1, dest)
		b.link(kind, plain(dest), start, start+len(dest))
		return
	}
	if bytes.HasPrefix(ref.Value, []byte("^")) {
		return // a footnote whose text looks like a definition
	}
	if kind == Inline {
		kind = Reference
	}
	def := definition{util.ToLinkReference(ref.Value), string(dest)}
	b.pending = append(b.pending, reference{def, kind, n.Pos()})
}

// define records the position of a definition's destination.
func (b *builder) define(n *ast.LinkReferenceDefinition) {
	def := definition{util.ToLinkReference(n.Label), string(n.Destination)}
	if _, ok := b.defs[def]; ok {
		return
	}
	at := b.clamp(n.Pos())
	for ; at+1 < len(b.src) && !(b.src[at] == ']' && b.src[at+1] == ':'); at++ {
		if b.src[at] == '\\' {
			at++
		}
	}
	start := b.destination(at+2, n.Destination)
	b.defs[def] = Range{start, start + len(n.Destination)}
}

// resolve adds the reference links once all definitions are known.
func (b *builder) resolve() {
	for _, r := range b.pending {
		at, ok := b.defs[r.definition]
		if !ok {
			at = Range{r.pos, r.pos}
		}
		b.link(r.kind, plain([]byte(r.target)), at.Start, at.End)
	}
}

// destination returns the range of dest at or after an offset. White space,
// quotation marks at the start of a line and < may precede it.
func (b *builder) destination(from int, dest []byte) int {
	from = b.clamp(from)
	i, lineStart := from, false
	for ; i < len(b.src); i++ {
		switch c := b.src[i]; {
		case c == '\n':
			lineStart = true
			continue
		case c == ' ', c == '\t', c == '\r', c == '>' && lineStart:
			continue
		case c == '<':
			i++
		}
		break
	}
	if bytes.HasPrefix(b.src[b.clamp(i):], dest) {
		return b.clamp(i)
	}
	const window = 4096
	if j := bytes.Index(b.src[from:b.clamp(from+window+len(dest))], dest); j >= 0 {
		return from + j
	}
	return from
}

// plain resolves backslash escapes and entities.
func plain(s []byte) []byte {
	if !bytes.ContainsAny(s, `\&`) {
		return s
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}

var percentEscape = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// percentDecode decodes percent-encoding except of #, ? and %. Bytes that are
// not valid UTF-8 after decoding stay encoded.
func percentDecode(s []byte) string {
	out := percentEscape().ReplaceAllFunc(s, func(escape []byte) []byte {
		c, err := hex.DecodeString(string(escape[1:]))
		if err != nil || bytes.ContainsAny(c, "#?%") {
			return escape
		}
		return c
	})
	return string(bytes.ToValidUTF8(out, []byte("\uFFFD")))
}
